/** What is held of an end user: shown, handed out, erased; and the register of both. */
import { mkdirSync } from "node:fs";
import type { Conclave, Schemas } from "../client/index.js";
import { type Command, flag, type Options, text } from "./command.js";
import { allPages, CommandError, placeOf, progressOf, show } from "./place.js";
import { fileNamed, writePrivately } from "./private-file.js";

export const subjects: Command = {
  name: "subjects",
  takes: ["<list|show|export|delete>", "[subject]", "[folder]"],
  description: "what is held of an end user: show, export into a folder, delete; list is what was exported and erased",
  about:
    "An erasure is for good, and waits where a hold keeps it; what is exported is files of JSON lines that only you read.",
  examples: {
    "conclave subjects show ida": "how much is held of her",
    "conclave subjects export ida handed-out --originals":
      "all of it, and what she wrote before supervisors changed it",
    'conclave subjects delete ida --yes --reason "asked by letter"': "erase it",
    "conclave subjects list": "what was exported and erased",
  },
  options: {
    originals: flag("export also what messages said before supervisors changed them"),
    reason: text("why it is deleted: stays on record, so no names"),
    yes: flag("delete without being asked"),
  },
  run: async (options, what = "", subject, folder) => {
    const { conclave } = placeOf(options);
    if (what === "list") return list(conclave, options);
    if (subject === undefined) throw new CommandError(`whom? \`conclave subjects ${what} <subject>\``);
    switch (what) {
      case "show":
        return showHeld(conclave, options, subject);
      case "export":
        if (folder === undefined)
          throw new CommandError("into which folder? `conclave subjects export <subject> <folder>`");
        return handOut(conclave, options, subject, folder);
      case "delete":
        return erase(conclave, options, subject);
      default:
        throw new CommandError(`"${what}" can't be done with subjects: list, show, export or delete can`);
    }
  },
};

async function list(conclave: Conclave, options: Options): Promise<0> {
  const items = await allPages((page) => conclave.api.personalData.listSubjectJobs(page), 100);
  const lines = items.map(({ jobId, kind, status, subject, pseudonym, createdAt }) =>
    [createdAt, jobId, kind, status, subject ?? pseudonym ?? ""].join("  ").trimEnd(),
  );
  show(options, items, items.length === 0 ? ["nothing was exported or erased"] : lines);
  return 0;
}

async function showHeld(conclave: Conclave, options: Options, subject: string): Promise<0> {
  const held = await conclave.api.personalData.getSubject({ subject });
  show(options, held, [
    ...Object.entries(held.counts).map(([kind, count]) => `${kind}: ${count}`),
    ...held.holds.map((hold) => `kept by the hold ${hold}`),
  ]);
  return 0;
}

async function handOut(conclave: Conclave, options: Options, subject: string, folder: string): Promise<0> {
  const body = options.originals === true ? { originals: true } : {};
  const job = await ended(conclave, options, await conclave.api.personalData.exportSubject({ subject, body }));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const written: string[] = [];
  for (const { kind } of job.files ?? []) {
    const answer = await conclave.api.personalData.getSubjectJobFile({ jobId: job.jobId, kind });
    const path = fileNamed(folder, kind, "jsonl");
    writePrivately(path, await answer.text());
    written.push(path);
  }
  show(options, { job, written }, [...written.map((path) => `wrote ${path}`), `${written.length} files`]);
  return 0;
}

async function erase(conclave: Conclave, options: Options, subject: string): Promise<0> {
  if (options.yes !== true) {
    const { counts } = await conclave.api.personalData.getSubject({ subject });
    const held = Object.entries(counts).flatMap(([kind, count]) => (count === 0 ? [] : [`${count} ${kind}`]));
    throw new CommandError(
      `${held.length === 0 ? "nothing" : held.join(", ")} would be erased for good: say --yes to do that. Nothing was changed`,
    );
  }
  const reason = typeof options.reason === "string" ? options.reason : "asked for at the command line";
  const job = await ended(
    conclave,
    options,
    await conclave.api.personalData.deleteSubject({ subject, body: { reason } }),
  );
  show(options, job, [
    ...job.receipt.map(
      ({ kind, erased, left, why }) =>
        `${kind}: ${erased ?? 0} erased, ${left} left${why === undefined ? "" : ` (${why})`}`,
    ),
    `${job.jobId} is ${job.status}`,
  ]);
  return 0;
}

/** The job at its end. @throws {CommandError} for one that a hold stops, or that was given up */
async function ended(
  conclave: Conclave,
  options: Options,
  begun: Schemas["SubjectJob"],
): Promise<Schemas["SubjectJob"]> {
  const progress = progressOf(options);
  let job = begun;
  while (job.status === "running") {
    progress(`${job.jobId} runs`);
    job = await conclave.api.personalData.getSubjectJob({ jobId: job.jobId, waitMs: 30_000 });
  }
  progress("");
  if (job.status === "on_hold") {
    throw new CommandError(`${job.jobId} waits until it is released: ${(job.holds ?? []).join(", ")} hold it`);
  }
  if (job.status === "failed") {
    const again = job.retryAt === undefined ? "" : `, and it begins again by itself at ${job.retryAt}`;
    throw new CommandError(`${job.jobId} failed in ${job.failure}. The same command begins it again at once${again}`);
  }
  return job;
}
