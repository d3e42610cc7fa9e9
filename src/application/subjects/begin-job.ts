/** A person's data is handed out, or erased: a job that an object does. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { subjectSchema } from "../../conversation/names.js";
import { need } from "../../conversation/problem.js";
import { newId } from "../../platform/ids.js";
import { batch } from "../../platform/sql.js";
import { insertApart } from "../../stores/audit-log.js";
import type { Actor } from "../../tenancy/actor.js";
import type { RecordedAct } from "../../tenancy/audit.js";
import { authorize } from "../../tenancy/authority.js";
import { type JobDefinition, reasonSchema, subjectJobSchema } from "../../tenancy/subjects.js";
import { act } from "../act.js";
import { claimId } from "../creation.js";
import type { Services } from "../services.js";
import { readOriginals } from "../sessions/turn-for.js";
import { personalDataTag } from "./holds.js";
import { refuseHeld } from "./on-hold.js";

export const exportSubject = act("exportSubject", {
  role: "operator",
  route: {
    method: "post",
    path: "/v1/subjects/{subject}/export",
    tag: personalDataTag,
    summary: "Hand out what there is of an end user, as files (operators)",
    description:
      "As the person saw it: their conversations, runs, roundtables, memories and what they were asked, as JSON lines, a file a kind. The files can be fetched for 24 hours after the job's end. If it is given up (`failed`), ask for it again. With `originals` messages come with what they said before supervisors changed them.",
    body: "request",
    answer: "The job",
    status: 202,
    location: "/v1/subject-jobs/{jobId}",
  },
  input: () =>
    z.object({
      subject: subjectSchema,
      request: z.strictObject({ originals: z.boolean().default(false) }).prefault({}),
    }),
  output: subjectJobSchema,
  run: async (actor, { subject, request: { originals } }, services) => {
    if (originals) need(authorize(actor, readOriginals));
    const definition = { ...(await definitionOf(actor, "export", subject, { originals }, services)), originals };
    const { tenantId, by, at } = definition;
    const about = { kind: "subjects", name: subject };
    const row: RecordedAct = {
      type: "subject.exported",
      decision: "exported",
      actor: by,
      subject: about,
      reasons: [],
      at,
    };
    await batch(services.db, [insertApart(tenantId, `subjects/${subject}`, row)]);
    return services.subjectJobs.begin(definition);
  },
});

export const eraseSubject = act("eraseSubject", {
  role: "admin",
  route: {
    method: "delete",
    path: "/v1/subjects/{subject}",
    tag: personalDataTag,
    summary: "Erase what there is of an end user (admins)",
    description:
      "Their tokens are void at once. A job erases conversations, runs, roundtables, memories, asks, decisions, kept answers and counters, and puts a pseudonym in their name's place in usage and audit. It ends with a receipt; what it has been interrupted in it goes on with. One that fails (`failed`) begins again each hour, and at once by the same request. While a hold names them it is a 409 `on_hold`. Don't write their name into the reason: it stays.",
    body: "request",
    answer: "The job",
    status: 202,
    location: "/v1/subject-jobs/{jobId}",
  },
  input: () => z.object({ subject: subjectSchema, request: z.strictObject({ reason: reasonSchema }) }),
  output: subjectJobSchema,
  run: async (actor, { subject, request: { reason } }, services) => {
    const { tenantId } = actor;
    await refuseHeld(tenantId, { subject }, services);
    // One that has begun goes on, under its pseudonym.
    const begun = await services.subjects.unfinishedErasure({ tenantId, subject });
    const definition = { ...(await definitionOf(actor, "erasure", subject, { reason }, services, begun)), reason };
    await services.readers.revoke(tenantId, subject, definition.by);
    return services.subjectJobs.begin(definition);
  },
});

async function definitionOf(
  actor: Actor,
  kind: JobDefinition["kind"],
  subject: string,
  request: object,
  services: Services,
  id = newId("sjb"),
): Promise<JobDefinition> {
  const { tenantId } = actor;
  const jobId = await claimId(actor, id, [kind, subject, request], services);
  const by = recordOf(actor);
  return { tenantId, jobId, kind, subject, pseudonym: newId("psn"), by, originals: false, at: services.now() };
}
