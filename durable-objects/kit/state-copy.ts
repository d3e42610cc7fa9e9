/**
 * An object's state as it is stored, for another object: rows of its tables as lines of JSON, and the steps of the schema that made them.
 * What takes them makes the same tables, fills them, and then applies the steps that came since: what is stored is read as it always is.
 */
import { notCarried } from "../../src/conversation/secret-text.js";
import type { ReadPart, StatePart, StatePlace, TakenOutcome, Takeover } from "../../src/gateways/copy-gateway.js";
import { withCopiedIds } from "../../src/platform/copied-id.js";
import { sha256Hex } from "../../src/platform/digest.js";
import { exec } from "../../src/platform/sql.js";
import { mapSecretsBelow } from "../../src/tenancy/secrets.js";
import { isRecord } from "../../src/text/json.js";
import { applySchema, hasSchema, type SchemaStep, tablesOf as tablesOfSteps } from "./schema.js";

type Row = Record<string, SqlStorageValue>;

/** Characters of a part: in any script it goes into one page of an export. */
const partCharacters = 150_000;
/** Of the platform, of the schema itself, and what is there for a moment alone. */
const leftOut = new Set(["schema_steps", "arriving", "zeros", "sqlite_sequence"]);

/** Tells this instance of an object from others: whether anything was written since is known within one. */
export class StateStamp {
  private readonly instance = crypto.randomUUID();

  constructor(private readonly sql: SqlStorage) {}

  now(): string {
    const { changes } = exec<{ changes: number }>(this.sql)`SELECT total_changes() AS changes`.one();
    return `${this.instance} ${changes}`;
  }
}

/** The part that begins at a place; from the beginning where what stands before it isn't what was read any more. */
export async function readState(sql: SqlStorage, place: StatePlace | null, stamp: StateStamp): Promise<ReadPart> {
  const goesOn = place !== null && (place.stamp === stamp.now() || (await isAsRead(sql, place, stamp)));
  const from = goesOn ? place : null;
  const now = stamp.now();
  const read = readPart(sql, from);
  const { next, ...part } = read;
  return { ...part, next: next && { ...next, stamp: now, digest: await digestOf(from?.digest, part.text) } };
}

/** Reads again up to a place. Nothing may be written meanwhile. */
async function isAsRead(sql: SqlStorage, place: StatePlace, stamp: StateStamp): Promise<boolean> {
  const now = stamp.now();
  let at: Position | null = null;
  let digest: string | undefined;
  while ((at?.part ?? 0) < place.part) {
    const read: PartRead = readPart(sql, at);
    if (read.next === null) return false;
    digest = await digestOf(digest, read.text);
    at = read.next;
  }
  const isThere = at?.table === place.table && at.row === place.row && at.at === place.at;
  return isThere && digest === place.digest && stamp.now() === now;
}

/** Of all that was read. */
function digestOf(before: string | undefined, text: string): Promise<string> {
  return sha256Hex(`${before ?? ""} ${text}`);
}

type Position = Omit<StatePlace, "stamp" | "digest">;
type PartRead = Omit<NonNullable<ReadPart>, "next"> & { readonly next: Position | null };

function readPart(sql: SqlStorage, place: Position | null): PartRead {
  const from = place ?? { part: 0, table: 0, row: 0, at: 0 };
  const steps = exec<{ name: string }>(sql)`SELECT name FROM schema_steps ORDER BY position`.toArray();
  const tables = tablesOf(sql);
  const read = { part: from.part, steps: steps.map(({ name }) => name), text: "", hidden: false };
  let { at } = from;
  for (let table = from.table; table < tables.length; table++) {
    const name = tables[table] ?? "";
    let row = table === from.table ? from.row : 0;
    for (const values of sql.exec<Row>(`SELECT * FROM "${name}" LIMIT -1 OFFSET ?`, row)) {
      const shown = withoutSecrets(values);
      read.hidden ||= shown !== values;
      const rest = `${JSON.stringify([name, shown])}\n`.slice(at);
      const room = partCharacters - read.text.length;
      if (rest.length > room) {
        // Not within a character of two units: stored for a moment, it would be lost.
        const isWithin = /[\uD800-\uDBFF]$/.test(rest.slice(0, room));
        const cut = isWithin ? room - 1 : room;
        read.text += rest.slice(0, cut);
        return { ...read, isLast: false, next: { part: from.part + 1, table, row, at: at + cut } };
      }
      read.text += rest;
      at = 0;
      row += 1;
    }
  }
  return { ...read, isLast: true, next: null };
}

/** That of the counters comes last: rows are counted as they are put in. */
function tablesOf(sql: SqlStorage): string[] {
  const named = exec<{ name: string }>(
    sql,
  )`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`.toArray();
  const names = named.map(({ name }) => name);
  const own = names.filter((name) => !leftOut.has(name) && !name.startsWith("_"));
  return names.includes("sqlite_sequence") ? [...own, "sqlite_sequence"] : own;
}

/** Secrets of what was sent along, in columns that hold JSON. @returns the same row where there are none */
function withoutSecrets(row: Row): Row {
  let shown = row;
  for (const [column, value] of Object.entries(row)) {
    if (typeof value !== "string" || !/^[[{]/.test(value) || !/"(?:http|mcp|config)":/.test(value)) continue;
    const json = jsonOf(value);
    const masked = JSON.stringify(mapSecretsBelow(json, () => notCarried));
    if (masked !== JSON.stringify(json)) shown = { ...shown, [column]: masked };
  }
  return shown;
}

/** Nothing where it is a text of somebody's that only begins like JSON. */
function jsonOf(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** A part is kept until the last one has come: until then there is no such object. */
export function stagePart(storage: DurableObjectStorage, { part, text }: StatePart): TakenOutcome {
  const { sql } = storage;
  return storage.transactionSync(() => {
    sql.exec("CREATE TABLE IF NOT EXISTS arriving (part INTEGER PRIMARY KEY, text TEXT NOT NULL)");
    if (part === 0) exec(sql)`DELETE FROM arriving`;
    const { there } = exec<{ there: number }>(sql)`SELECT COUNT(*) AS there FROM arriving`.one();
    if (part > there) return "incomplete";
    exec(sql)`INSERT INTO arriving (part, text) VALUES (${part}, ${text}) ON CONFLICT DO NOTHING`;
    return "part";
  });
}

/** What of a copy has come that nobody has ended. */
export function forgetParts(sql: SqlStorage): void {
  sql.exec("DROP TABLE IF EXISTS arriving");
}

/** What has arrived, under the ids of whom it is for. */
export async function arrivedLines(sql: SqlStorage, { from, to, channels }: Takeover): Promise<string[]> {
  const parts = exec<{ text: string }>(sql)`SELECT text FROM arriving ORDER BY part`.toArray();
  const text = parts.map((part) => part.text).join("");
  const renamed = from === to ? text : await withCopiedIds(to, text, { ...channels, [from]: to });
  return renamed.split("\n").filter((line) => line !== "");
}

/**
 * Makes the tables, as the steps made them that the state came with, and puts the lines in; then the steps that came since. In one write.
 * @param taken is called within it: where it throws, nothing has come
 */
export function putState(
  storage: DurableObjectStorage,
  { steps, lines, known }: { steps: readonly string[]; lines: readonly string[]; known: readonly SchemaStep[] },
  taken: () => void,
): TakenOutcome {
  const { sql } = storage;
  if (steps.some((step) => !known.some(({ name }) => name === step))) return "newer";
  return storage.transactionSync(() => {
    if (hasSchema(sql)) return "there";
    applySchema(
      storage,
      known.filter(({ name }) => steps.includes(name)),
    );
    const made = tablesOf(sql);
    for (const name of made) sql.exec(`DELETE FROM "${name}"`);
    const tables = new Set([...made, ...Object.keys(tablesOfSteps(known))]);
    for (const line of lines) putRow(sql, tables, JSON.parse(line));
    sql.exec("DROP TABLE arriving");
    applySchema(storage, known);
    taken();
    return "stored";
  });
}

function putRow(sql: SqlStorage, tables: ReadonlySet<string>, line: unknown): void {
  const [name, row]: unknown[] = Array.isArray(line) ? line : [];
  if (typeof name !== "string" || !tables.has(name) || !isRecord(row)) throw new UnreadableStateError();
  const columns = Object.entries(row);
  const values = columns.map(([column, value]) => {
    const isValue = value === null || typeof value === "string" || typeof value === "number";
    if (!isValue || !/^[a-z0-9_]+$/.test(column)) throw new UnreadableStateError();
    return value;
  });
  const names = columns.map(([column]) => `"${column}"`).join(", ");
  sql.exec(`INSERT INTO "${name}" (${names}) VALUES (${columns.map(() => "?").join(", ")})`, ...values);
}

export class UnreadableStateError extends Error {
  override readonly name = "UnreadableStateError";
}
