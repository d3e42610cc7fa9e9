/** Which of the uploaded versions answer, and how many of the requests each: decided from what is deployed and what the releases say. */
import type { Deployment } from "./account.js";
import { Refusal } from "./options.js";
import { compareVersions, isRelease, type Release } from "./releases.js";

/** Per cent of the requests by version; together 100. */
export interface Split {
  readonly versions: readonly { readonly id: string; readonly percentage: number }[];
  /** Says what is meant, for a person. */
  readonly meaning: string;
}

/**
 * How far the new version goes: only its share moves once it is uploaded.
 * @param tag of the code of this checkout
 * @returns nothing where it has to be uploaded first
 * @throws {Refusal} where a part of the requests can't be given to it
 */
export function decideCanary(
  deployments: readonly Deployment[],
  { tag, share, objects }: { readonly tag: string; readonly share: number; readonly objects: readonly string[] },
  releases: readonly Release[],
): Split | undefined {
  const running = deployments[0]?.versions ?? [];
  const before = running.find((version) => version.tag !== tag);
  const canary = running.find((version) => version.tag === tag);
  if (before === undefined) throw new Refusal(`version ${tag} has all requests already.`);
  const known = releases.find(({ version }) => version === before.tag);
  if (known !== undefined && known.objects.join() !== objects.join()) {
    throw new Refusal(
      `version ${before.tag} has other classes of objects ([exports] of wrangler.toml): the two can't run side by side. Deploy without --canary.`,
    );
  }
  return canary === undefined ? undefined : splitBetween(before, canary, share);
}

type Running = Deployment["versions"][number];

/** @param share per cent for the canary */
export function splitBetween(before: Running, canary: Pick<Running, "id" | "tag">, share: number): Split {
  const rest = { id: before.id, percentage: 100 - share };
  const shares = [{ id: canary.id, percentage: share }, ...(share === 100 ? [] : [rest])];
  return {
    versions: shares,
    meaning: `${canary.tag} gets ${share} % of the requests${share === 100 ? "" : `, ${before.tag ?? before.id} the others`}`,
  };
}

/**
 * Back to the version that was deployed before, or to the release that is named, with all requests.
 * @throws {Refusal} where it could not read what was stored since, or nobody knows
 */
export function decideRollback(
  deployments: readonly Deployment[],
  releases: readonly Release[],
  named?: string,
): Split & { readonly tag: string } {
  const [current, ...earlier] = deployments;
  const newest = (current?.versions ?? []).toSorted((a, b) => compareVersions(b.tag ?? "0.0.0", a.tag ?? "0.0.0"))[0];
  if (current === undefined || newest === undefined) throw new Refusal("nothing is deployed yet.");
  const others = [...current.versions, ...earlier.flatMap(({ versions }) => versions)].filter(
    ({ tag, id }) => id !== newest.id && (named === undefined ? tag !== newest.tag : tag === named),
  );
  const [target] = others;
  if (target === undefined) {
    throw new Refusal(
      named === undefined
        ? "no other version was deployed lately."
        : `version ${named} is not among those that were deployed lately: ${[...new Set(deployments.flatMap((one) => one.versions.map(({ tag }) => tag ?? "without a number")))].join(", ")}.`,
    );
  }
  demandReadable(target.tag, newest.tag, releases);
  const tag = target.tag ?? "";
  return {
    tag,
    versions: [{ id: target.id, percentage: 100 }],
    meaning: `${tag} gets all requests, in place of ${newest.tag}`,
  };
}

/** Each release since has to have left what the older one reads. */
function demandReadable(to: string | undefined, from: string | undefined, releases: readonly Release[]): void {
  const at = releases.findIndex(({ version }) => version === to);
  const last = releases.findIndex(({ version }) => version === from);
  const target = releases[at];
  if (!isRelease(to) || !isRelease(from) || target === undefined || last < 0) {
    const unknown = isRelease(to) && target !== undefined ? from : to;
    throw new Refusal(
      `what ${unknown ?? "a version without a number"} reads and stores stands in no table of releases here. Run it from a checkout of the newer one, or name a release: --rollback <version>.`,
    );
  }
  for (const release of releases.slice(at + 1, last + 1)) {
    if (compareVersions(release.readableFrom, target.version) > 0) {
      throw new Refusal(
        `version ${to} can't read what ${release.version} has stored: the oldest that can is ${release.readableFrom}. Nothing was changed.`,
      );
    }
    if (release.objects.join() !== target.objects.join()) {
      throw new Refusal(
        `${release.version} has other classes of objects than ${to}, and Cloudflare goes back past no such change. Nothing was changed.`,
      );
    }
  }
}
