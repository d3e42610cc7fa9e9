/** A release in CHANGELOG.md: a heading over what was written since the one before, which are its notes. */

const heading = /^## \d+\.\d+\.\d+.*$/m;
/** The table stands in a section of its own, above all others. */
const afterTable = /^## (?!Releases$)/m;

/** @returns the changelog with a heading for the release above everything that no release has yet */
export function withRelease(changelog: string, version: string, date: string): string {
  const at = changelog.search(afterTable);
  if (at < 0 || changelog.slice(at).search(heading) === 0) {
    throw new TypeError("CHANGELOG.md says nothing that is new since the last release.");
  }
  return `${changelog.slice(0, at)}## ${version} (${date})\n\n${changelog.slice(at)}`;
}

/** @returns what stands between the release's heading and the one before */
export function notesOf(changelog: string, version: string): string {
  const [, since = ""] = changelog.split(new RegExp(`^## ${version.replaceAll(".", "\\.")} .*$`, "m"));
  const end = since.search(heading);
  return (end < 0 ? since : since.slice(0, end)).trim();
}
