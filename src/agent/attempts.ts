/**
 * Work whose object died in the middle: when it is tried again, and when it is given up. Pure; the kit of the objects stores the
 * record and asks before each try.
 *
 * Why it died nobody knows: a deploy, a crash of something else in the same process, or the work itself. So it is tried again while
 * nothing else is at work in its process, if that can be had within seconds, and only deaths at which it stood alone make it suspect: it is
 * tried later each time then, and given up. What died beside others goes on soon: else a process that crashes again and again would keep
 * all its conversations waiting for minutes after it is mended.
 */

/** What is kept of work between its tries. Stored by the kit: fields are only ever added. */
export interface AttemptRecord {
  /** Tries since the last progress that ended with the death of the object. */
  readonly deaths: number;
  /** Those of them at which nothing else was at work in the process. */
  readonly deathsAlone: number;
  /** How far the work had come at its last death; any text that changes when a step is done. */
  readonly progress: string;
  /** When it was begun last; milliseconds since the epoch, as all times here. */
  readonly beganAt: number;
  /** What was known of its company when it was begun last. */
  readonly company: Company;
  /** It isn't tried before. */
  readonly retryAt: number;
}

/**
 * Who else was at work in the process when a try began. `alone`: nobody, at a repeated try. `suspect`: work that had died alone,
 * which has to answer for what happens now. `others`: anything else, and any first try.
 */
export type Company = "alone" | "others" | "suspect";

/** Other work in the same process, right now. */
export interface Load {
  readonly works: number;
  /** Those among them that died alone. */
  readonly suspects: number;
  /** Since when the process lives: nobody's patience can have begun before. */
  readonly since: number;
}

/** Work is given up when it has died so often while it stood alone. Its first death is never counted: nobody knew it then. */
export const maxDeathsAlone = 4;
/** And in any case when it has died so often: work that takes down a process which is never empty can't be found otherwise. */
export const maxDeaths = 24;
/** Waited after the first, second, … death beside others, in milliseconds; the last holds from then on. */
const retryWaitsMs = [2_000, 5_000, 10_000] as const;
/** The same after the first, second, … death alone. */
const suspectWaitsMs = [10_000, 60_000, 300_000] as const;
/** How long, beyond its wait and the start of its process, work lets others finish first, after the first, second, … death, in milliseconds; and what died alone. */
const patienceMs = [3_000, 10_000] as const;
const suspectPatienceMs = 30_000;
/** How soon work that lets others finish looks again, in milliseconds. */
const recheckMs = 500;
/** Work that showed itself alive within this time before its first death goes on at once: nothing hung for long. */
const freshMs = 3_000;

export const newAttempt: AttemptRecord = {
  deaths: 0,
  deathsAlone: 0,
  progress: "",
  beganAt: 0,
  company: "others",
  retryAt: 0,
};

export interface Death {
  readonly now: number;
  readonly progress: string;
  /** When the work wrote something last. */
  readonly lastSignAt: number;
  /** In [0, 1). */
  readonly random: number;
}

/**
 * What is known after a death. Waits are spread by a quarter to either side, so that work that died together is tried apart.
 * @example
 * // A turn whose Worker was killed 20 s ago in its first model call waits for two seconds, give or take.
 * afterDeath({ ...newAttempt, beganAt: 0 }, { now: 20_000, progress: "1", lastSignAt: 0, random: 0.5 }).retryAt; // 22_000
 */
export function afterDeath(record: AttemptRecord, { now, progress, lastSignAt, random }: Death): AttemptRecord {
  // Something else that had died before was being tried: this work only stood by.
  if (record.company === "suspect") return { ...record, progress };
  const before = record.progress === progress ? record : { deaths: 0, deathsAlone: 0 };
  const deaths = before.deaths + 1;
  const deathsAlone = before.deathsAlone + (record.company === "alone" ? 1 : 0);
  const mean = deathsAlone > 0 ? nth(suspectWaitsMs, deathsAlone) : nth(retryWaitsMs, deaths);
  const wait = deaths === 1 && now - lastSignAt < freshMs ? 0 : mean * (0.75 + random / 2);
  return {
    ...record,
    deaths,
    deathsAlone,
    progress,
    retryAt: now + Math.round(wait),
  };
}

export type AttemptDecision =
  | { readonly kind: "go"; readonly company: Company }
  | { readonly kind: "later"; readonly at: number }
  | { readonly kind: "given_up" };

/** Whether work may be tried now. */
export function decideAttempt(record: AttemptRecord, load: Load, now: number): AttemptDecision {
  if (record.deathsAlone >= maxDeathsAlone || record.deaths >= maxDeaths) return { kind: "given_up" };
  if (record.retryAt > now) return { kind: "later", at: record.retryAt };
  const beside = load.suspects > 0 ? "suspect" : "others";
  if (record.deaths === 0) return { kind: "go", company: beside };
  if (load.works === 0) return { kind: "go", company: "alone" };
  // A busy process is never empty: work that was patient goes on beside others, and that doesn't count against it.
  const patience = record.deathsAlone > 0 ? suspectPatienceMs : nth(patienceMs, record.deaths);
  if (now >= Math.max(record.retryAt, load.since) + patience)
    return { kind: "go", company: record.deathsAlone > 0 ? "others" : beside };
  return { kind: "later", at: now + recheckMs };
}

function nth(list: readonly number[], count: number): number {
  return list[Math.min(count, list.length) - 1] ?? 0;
}
