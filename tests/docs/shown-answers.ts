/** What a page shows as an answer, held against what was answered: shortened and with other ids, but nothing that isn't there. */

/** JSON texts of a page, one behind the other, without what stands for left-out parts. */
export function shownIn(block: string): unknown[] {
  const whole = block.replaceAll(/,\s*"…":\s*""/g, "").replaceAll(/,?\s*…(?=\s*[}\]])/g, "");
  return whole.split(/\n(?=\{)/).map((text) => JSON.parse(text));
}

/** The answers among the lines that a page's commands have printed. */
export function answersIn(printed: string): unknown[] {
  return printed.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
}

/** Where what is shown isn't what was answered, with both. None: it is, as far as it is shown. */
export function differences(shown: unknown, answered: unknown, path = ""): string[] {
  if (Array.isArray(shown)) {
    if (!Array.isArray(answered) || (shown.length === 0 && answered.length > 0))
      return [difference(path, shown, answered)];
    return shown.flatMap((item, at) => differences(item, answered[at], `${path}.${at}`));
  }
  if (isRecord(shown)) {
    if (!isRecord(answered)) return [difference(path, shown, answered)];
    return Object.entries(shown).flatMap(([name, value]) => differences(value, answered[name], `${path}.${name}`));
  }
  return isSame(shown, answered) ? [] : [difference(path, shown, answered)];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSame(shown: unknown, answered: unknown): boolean {
  if (typeof shown !== "string" || typeof answered !== "string") return shown === answered;
  return blanked(shown) === blanked(answered) || (shown.includes("…") && isShortened(shown, answered));
}

/** Ids, times and the host differ from run to run. */
function blanked(text: string): string {
  return text
    .replaceAll(/([a-z]+_)01[a-z0-9]+/g, "$1…")
    .replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/, "…")
    .replace(/127\.0\.0\.1:\d+/, "…");
}

function isShortened(shown: string, answered: string): boolean {
  let at = 0;
  return blanked(shown)
    .split("…")
    .every((part) => {
      const found = blanked(answered).indexOf(part, at);
      at = found + part.length;
      return found >= 0;
    });
}

function difference(path: string, shown: unknown, answered: unknown): string {
  return `${path.slice(1)}: ${JSON.stringify(shown)} is shown, ${JSON.stringify(answered)} is answered`;
}
