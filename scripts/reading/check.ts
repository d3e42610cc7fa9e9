/** Whether a pattern takes linear time, whatever text it is given. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { checkSync } from "recheck";
import { type Exception, exceptions, neverRun } from "./exceptions.js";
import type { Construction, Pattern } from "./find.js";

type Shape = Pick<Pattern, "source" | "flags">;

/** One pattern may be thought about for half a minute; most take a tenth of a second. What it finds must not depend on how busy the machine is. */
const limits = { timeout: 30_000, attackTimeout: null, incubationTimeout: null, seedingTimeout: null };

/** What a text can do to a pattern; undefined: nothing. */
export function weakness({ source, flags }: Shape): string | undefined {
  const found = checkSync(source, flags, limits);
  if (found.status === "safe") return undefined;
  if (found.status === "unknown") return "it can't be shown to take linear time; write it simpler";
  const { complexity, attack } = found;
  const degree = complexity.type === "polynomial" ? ` (degree ${complexity.degree})` : "";
  return `it takes ${complexity.type} time${degree} over ${attack.pattern}`;
}

/** The patterns that were shown to be linear before, by digest: showing it again takes minutes for all. */
export class Shown {
  private readonly before: ReadonlySet<string>;
  private readonly now = new Set<string>();

  constructor(private readonly path = "scripts/reading/shown.txt") {
    this.before = new Set(existsSync(path) ? readFileSync(path, "utf8").split("\n") : []);
  }

  /** The weakness of a pattern that wasn't shown to have none. */
  weakness(pattern: Shape): string | undefined {
    const digest = digestOf(pattern);
    if (this.now.has(digest)) return undefined;
    const found = this.before.has(digest) ? undefined : weakness(pattern);
    if (found === undefined) this.now.add(digest);
    return found;
  }

  /** How many patterns had to be looked at anew. */
  get fresh(): number {
    return [...this.now].filter((digest) => !this.before.has(digest)).length;
  }

  write(): void {
    writeFileSync(
      this.path,
      [...this.now]
        .toSorted()
        .map((digest) => `${digest}\n`)
        .join(""),
    );
  }
}

function digestOf({ source, flags }: Shape): string {
  return createHash("sha256").update(`/${source}/${flags}`).digest("hex").slice(0, 16);
}

/** What a file builds of a table is too much to think through as one from this length on; its rows are checked each for itself. */
const unionLength = 500;

/** What is wrong, a line each. */
export function patternFaults(
  {
    literals,
    constructions,
    built,
  }: {
    readonly literals: readonly Pattern[];
    readonly constructions: readonly Construction[];
    readonly built: readonly Pattern[];
  },
  shown: Pick<Shown, "weakness">,
  known: readonly Exception[] = exceptions,
): string[] {
  const evaluated = new Set(built.map(placeOf));
  const covered = known.map((exception) => ({ exception, patterns: coveredBy(exception, { literals, built }) }));
  const harmless = new Set(covered.flatMap(({ patterns }) => patterns));
  return [
    ...[...literals, ...built].flatMap((pattern) => {
      const fault = harmless.has(pattern) ? undefined : shown.weakness(pattern);
      return fault === undefined ? [] : [`${placeOf(pattern)}: ${fault}: ${written(pattern)}`];
    }),
    ...constructions
      .filter((place) => !evaluated.has(placeOf(place)) && !neverRun.includes(place.path))
      .map((place) => `${placeOf(place)}: builds a pattern that nobody looks at; run it in scripts/reading/built.ts`),
    ...covered.flatMap(({ exception: { path, finite }, patterns }) => {
      if (patterns.length === 0)
        return [`${path}: an exception of scripts/reading/exceptions.ts is about nothing there`];
      const endless = finite ? patterns.filter(({ source }) => repeatsWithoutEnd(source)) : [];
      return endless.map((pattern) => `${placeOf(pattern)}: has to end within a bound: ${written(pattern)}`);
    }),
  ];
}

function coveredBy(
  { path, pattern }: Exception,
  { literals, built }: { readonly literals: readonly Pattern[]; readonly built: readonly Pattern[] },
): readonly Pattern[] {
  if (pattern === undefined) return built.filter((one) => one.path === path && one.source.length >= unionLength);
  return literals.filter(
    ({ source, flags, ...one }) => one.path === path && source === pattern.source && flags === pattern.flags,
  );
}

function repeatsWithoutEnd(source: string): boolean {
  return /[*+]|\{\d+,\}/.test(source.replaceAll(/\\./gs, "").replaceAll(/\[[^\]]*\]/g, ""));
}

function written({ source, flags }: Shape): string {
  return `/${source.slice(0, 200)}/${flags}`;
}

function placeOf({ path, line }: Construction): string {
  return `${path}:${line}`;
}
