/** What models cost: the deployment's table of prices, by version. */
import { z } from "zod";
import { actorRecordSchema, recordOf } from "../../conversation/actor-record.js";
import { problem } from "../../conversation/problem.js";
import { type NewPriceTable, priceTableSchema } from "../../model/prices.js";
import type { PriceStore, StoredPrices } from "../../stores/price-store.js";
import type { Actor } from "../../tenancy/actor.js";
import { canonicalJson } from "../../text/json.js";
import { act } from "../act.js";
import { readPut, versionRead } from "../as-read.js";
import { claimRefused, commandedCreation } from "../creation.js";
import { listOf, pageInput, readPage } from "../page.js";
import { copyPrices } from "../system/copy-to-databases.js";

const versionFields = () => ({
  version: z.int(),
  from: z.iso.datetime(),
  currency: z.string(),
  createdAt: z.iso.datetime(),
  author: actorRecordSchema,
});
const pricesView = () => z.object({ ...versionFields(), models: priceTableSchema().shape.models });
const route = { path: "/v1/admin/prices", tag: "Tenants and keys" } as const;

/** A version is never changed: usage was priced by it. */
export const putPrices = act("putPrices", {
  role: "deployment",
  route: {
    method: "put",
    ...route,
    summary: "Say what models cost",
    description:
      "Prices are per million tokens, by the name under which agents name a model. Work that ends from `from` on (from now on, if it isn't given) is priced by this table; what was counted before keeps what it cost. A table that says what counts already makes no new version. A deployment counts in one currency.",
    body: "prices",
    bodyShape: priceTableSchema,
    shows: "prices",
    answer: "The table that counts already",
    answerName: "Prices",
    other: { when: "created", status: 201, answer: "A new version" },
  },
  // The body may be what a GET returned.
  input: () => z.object({ prices: z.unknown() }),
  output: () => z.object({ created: z.boolean(), prices: pricesView() }),
  run: async (actor, { prices: sent }, services) => {
    const serverFields = ["version", "createdAt", "author"];
    const given = await readPut(priceTableSchema(), sent, { name: "", serverFields, current: async () => undefined });
    const store = await services.prices();
    const { created, version } = await storePrices(actor, given, versionRead(sent), { store, now: services.now });
    await copyPrices(services);
    const stored = await store.get(version);
    if (stored === undefined) throw new Error(`the prices of version ${version} are gone`);
    return { created, prices: viewOf(stored) };
  },
});

/** The table that counts, or one of another version. */
const readPrices = act("readPrices", {
  role: "deployment",
  route: {
    method: "get",
    ...route,
    summary: "What models cost now",
    operationId: "getAdminPrices",
    description: "Or what a version says, also of one that holds later.",
    answer: "The table",
    answerName: "Prices",
  },
  input: () => z.object({ version: z.coerce.number<string>().int().min(1).optional() }),
  output: pricesView,
  run: async (_actor, { version }, services) => {
    const store = await services.prices();
    const found = await (version === undefined ? current(store, services.now()) : store.get(version));
    if (found !== undefined) return viewOf(found);
    throw problem(
      "not_found",
      version === undefined
        ? "No prices hold yet. Store some with PUT /v1/admin/prices, or `npm run prices`."
        : `There are no prices of version ${version}. GET /v1/admin/prices/versions lists those there are.`,
    );
  },
});

/** Newest first; those that hold later too. */
const listPriceVersions = act("listPriceVersions", {
  role: "deployment",
  route: {
    method: "get",
    ...route,
    path: "/v1/admin/prices/versions",
    summary: "Who said when what models cost",
    description: "Versions are never changed or deleted. Their prices: `GET /v1/admin/prices?version=`.",
    answer: "A page of versions, newest first",
  },
  input: () => z.object(pageInput()),
  output: () => listOf(z.object({ ...versionFields(), models: z.int().describe("How many it names.") })),
  run: async (_actor, page, services) => {
    const store = await services.prices();
    const read = async (before: string | undefined, limit: number) =>
      (await store.versions(Number(before ?? Number.MAX_SAFE_INTEGER), limit)).map(withTimes);
    return readPage(page, read, ({ version }) => String(version));
  },
});

/** In the order in which the document lists them. */
export const priceActs = [putPrices, readPrices, listPriceVersions];

/** @param readAs the version that the body says it was read as */
async function storePrices(
  actor: Actor,
  given: NewPriceTable,
  readAs: number | undefined,
  { store, now }: { readonly store: PriceStore; readonly now: () => number },
): Promise<{ readonly created: boolean; readonly version: number }> {
  const command = await commandedCreation(actor, given);
  const request = command && { key: `${command.sender} ${command.key}`, hash: command.hash };
  const before = async () => {
    const known = request && (await store.ofRequest(request.key));
    if (known !== undefined && known.hash !== request?.hash) throw claimRefused("other_request");
    return known && { created: true, version: known.version };
  };
  const known = await before();
  if (known !== undefined) return known;

  const counts = await current(store, now());
  if (readAs !== undefined && readAs !== counts?.version)
    throw problem(
      "conflict",
      `The prices were read as version ${readAs}, and ${counts === undefined ? "none count" : `version ${counts.version} counts`} now. Read them again, or leave \`version\` out.`,
    );
  if (counts !== undefined && counts.currency !== given.currency)
    throw problem("invalid", `What was counted so far is in ${counts.currency}: prices have to be in it, too.`, {
      errors: [{ path: "currency", message: `it has to be ${counts.currency}` }],
    });
  const from = given.from === undefined ? now() : Date.parse(given.from);
  const then = await store.tableAt(from);
  const isSame = then !== undefined && canonicalJson(then.models) === canonicalJson(given.models);
  if (isSame && (given.from === undefined || then.from === from)) return { created: false, version: then.version };
  const version = await store.add(given, from, recordOf(actor), request);
  // Sent twice at the same time: the other one was first.
  const made = version === undefined ? await before() : { created: true, version };
  if (made === undefined) throw new Error("the prices were neither stored nor there before");
  return made;
}

async function current(store: PriceStore, at: number): Promise<StoredPrices | undefined> {
  await store.read();
  return store.tableAt(at);
}

function viewOf({ models, ...version }: StoredPrices): z.infer<ReturnType<typeof pricesView>> {
  return { ...withTimes(version), models };
}

function withTimes<T extends { readonly from: number; readonly createdAt: number }>(row: T) {
  return { ...row, from: new Date(row.from).toISOString(), createdAt: new Date(row.createdAt).toISOString() };
}
