/** Hand out all that a tenant has, page by page: what `importTenant` takes, and transcripts to be read. No key and no secret is in it. */
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import { attempt, problem } from "../../conversation/problem.js";
import type { CopyKey } from "../../stores/tenant-copy.js";
import { type CopiedKind, copiedKinds } from "../../tenancy/copied-kinds.js";
import { readJson } from "../../text/json.js";
import { loaded } from "../../text/lazily.js";
import { act } from "../act.js";
import type { Services } from "../services.js";
import type { Item, Row, Section } from "./imported.js";
import { findTenant, tenantView } from "./tenant-view.js";

/** Of what is written here and read by the import. A change that an older import would misread raises it. */
export const copyFormat = 1;

const copiedItem = () => z.looseObject({ kind: z.string() });
const records = loaded(() => import("./copied-records.js"));

/** Of a page's JSON, so that it goes into one body of an import. */
const mostBytes = 400_000;
/** An import asks the database a few times for each. */
const mostItems = 150;
const rowsAtOnce = 50;
const messagesAtOnce = 5;

export const exportTenant = act("exportTenant", {
  role: "deployment",
  route: {
    method: "get",
    path: "/v1/admin/tenants/{tenantId}/export",
    tag: "Tenants and keys",
    summary: "All that a tenant has, a page at a time, without keys and secrets",
    description:
      "Settings, every version of its resources, vaults, memories with entries and contexts, transcripts of sessions, runs and roundtables as they are read, what they, threads, datasets and chat conversations are stored as (an import goes on with that), and at last limits, webhooks, people and channels. Go on with `nextCursor`, after an interruption too.",
    answer: "A page, and where the next one begins",
    answerName: "TenantCopy",
  },
  input: () => z.object({ tenantId: z.string().max(100), cursor: z.string().max(1_000).optional() }),
  output: () => z.object({ format: z.int(), items: z.array(copiedItem()), nextCursor: z.string().nullable() }),
  run: async (_actor, { tenantId, cursor }, services) => {
    await findTenant(tenantId, services);
    let [place, after] = cursor === undefined ? [0, []] : readCursor(cursor);
    const items: Item[] = [];
    let bytes = 0;
    const all = [...sections, ...(await records()).recordSections];
    for (let section = all[place]; section !== undefined; section = all[place]) {
      const rows = await section(tenantId, after, rowsAtOnce, services);
      for (const [key, item] of rows) {
        bytes += new TextEncoder().encode(JSON.stringify(item)).byteLength;
        if (items.length > 0 && (bytes > mostBytes || items.length >= mostItems)) return pageOf(items, place, after);
        items.push(item);
        after = key;
      }
      // Some sections end with a short page, others with none.
      if (rows.length === 0) [place, after] = [place + 1, []];
    }
    return { format: copyFormat, items, nextCursor: null };
  },
});

const pageOf = (items: readonly Item[], place: number, after: CopyKey) => ({
  ...{ format: copyFormat, items: [...items] },
  nextCursor: btoa(encodeURIComponent(JSON.stringify([place, after]))),
});

const cursorSchema = z.tuple([z.int().min(0), z.array(z.union([z.string(), z.number()]))]);

function readCursor(cursor: string): [number, CopyKey] {
  try {
    return cursorSchema.parse(readJson(decodeURIComponent(atob(cursor))).value);
  } catch {
    throw problem("invalid", "This isn't a cursor of an export. Begin without one.", {
      errors: [{ path: "cursor", message: "isn't one that an export has answered" }],
    });
  }
}

/** In the order in which an import needs them. A cursor names a section by its place: new ones go to the end, that of `recordSections`. */
const sections: readonly Section[] = [
  async (tenantId, after, _limit, services) => {
    if (after.length > 0) return [];
    const { name, settings } = tenantView(await findTenant(tenantId, services), services);
    return [[[1], { kind: "tenant", name, settings }]];
  },
  async (tenantId, after, limit, { copy }) =>
    (await copy.versions(tenantId, after, limit)).map(([key, version]) => [key, { kind: "resource", ...version }]),
  async (tenantId, after, limit, { memory }) =>
    (await memory.ports.memories.vaults(tenantId, String(after[0] ?? ""), limit)).map((vault) => [
      [vault.vaultId],
      { kind: "vault", ...vault },
    ]),
  async (tenantId, after, limit, { memory }) =>
    (await memory.ports.memories.memories(tenantId, {}, String(after[0] ?? ""), limit)).map((one) => [
      [one.memoryId],
      { kind: "memory", ...one },
    ]),
  async (tenantId, after, limit, { copy }) => copy.entries(tenantId, after, limit),
  async (tenantId, after, limit, { copy }) =>
    (await copy.contexts(tenantId, after, limit)).map(([key, context]) => [key, { kind: "context", ...context }]),
  sessionsAndMessages,
  async (tenantId, after, limit, { copy, runs }) =>
    views("run", await copy.ids("runs", tenantId, String(after[0] ?? ""), limit), (id) =>
      runs.describe(tenantId, id, 0),
    ),
  async (tenantId, after, limit, { copy, roundtables }) =>
    views("roundtable", await copy.ids("roundtables", tenantId, String(after[0] ?? ""), limit), (id) =>
      roundtables.describe(tenantId, id, 0),
    ),
  objectsAndParts,
];

type Described = Awaited<ReturnType<Services["runs"]["describe"] | Services["roundtables"]["describe"]>>;

/** One that was deleted meanwhile is named and empty. */
async function views(
  kind: string,
  ids: readonly string[],
  describe: (id: string) => Promise<Described>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const id of ids) {
    const found = await describe(id);
    rows.push([[id], { kind, id, ...(found.ok ? found.value : {}) }]);
  }
  return rows;
}

/** A session, and then its messages; the key says which of it were read. */
async function sessionsAndMessages(
  tenantId: string,
  [current = "", read = -1]: CopyKey,
  _limit: number,
  { copy, sessions }: Services,
): Promise<readonly Row[]> {
  const sessionId = String(current);
  if (sessionId !== "" && Number(read) >= 0) {
    const page = await sessions.messages(tenantId, sessionId, Number(read), messagesAtOnce);
    if (page.ok && page.value.items.length > 0) {
      const { items, next } = page.value;
      return [[[sessionId, next ?? -1], { kind: "messages", sessionId, items }]];
    }
  }
  const [id] = await copy.ids("sessions", tenantId, sessionId, 1);
  if (id === undefined) return [];
  const found = await attempt(() => sessions.describe(tenantId, id));
  const session = found.ok && found.value.ok ? found.value.value : {};
  return [[[id, 0], { kind: "session", sessionId: id, ...session }]];
}

/** An object's state as it is stored, part by part; the key says which one and where in it. */
async function objectsAndParts(
  tenantId: string,
  key: CopyKey,
  _limit: number,
  services: Services,
): Promise<readonly Row[]> {
  const copies = await services.copies();
  let [at = 0, one = "", two = "", ...rest] = key;
  for (let kind = copiedKinds[Number(at)]; kind !== undefined; kind = copiedKinds[Number(at)]) {
    const [part, table, row, character, stamp, digest] = rest;
    const place =
      part === undefined
        ? null
        : {
            part: Number(part),
            table: Number(table),
            row: Number(row),
            at: Number(character),
            stamp: String(stamp),
            ...(digest !== undefined && { digest: String(digest) }),
          };
    const path =
      place === null
        ? await services.copy.nextObject(kind, tenantId, String(one), String(two))
        : [one, two].map(String);
    rest = [];
    if (path === undefined) {
      [at, one, two] = [Number(at) + 1, "", ""];
      continue;
    }
    const names = path.slice(0, hasTwoNames(kind) ? 2 : 1);
    [one = "", two = ""] = path;
    const read = await copies.read(kind, tenantId, names, place);
    // Deleted meanwhile.
    if (read === null) continue;
    const { next, ...state } = read;
    const here = [Number(at), one, two];
    const after =
      next === null ? here : [...here, next.part, next.table, next.row, next.at, next.stamp, next.digest ?? ""];
    const known = next === null ? await namesOf(kind, tenantId, names, services) : {};
    return [[after, { kind: "object", of: kind, tenantId, path: names, ...state, ...known }]];
  }
  return [];
}

const hasTwoNames = (kind: CopiedKind): boolean => kind === "thread" || kind === "conversation";

/** What the import has to know of it beside its state: the caller's id for it, and the chat connections that it names, by their names. */
async function namesOf(kind: CopiedKind, tenantId: string, [one = ""]: readonly string[], services: Services) {
  const { copy, channels, sessions } = services;
  const shownIn = kind === "session" ? await sessions.shownIn(tenantId, one) : undefined;
  const channelId = kind === "conversation" ? one : shownIn?.channelId;
  const channel = channelId === undefined ? undefined : await channels.byId(tenantId, channelId);
  return defined({
    externalId: hasTwoNames(kind) ? undefined : await copy.externalId(tenantId, one),
    channels: channelId === undefined ? undefined : { [channelId]: channel?.name ?? "" },
  });
}
