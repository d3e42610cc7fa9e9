/** Take what an export handed out: settings, resources with their versions, memories with entries and contexts. Taken again it changes nothing. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { defined } from "../../conversation/defined.js";
import { itemName } from "../../conversation/names.js";
import { ownValue } from "../../conversation/own-value.js";
import { type ProblemIssue, problem } from "../../conversation/problem.js";
import { hiddenSecret, notCarried } from "../../conversation/secret-text.js";
import { forgottenSchema, itemOriginSchema, itemsOfVersion, originsByHand } from "../../memory/context-items.js";
import { type Entry, entrySchema } from "../../memory/entry.js";
import { contextSources, memorySchema, newMemorySchema, standaloneThread } from "../../memory/memory.js";
import { copiedEntryId, ownEntryId, withCopiedIds } from "../../platform/copied-id.js";
import { type ResourceVersion, resourceKinds, resourceSchemas } from "../../tenancy/resources.js";
import { mapSecrets, secretsIn } from "../../tenancy/secrets.js";
import { type SettingsChange, storedSettingsSchema, tenantChangeSchema } from "../../tenancy/tenant.js";
import { canonicalJson, readJson } from "../../text/json.js";
import { lazily, loaded } from "../../text/lazily.js";
import { act } from "../act.js";
import { copyFormat } from "./export-tenant.js";
import { copiedObject, takeObject } from "./import-objects.js";
import { type Into, isErased, type Reader, type Taken } from "./imported.js";
import { findTenant } from "./tenant-view.js";

const records = loaded(() => import("./copied-records.js"));

/** A page of an export, as it is. */
const copyInput = lazily(() =>
  z.strictObject({
    format: z.int(),
    items: z.array(z.record(z.string(), z.unknown())).max(10_000),
    nextCursor: z.string().nullish(),
  }),
);

export const importTenant = act("importTenant", {
  role: "deployment",
  route: {
    method: "post",
    path: "/v1/admin/tenants/{tenantId}/import",
    tag: "Tenants and keys",
    summary: "Take a page of an export into a tenant; taken again it changes nothing",
    description:
      "Pages in the order in which they were exported. Sessions, runs, roundtables, threads, datasets and chat conversations go on where they were, under their ids: what waits for an answer waits here. Transcripts are left out: they were exported to be read. Limits, webhooks (switched off) and people (suspended) are stored where they aren't known here. Keys and secrets are never carried: `warnings` says what has to be stored again.",
    body: "copy",
    answer: "What became of the items",
    answerName: "TenantImport",
  },
  input: () =>
    z.object({
      tenantId: z.string().max(100),
      copy: copyInput(),
    }),
  output: () => z.object({ ...{ stored: z.int(), there: z.int(), leftOut: z.int() }, warnings: z.array(z.string()) }),
  run: async (actor, { tenantId, copy }, services) => {
    if (copy.format !== copyFormat)
      throw wrong([{ path: "format", message: `this deployment reads format ${copyFormat}, not ${copy.format}` }]);
    await findTenant(tenantId, services);
    const known = { ...readers, ...(await records()).recordReaders };
    const parsed = copy.items.map((item, at) => readItem(item, at, known));
    const counts = { stored: 0, there: 0, left_out: 0, for_readers: 0 };
    const warnings = new Set<string>();
    let toInvite = 0;
    for (const take of parsed) {
      const { outcome, warning, isToInvite } = await take({ tenantId, actor, services });
      counts[outcome] += 1;
      if (isToInvite === true) toInvite += 1;
      if (warning !== undefined) warnings.add(warning);
    }
    if (toInvite > 0) warnings.add(`people: ${toInvite} have to be invited again`);
    const { stored, there, left_out: leftOut } = counts;
    return { stored, there, leftOut, warnings: [...warnings] };
  },
});

function wrong(errors: readonly ProblemIssue[]) {
  return problem(
    "invalid",
    "This isn't what an export of a version that is known here has handed out. Nothing was changed.",
    { errors },
  );
}

/** @throws {ProblemError} before anything is changed, for an item that isn't known */
function readItem(
  item: Readonly<Record<string, unknown>>,
  at: number,
  known: Readonly<Record<string, Reader>>,
): (into: Into) => Promise<Taken> {
  const kind = String(item.kind);
  const reader = ownValue(known, kind);
  if (reader === undefined) throw wrong([{ path: `items.${at}.kind`, message: `"${kind}" isn't known here` }]);
  const { data, error } = reader().safeParse(item);
  if (data !== undefined) return data;
  throw wrong(
    error.issues.slice(0, 20).map(({ path, message }) => ({ path: ["items", at, ...path].join("."), message })),
  );
}

/** Of each kind what an item is, made into what takes it. */
const readers: Readonly<Record<string, Reader>> = {
  tenant: () =>
    z
      .object({ settings: z.looseObject({ providers: z.record(z.string(), z.unknown()).default({}) }) })
      .transform(({ settings: { providers, jurisdiction: _, ...given } }, context) => {
        const { data, error } = tenantChangeSchema.safeParse({ settings: given });
        if (error !== undefined) {
          context.addIssue({ code: "custom", message: z.prettifyError(error), path: ["settings"] });
          return z.NEVER;
        }
        return (into: Into) => takeSettings(data.settings ?? {}, Object.keys(providers), into);
      }),
  resource: () =>
    z
      .object({ of: z.enum(resourceKinds), name: itemName, version: z.int().min(1), body: z.looseObject({}) })
      .transform(({ of, name, version, body: shown }, context) => {
        const carried = mapSecrets(shown, (secret) => (secret === hiddenSecret ? notCarried : secret));
        const { data: body, error } = resourceSchemas[of].safeParse(carried);
        if (error !== undefined) {
          context.addIssue({ code: "custom", message: `${of}/${name}: ${z.prettifyError(error)}`, path: ["body"] });
          return z.NEVER;
        }
        return (into: Into) => takeVersion({ kind: of, name, version, body }, into);
      }),
  vault: () =>
    z
      .object({ vaultId: z.string(), title: z.string() })
      .transform(({ vaultId, title }) => async ({ tenantId, services }: Into) => {
        const { memories } = services.memory.ports;
        if (await isErased(tenantId, vaultId, services)) return erasedHere("vault", vaultId);
        const isThere = (await memories.vault(tenantId, vaultId)) !== undefined;
        if (!isThere) await memories.createVault(tenantId, vaultId, title);
        return { outcome: isThere ? "there" : "stored" };
      }),
  memory: () =>
    z
      .object(memorySchema.shape)
      .transform(
        ({ memoryId, vaultId, entryCount: _, createdAt: __, ...memory }) =>
          async ({ tenantId, services }: Into) => {
            for (const id of [vaultId, memoryId])
              if (await isErased(tenantId, id, services)) return erasedHere("memory", memoryId);
            const ids = { tenantId, vaultId, memoryId };
            const made = await services.memory.ports.memories.createMemory(ids, newMemorySchema.parse(memory));
            const isOther = made.memory.memoryId !== memoryId;
            const warning = `memory ${memoryId}: its externalId is that of ${made.memory.memoryId} here; its entries are left out`;
            return { outcome: made.created ? "stored" : "there", warning: isOther ? warning : undefined };
          },
      ),
  entry: () => entrySchema.transform((entry) => (into: Into) => takeEntry(entry, into)),
  entry_place: () => entrySchema.transform((entry) => (into: Into) => takePlace(entry, into)),
  context: () => copiedContext().transform((context) => (into: Into) => takeContext(context, into)),
  object: () => copiedObject().transform((object) => (into: Into) => takeObject(object, into)),
  ...Object.fromEntries(
    ["session", "messages", "run", "roundtable"].map((kind) => [
      kind,
      () => z.looseObject({}).transform(() => async (): Promise<Taken> => ({ outcome: "for_readers" })),
    ]),
  ),
};

async function takeSettings(
  { jurisdiction: _, providers: __, ...settings }: SettingsChange,
  providers: readonly string[],
  { tenantId, actor, services }: Into,
): Promise<Taken> {
  const here = new Map<string, unknown>(Object.entries((await findTenant(tenantId, services)).settings));
  const defaults = new Map<string, unknown>(Object.entries(storedSettingsSchema.parse({})));
  const isSame = (one: unknown, other: unknown): boolean => canonicalJson(one) === canonicalJson(other);
  const others = Object.entries(settings).filter(
    ([name, value]) => value !== undefined && !isSame(value, here.get(name)),
  );
  // What somebody has set here since stays: an import may come again.
  const given = others.filter(([name]) => isSame(here.get(name), defaults.get(name)));
  const kept = others.filter((one) => !given.includes(one)).map(([name]) => name);
  if (given.length > 0) {
    const update = { name: undefined, settings: Object.fromEntries(given) };
    await services.tenants.change(tenantId, update, recordOf(actor));
  }
  const warnings = [
    ...(kept.length > 0 ? [`settings: ${kept.join(", ")} were set here, and stay`] : []),
    ...(providers.length > 0
      ? [`settings.providers: ${providers.join(", ")} have to be stored again, with their keys`]
      : []),
  ];
  const warning = warnings.length > 0 ? warnings.join("; ") : undefined;
  return { outcome: given.length > 0 ? "stored" : "there", warning };
}

function erasedHere(kind: string, id: string): Taken {
  return { outcome: "left_out", warning: `${kind} ${id}: it was deleted here, and what belongs to it is left out` };
}

async function takeVersion(copied: ResourceVersion, { tenantId, actor, services }: Into): Promise<Taken> {
  const { kind, name, version, body } = copied;
  const outcome = await services.resources.copy(tenantId, copied, { by: recordOf(actor) });
  if (outcome === "other")
    return {
      outcome: "left_out",
      warning: `${kind}/${name}: what was stored here stays; version ${version} was left out`,
    };
  const isSecret = secretsIn(body).includes(notCarried);
  return { outcome, warning: isSecret ? `${kind}/${name}: its secrets have to be stored again` : undefined };
}

/** Under an id of its own here: entries of all tenants have others. */
async function takeEntry(entry: Entry, { tenantId, services }: Into): Promise<Taken> {
  const { memories, entries } = services.memory.ports;
  const memory = await memories.find(tenantId, entry.memoryId);
  if (memory === undefined) return { outcome: "left_out" };
  // Erased here, before it was copied or since.
  if (await isErased(tenantId, entry.memoryId, services, entry.entryId)) return { outcome: "left_out" };
  const entryId = await copiedEntryId(tenantId, entry.entryId);
  for (const id of [entry.entryId, ownEntryId(entry.entryId), entryId])
    if ((await entries.row(memory, id)) !== undefined) return { outcome: "there" };
  const { threadId = standaloneThread, seq, expiresAt, recordedAt, supersedes } = entry;
  const record = { ...entry, entryId, threadId };
  const idempotencyKey = threadId === standaloneThread ? `import ${entry.entryId}` : undefined;
  const extra = { idempotencyKey, expiresAt, recordedAt, ...defined({ seq }) };
  const corrected = supersedes && (await copiedEntryId(tenantId, supersedes));
  const isIn = async (): Promise<boolean> => (await entries.row(memory, entryId)) !== undefined;
  if (corrected !== undefined) await entries.correct(memory, corrected, record, extra);
  // What it corrects may have been erased: it stands for itself then. And another one may be at its place.
  if (!(await isIn())) await entries.add(memory, record, extra);
  if (!(await isIn()) && threadId === standaloneThread)
    await entries.add(memory, record, { idempotencyKey, expiresAt, recordedAt });
  return { outcome: "stored" };
}

/** Where one was deleted: what is counted by places goes on. */
async function takePlace(entry: Entry, { tenantId, services }: Into): Promise<Taken> {
  const { memories, entries } = services.memory.ports;
  const memory = await memories.find(tenantId, entry.memoryId);
  if (memory === undefined || entry.seq === undefined) return { outcome: "left_out" };
  const record = { ...entry, entryId: await copiedEntryId(tenantId, entry.entryId), threadId: entry.threadId ?? "" };
  const isThere =
    (await entries.row(memory, entry.entryId)) !== undefined || !(await entries.keepPlace(memory, record, entry.seq));
  return { outcome: isThere ? "there" : "stored" };
}

const copiedContext = lazily(() =>
  z.object({
    ...{ memoryId: z.string(), version: z.int().min(1), document: z.string(), author: z.string() },
    source: z.enum(contextSources).default("person"),
    origins: z.array(itemOriginSchema).optional(),
    forgotten: forgottenSchema.optional(),
    coverage: z.record(z.string(), z.int()).default({}),
    sources: z.array(z.string()).default([]),
    flushKey: z.string().optional(),
    createdAt: z.iso.datetime().optional(),
  }),
);

async function takeContext(
  copied: z.infer<ReturnType<typeof copiedContext>>,
  { tenantId, services }: Into,
): Promise<Taken> {
  const { memories, contexts } = services.memory.ports;
  const memory = await memories.find(tenantId, copied.memoryId);
  if (memory === undefined) return { outcome: "left_out" };
  const base = await contexts.base(memory);
  if (base.version >= copied.version) return { outcome: "there" };
  const renamed = await withCopiedIds(tenantId, JSON.stringify(copied));
  const { document, origins, forgotten, ...context } = copiedContext().parse(readJson(renamed).value);
  // The number of an entry in the store is another one here: all of those versions are taken in again.
  const { after: _, ...lost } = forgotten ?? { entries: [] };
  const itemised =
    origins === undefined ? { origins: originsByHand(document, itemsOfVersion(base)) } : { origins, forgotten: lost };
  const { flushKey, ...stored } = context;
  const put = await contexts.put(memory, {
    ...{ document, expected: base.version, ...stored, ...itemised },
    ...defined({ flushKey }),
  });
  return { outcome: put.kind === "stored" ? "stored" : "left_out" };
}
