/** Persons whose erasure a database that was set back knows nothing of: told by the digest in the ledger, and erased by a job once more. */
import { recordOf } from "../../conversation/actor-record.js";
import { sha256Hex } from "../../platform/digest.js";
import { systemActor } from "../../tenancy/actor.js";
import type { Erasure } from "../../tenancy/erasures.js";
import type { JobDefinition } from "../../tenancy/subjects.js";
import type { Services } from "../services.js";
import { subjectDigest, subjectJobPlatform } from "./job-platform.js";

/** Names that are looked through at once. */
const namesAtOnce = 500;
/** How long a request waits for a person's job, in milliseconds. */
const waitMs = 10_000;
/** How often one person is erased again after the same restore. */
const mostJobs = 20;

/**
 * Begins the job of each person that is there again, and waits for it a while.
 * @param since to when the database was set back, in milliseconds since the epoch
 * @returns the jobs that still run
 */
export async function erasePersonsAgain(
  tenantId: string,
  erasures: readonly Erasure[],
  since: number,
  services: Services,
): Promise<string[]> {
  const { subjects } = services;
  const running: string[] = [];
  for (let page = await subjects.subjects(tenantId, "", namesAtOnce); page.length > 0; ) {
    for (const subject of page)
      for (const erasure of erasures) {
        const [salt = ""] = erasure.itemId.split(".");
        if ((await subjectDigest(tenantId, subject, salt)) !== erasure.itemId) continue;
        const jobId = await erasePerson({ tenantId, subject, pseudonym: erasure.rootId }, salt, since, services);
        if (jobId !== undefined) running.push(jobId);
      }
    page = await subjects.subjects(tenantId, page.at(-1) ?? "", namesAtOnce);
  }
  return running;
}

/** @returns the job, while it runs */
async function erasePerson(
  person: Pick<JobDefinition, "tenantId" | "subject" | "pseudonym">,
  replays: string,
  since: number,
  services: Services,
): Promise<string | undefined> {
  const { subjectJobs, readers, now } = services;
  const { tenantId, subject } = person;
  const by = recordOf(systemActor(tenantId, "restore"));
  for (let nth = 0; nth < mostJobs; nth++) {
    // The same for the same request, so that a repetition finds it; another one once more is there than it has left.
    const digits = await sha256Hex(`${replays} ${since} ${nth}`);
    const jobId = `${replays.slice(0, "sjb_".length + 10)}${digits.slice(0, 16)}`;
    const known = await subjectJobs.describe(tenantId, jobId);
    const definition: JobDefinition = { ...person, jobId, kind: "erasure", by, originals: false, at: now(), replays };
    if (known?.status === "completed") {
      if ((await subjectJobPlatform(services).remaining(definition)).length === 0) return undefined;
      continue;
    }
    if (known === undefined || known.status === "failed") {
      await readers.revoke(tenantId, subject, by);
      await subjectJobs.begin(definition);
    }
    const ended = await subjectJobs.describe(tenantId, jobId, waitMs);
    return ended?.status === "completed" ? undefined : jobId;
  }
  return undefined;
}
