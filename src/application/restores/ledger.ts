/**
 * The ledger of erasures, handed out and done again: who sets a database back to an earlier time keeps what was erased since, and has it
 * erased once more. Ids alone: what was erased stands nowhere.
 */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { problem } from "../../conversation/problem.js";
import { systemActor } from "../../tenancy/actor.js";
import { type Erasure, erasureSchema, ledgerSince } from "../../tenancy/erasures.js";
import { lazily } from "../../text/lazily.js";
import { act } from "../act.js";
import { everywhere, isHere, servicesAt, servicesOf } from "../home.js";
import { removeThread } from "../memory/thread-removal.js";
import { listOf, pageInput, readPage } from "../page.js";
import { removeRoot, removeSession, removeTenant } from "../removal.js";
import type { Services } from "../services.js";
import { erasePersonsAgain } from "../subjects/erase-again.js";
import { eraseAgain } from "./restore-root.js";

export const erasureView = lazily(() =>
  z.strictObject({
    tenantId: z.string().max(100),
    kind: erasureSchema.shape.kind,
    rootId: z
      .string()
      .max(200)
      .describe(
        "The session, run, roundtable, memory, vault, tenant, key, grant or person of the staff; of an end user the pseudonym.",
      ),
    itemId: z
      .string()
      .max(200)
      .describe("What of it; empty for all of it. Of a person a digest that tells the name to nobody."),
    at: z.iso.datetime({ offset: true }),
  }),
);
type ErasureView = z.infer<ReturnType<typeof erasureView>>;

const since = () =>
  z.iso
    .datetime({ offset: true })
    .describe("To when the database is set back: what was erased before is erased in it.");

export const listErasures = act("listErasures", {
  role: "deployment",
  route: {
    method: "get",
    path: "/v1/admin/erasures",
    tag: "System",
    summary: "What was deleted or erased for good since a time, by its ids",
    description:
      "To be kept before a database is set back, and handed to `POST /v1/admin/erasures` afterwards, page by page, in this order.",
    answer: "A page of the ledger: persons first, then everything else as it was erased",
  },
  input: () => z.object({ ...pageInput(), since: since() }),
  output: () => listOf(erasureView()),
  run: async (_actor, { since: from, ...page }, services) => {
    type Row = ErasureView & { readonly place: string };
    const first = ledgerSince(Date.parse(from));
    const parts = (["persons", "others"] as const).flatMap((of) => everywhere(services).map((one) => ({ of, one })));
    const read = async (place = "0 0", limit: number): Promise<Row[]> => {
      const [part = 0, after = 0] = place.split(" ").map(Number);
      const rows: Row[] = [];
      for (const [at, { of, one }] of parts.entries()) {
        if (at < part || rows.length >= limit) continue;
        const found = await one.restores.ledger(of, first, at === part ? after : 0, limit - rows.length);
        for (const { seq, at: time, ...row } of found)
          rows.push({ ...row, at: new Date(time).toISOString(), place: `${at} ${seq}` });
      }
      return rows;
    };
    const { items, nextCursor } = await readPage(page, read, ({ place }) => place);
    return { items: items.map(({ place: _, ...erasure }) => erasure), nextCursor };
  },
});

export const replayErasures = act("replayErasures", {
  role: "deployment",
  route: {
    method: "post",
    path: "/v1/admin/erasures",
    operationId: "replayAdminErasures",
    tag: "System",
    summary: "Erase once more what was erased since a database's state of now",
    description:
      "After a database was set back. Persons of the page come first, each by a job: while `running` isn't 0, nothing else of the page is done, and it is sent again. What isn't there any more changes nothing, so a page may be sent as often as one likes.",
    body: "ledger",
    answer: "How many of them were done, and how many persons' jobs still run",
    answerName: "ReplayedErasures",
  },
  input: () =>
    z.object({
      ledger: z.strictObject({
        since: since(),
        items: z.array(erasureView()).max(200),
        nextCursor: z.string().nullish(),
      }),
    }),
  output: () =>
    z.object({ replayed: z.int(), running: z.int(), jobs: z.array(z.string()).describe("Those that still run.") }),
  run: async (_actor, { ledger: { items, since: from } }, services) => {
    const strange = items.findIndex(({ tenantId }) => !isHere(tenantId, services));
    if (strange >= 0) {
      const errors = [{ path: `ledger.items.${strange}.tenantId`, message: "lives in no database of this deployment" }];
      throw problem("invalid", "Nothing was erased: this ledger is of another deployment.", { errors });
    }
    const sinceMs = Date.parse(from);
    const due = items
      .map(({ tenantId, at, ...rest }) => ({ tenantId, erasure: { ...rest, at: Date.parse(at) } }))
      .filter(({ erasure }) => erasure.at >= ledgerSince(sinceMs));
    const persons = Map.groupBy(
      due.filter(({ erasure }) => erasure.kind === "subject"),
      ({ tenantId }) => tenantId,
    );
    const jobs: string[] = [];
    let done = 0;
    for (const [tenantId, theirs] of persons) {
      const erasures = theirs.map(({ erasure }) => erasure);
      const running = await erasePersonsAgain(tenantId, erasures, sinceMs, servicesOf(tenantId, services));
      jobs.push(...running);
      done += erasures.length - running.length;
    }
    if (jobs.length > 0) return { replayed: done, running: jobs.length, jobs };
    for (const { tenantId, erasure } of due) {
      if (erasure.kind === "subject") continue;
      await erase(tenantId, erasure, servicesOf(tenantId, services));
      done += 1;
    }
    return { replayed: done, running: 0, jobs: [] };
  },
});

/** Does it as it was done the first time, and notes it; what is gone already is no refusal. */
async function erase(tenantId: string, erasure: Erasure, services: Services): Promise<void> {
  const { rootId, itemId } = erasure;
  const { restores, memory, now } = services;
  const done = { by: recordOf(systemActor(tenantId, "restore")), at: now() };
  const found = async () => memory.ports.memories.find(tenantId, rootId);
  const steps: Readonly<Record<Exclude<Erasure["kind"], "subject">, () => Promise<unknown>>> = {
    tenant: () => removeTenant(tenantId, services, servicesAt(0, services).answers),
    vault: () => memory.deleteVault(tenantId, rootId),
    memory: async () => {
      const one = await found();
      if (one !== undefined) await memory.deleteMemory(one);
    },
    thread: async () => {
      const one = await found();
      if (one !== undefined) await removeThread(one, itemId, memory.ports, done);
    },
    entry: async () => {
      const one = await found();
      if (one !== undefined) await memory.deleteEntry(one, itemId, done);
    },
    session: () => removeSession(tenantId, rootId, services, done),
    message: () => eraseAgain(tenantId, erasure, services),
    run: () => removeRoot(tenantId, { kind: "runs", id: rootId }, services),
    roundtable: () => removeRoot(tenantId, { kind: "roundtables", id: rootId }, services),
    key: () => services.tenants.removeKey(tenantId, rootId, done.by),
    person: async () => (await services.people()).remove(tenantId, rootId, done.by),
    grant: async () => (await services.grants()).revoke(tenantId, rootId, done.by),
  };
  if (erasure.kind === "subject") return;
  await steps[erasure.kind]();
  await restores.noteErasures(tenantId, [erasure]);
}
