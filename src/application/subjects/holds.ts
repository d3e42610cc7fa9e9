/** Holds stored, read, listed, deleted: what they name nobody erases, for whatever reason. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { itemName } from "../../conversation/names.js";
import { problem } from "../../conversation/problem.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import type { Actor } from "../../tenancy/actor.js";
import { type HoldView, holdSchema, holdViewSchema } from "../../tenancy/subjects.js";
import { act } from "../act.js";
import { readPut } from "../as-read.js";
import { doOnce } from "../creation.js";
import { listOf, pageInput, readPage } from "../page.js";
import type { Services } from "../services.js";

export const personalDataTag = "Personal data";

const serverFields = ["version", "createdAt", "updatedAt"];

export const putHold = act("putHold", {
  role: "admin",
  route: {
    method: "put",
    path: "/v1/holds/{name}",
    tag: personalDataTag,
    summary: "Keep what is named from every erasure, until the hold is deleted (admins)",
    description:
      "Sessions, messages, memories and end users that it names are erased by nobody, nor by retention: such requests are a 409 `on_hold`, and erasures under way wait.",
    body: "hold",
    bodyShape: () => holdSchema(),
    shows: "hold",
    answer: "It was changed",
    other: { when: "created", status: 201, answer: "It is new" },
  },
  input: () => z.object({ name: itemName, hold: z.unknown() }),
  output: () => z.object({ created: z.boolean(), hold: holdViewSchema() }),
  run: async (actor, { name, hold: sent }, services) => {
    const hold = await readPut(holdSchema(), sent, { name, serverFields, current: async () => undefined });
    const put = (claim?: WorkClaim) => services.holds.put(actor.tenantId, name, hold, recordOf(actor), claim);
    const created = await doOnce(actor, services, put, async (note) => note === "created");
    return { created, hold: await find(actor, name, services) };
  },
});

export const readHold = act("readHold", {
  role: "admin",
  route: {
    method: "get",
    path: "/v1/holds/{name}",
    tag: personalDataTag,
    summary: "Read a hold (admins)",
    answer: "The hold",
  },
  input: () => z.object({ name: itemName }),
  output: () => holdViewSchema(),
  run: (actor, { name }, services) => find(actor, name, services),
});

export const listHolds = act("listHolds", {
  role: "admin",
  route: {
    method: "get",
    path: "/v1/holds",
    tag: personalDataTag,
    summary: "The tenant's holds, by name (admins)",
    answer: "A page of holds",
  },
  input: () => z.object(pageInput()),
  output: () => listOf(holdViewSchema()),
  run: ({ tenantId }, page, { holds }) =>
    readPage(
      page,
      (after = "", limit) => holds.list(tenantId, after, limit),
      ({ name }) => name,
    ),
});

export const deleteHold = act("deleteHold", {
  role: "admin",
  route: {
    method: "delete",
    path: "/v1/holds/{name}",
    tag: personalDataTag,
    summary: "Delete a hold: what it named can be erased again (admins)",
    description: "Erasures that it stopped go on within an hour.",
    answer: "It is gone",
  },
  input: () => z.object({ name: itemName }),
  run: async (actor, { name }, services) => {
    const done = { by: recordOf(actor), at: services.now() };
    const remove = async (claim?: WorkClaim): Promise<void> => {
      if (!(await services.holds.remove(actor.tenantId, name, done, claim))) throw noHold(name);
    };
    await doOnce(actor, services, remove, async () => {});
  },
});

async function find({ tenantId }: Actor, name: string, { holds }: Services): Promise<HoldView> {
  const found = await holds.get(tenantId, name);
  if (found === undefined) throw noHold(name);
  return found;
}

const noHold = (name: string) => problem("not_found", `There is no hold "${name}".`);
