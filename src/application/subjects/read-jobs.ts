/** Jobs on people's data: listed, read, and the files of exports. */
import { z } from "zod";
import { problem } from "../../conversation/problem.js";
import { bytesOf } from "../../platform/event-stream.js";
import { subjectJobSchema } from "../../tenancy/subjects.js";
import { act } from "../act.js";
import { listOf, pageInput, readPage } from "../page.js";
import { personalDataTag } from "./holds.js";

export const listSubjectJobs = act("listSubjectJobs", {
  role: "operator",
  route: {
    method: "get",
    path: "/v1/subject-jobs",
    tag: personalDataTag,
    summary: "Exports and erasures of end users' data, newest first (operators)",
    description:
      "Of erasures that have ended it is the register: what was found, erased and left, and who asked for it.",
    answer: "A page of jobs",
  },
  input: () => z.object(pageInput()),
  output: () => listOf(subjectJobSchema()),
  run: ({ tenantId }, page, { subjects }) =>
    readPage(
      page,
      (before, limit) => subjects.jobs(tenantId, before, limit),
      ({ jobId }) => jobId,
    ),
});

export const readSubjectJob = act("readSubjectJob", {
  role: "operator",
  route: {
    method: "get",
    path: "/v1/subject-jobs/{jobId}",
    tag: personalDataTag,
    summary: "One job, as it is now; `waitMs` waits for its end (operators)",
    answer: "The job, with its receipt",
  },
  input: () =>
    z.object({
      jobId: z.string().max(100),
      /** How long its end is waited for, in milliseconds. */
      waitMs: z.coerce.number<string>().int().min(0).max(60_000).default(0),
    }),
  output: subjectJobSchema,
  run: async ({ tenantId }, { jobId, waitMs }, { subjectJobs }) => {
    const job = await subjectJobs.describe(tenantId, jobId, waitMs);
    if (job === undefined) throw noJob();
    return job;
  },
});

/** A file of an export, as it is read. */
export const readSubjectFile = act("readSubjectFile", {
  role: "operator",
  run: async ({ tenantId }, { jobId, kind }: { readonly jobId: string; readonly kind: string }, { subjectJobs }) => {
    const first = await subjectJobs.part(tenantId, jobId, kind, 0);
    if (first === undefined)
      throw problem("not_found", "There is no such file: its job goes on, or it is over 24 hours old.");
    async function* parts() {
      for (let part = first; part !== undefined; part = await subjectJobs.part(tenantId, jobId, kind, part.n)) {
        yield part.body;
      }
    }
    return bytesOf(parts());
  },
});

const noJob = () => problem("not_found", "There is no such job.");
