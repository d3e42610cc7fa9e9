/** Hand out all that a tenant has, page by page: what `importTenant` takes, and transcripts to be read. No key and no secret is in it. */
import { z } from "zod";
import { attempt, problem } from "../../conversation/problem.js";
import type { CopyKey } from "../../stores/tenant-copy.js";
import { readJson } from "../../text/json.js";
import { act } from "../act.js";
import type { Services } from "../services.js";
import { findTenant, tenantView } from "./tenant-view.js";

/** Of what is written here and read by the import. A change that an older import would misread raises it. */
export const copyFormat = 1;

const copiedItem = () => z.looseObject({ kind: z.string() });
type Item = Readonly<Record<string, unknown>> & { readonly kind: string };
type Row = readonly [CopyKey, Item];
type Section = (tenantId: string, after: CopyKey, limit: number, services: Services) => Promise<readonly Row[]>;

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
      "Settings, every version of its resources, vaults, memories with entries and contexts, and transcripts of sessions, runs and roundtables as they are read. Go on with `nextCursor`, after an interruption too.",
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
    for (let section = sections[place]; section !== undefined; section = sections[place]) {
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

/** In the order in which an import needs them. A cursor names a section by its place: new ones go to the end. */
const sections: readonly Section[] = [
  async (tenantId, after, _limit, services) => {
    if (after.length > 0) return [];
    const { name, settings } = tenantView(await findTenant(tenantId, services));
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
  async (tenantId, after, limit, { copy }) =>
    (await copy.entries(tenantId, after, limit)).map(([key, entry]) => [key, { kind: "entry", ...entry }]),
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
