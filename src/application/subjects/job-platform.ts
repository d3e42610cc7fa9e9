/** What the object of a job does with a person's data: a slice at a time, each of which can be done again. */
import { defined } from "../../conversation/defined.js";
import { sha256Hex } from "../../platform/digest.js";
import { tellFailing } from "../../stores/tenant-events.js";
import { limitEventsRoot } from "../../tenancy/limits/events.js";
import type { Failure, JobDefinition, SubjectJob } from "../../tenancy/subjects.js";
import type { Services } from "../services.js";
import type { ErasedSlice, ExportedSlice } from "./kind.js";
import { subjectKinds } from "./kinds.js";

export interface SubjectJobPlatform {
  /** The kinds that a job goes through, in their order. */
  readonly kinds: (job: JobDefinition) => readonly string[];
  /** The holds that stop it now. */
  readonly holds: (job: JobDefinition) => Promise<readonly string[]>;
  readonly count: (job: JobDefinition, kind: string) => Promise<number>;
  /** The kinds of which something is there after all: it came while the others were dealt with. */
  readonly remaining: (job: JobDefinition) => Promise<readonly string[]>;
  readonly erase: (job: JobDefinition, kind: string, from: string) => Promise<ErasedSlice>;
  readonly export: (job: JobDefinition, kind: string, from: string) => Promise<ExportedSlice>;
  /** Stores the copy of a job that goes on, or of an export. */
  readonly copy: (job: JobDefinition, shown: SubjectJob) => Promise<void>;
  /** Ends an erasure for everybody else. */
  readonly erased: (job: JobDefinition, shown: SubjectJob) => Promise<void>;
  /** Tells webhooks of one that fails. */
  readonly tellFailing: (job: JobDefinition, failure: Failure, retryAt: string | undefined) => Promise<void>;
  /** What has to be left for an hour goes: no token is older then. */
  readonly unrevoke: (job: JobDefinition) => Promise<void>;
  /** The files of an export are gone. */
  readonly expired: (job: JobDefinition) => Promise<void>;
}

export function subjectJobPlatform(services: Services): SubjectJobPlatform {
  const kindOf = (name: string) => {
    const found = subjectKinds.find(({ kind }) => kind === name);
    if (found === undefined) throw new TypeError(`no kind of personal data is called ${name}`);
    return found;
  };
  return {
    kinds: ({ kind }) =>
      subjectKinds.filter((one) => kind === "erasure" || one.export !== undefined).map((one) => one.kind),
    // What was erased when nothing held it, a hold that came back with the database of before doesn't keep.
    holds: async ({ tenantId, subject, replays }) =>
      replays === undefined ? services.holds.holding(tenantId, { subject }) : [],
    count: (job, kind) => kindOf(kind).count(job, services),
    remaining: async (job) => {
      const left: string[] = [];
      for (const { kind, isShared, count } of subjectKinds) {
        if (isShared !== true && (await count(job, services)) > 0) left.push(kind);
      }
      return left;
    },
    erase: (job, kind, from) => kindOf(kind).erase(job, from, services),
    export: async (job, kind, from) => (await kindOf(kind).export?.(job, from, services)) ?? { lines: [] },
    copy: ({ tenantId, subject }, shown) => services.subjects.putJob(tenantId, subject, shown),
    erased: async (job, shown) => {
      const { tenantId, jobId, subject, pseudonym, replays } = job;
      const found = shown.receipt.reduce((sum, line) => sum + line.found, 0);
      const left = shown.receipt.reduce((sum, line) => sum + line.left, 0);
      await services.subjects.finished(job, shown, {
        digest: await subjectDigest(tenantId, subject, replays ?? jobId),
        at: services.now(),
        data: { jobId, pseudonym, found, left },
      });
      await services.subjects.forgetNames(job);
      await services.sendWebhookJobs([{ tenantId, rootId: limitEventsRoot, inMs: 0 }]);
    },
    tellFailing: async ({ tenantId, jobId, kind }, failure, retryAt) => {
      await tellFailing(
        services.db,
        tenantId,
        { job: kind, jobId, ...failure, ...defined({ retryAt }) },
        services.now(),
      );
      await services.sendWebhookJobs([{ tenantId, rootId: limitEventsRoot, inMs: 0 }]);
    },
    unrevoke: async (job) => {
      await services.subjects.unrevoke(job);
    },
    expired: ({ tenantId, jobId }) => services.subjects.forgetJob(tenantId, jobId),
  };
}

/** Tells a subject in a copy of before, and nobody the subject who doesn't know them: the job's id is its salt. */
export async function subjectDigest(tenantId: string, subject: string, salt: string): Promise<string> {
  return `${salt}.${await sha256Hex(`${tenantId} ${salt} ${subject}`)}`;
}
