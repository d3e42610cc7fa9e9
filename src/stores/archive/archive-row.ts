/** A row of the audit, as its table has it and as a line of the archive has it: there without names of people and without words. */
import { z } from "zod";
import { actorRecordSchema } from "../../conversation/actor-record.js";
import { hexOf } from "../../platform/bytes.js";
import { sha256Hex } from "../../platform/digest.js";
import { lazily } from "../../text/lazily.js";
import { integer, number, text, textOrNull } from "../columns.js";

/** As it stands in the table. */
export const auditRow = lazily(() =>
  z.object({
    owner_id: text,
    revision: integer,
    at: number,
    turn_id: text,
    hook: text,
    decision: text,
    body: text,
    type: text,
    actor: textOrNull,
  }),
);
export type AuditRow = z.infer<ReturnType<typeof auditRow>>;

/** A line of a segment. A contract with what is stored, and with what seals will be made of: fields are only ever added. */
const lineSchema = lazily(() =>
  z.object({
    n: z.int(),
    at: z.number(),
    /** Its owner's id; `{ref}` of one that is called after somebody. */
    owner: z.union([z.string(), z.object({ ref: z.string() })]),
    revision: z.int(),
    work: z.string().optional(),
    hook: z.string().optional(),
    decision: z.string(),
    type: z.string().optional(),
    /** A record as JSON; `{ref, kind}` of one that names somebody. */
    actor: z.custom<Json>().optional(),
    body: z.custom<Json>(),
  }),
);
type Line = z.infer<ReturnType<typeof lineSchema>>;

export interface ArchivedRow extends AuditRow {
  readonly n: number;
}

/** What a line needs to be read: who and what its references stand for. */
export interface Mapping {
  readonly people: ReadonlyMap<string, string>;
  readonly words: ReadonlyMap<string, string>;
}

/** What is to be stored with a line so that it can be read; nothing of it goes to R2. */
export interface MappedPerson {
  readonly ref: string;
  readonly value: string;
  readonly subject: string | null;
}
export interface MappedWords {
  readonly owner: string;
  readonly ref: string;
  readonly salt: string;
  readonly words: string;
}

/** Fields whose texts people or models have written, or that quote such. */
const wordFields = new Set(["reasons", "wholeReasons", "text", "failed", "skipped", "refused", "about", "keyLabel"]);
/** Owners and subjects of rows that are called after somebody. */
const namedKinds = new Set(["subjects", "people"]);
const erased = "[erased]";

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** What we have written ourselves isn't looked at field by field. */
function parsed(json: string): Json {
  return JSON.parse(json);
}

/** Makes lines of rows, and gathers what has to be stored beside them. */
export class LineWriter {
  readonly people: MappedPerson[] = [];
  readonly words: MappedWords[] = [];
  private readonly refs: Map<string, string>;
  private readonly hashes: Map<string, string>;

  /** @param known references that are stored: of people by what they stand for, of the tenant's own words by those */
  constructor(known: { readonly people: ReadonlyMap<string, string>; readonly words: ReadonlyMap<string, string> }) {
    this.refs = new Map(known.people);
    this.hashes = new Map([...known.words].map(([words, ref]) => [`\0${words}`, ref]));
  }

  async line(row: AuditRow, n: number): Promise<string> {
    const owner = isNamed(row.owner_id.split("/")[0])
      ? { ref: this.person(row.owner_id, afterSlash(row.owner_id)) }
      : row.owner_id;
    const line: Line = {
      n,
      at: row.at,
      owner,
      revision: row.revision,
      ...(row.turn_id === "" ? {} : { work: row.turn_id }),
      ...(row.hook === "" ? {} : { hook: row.hook }),
      decision: row.decision,
      ...(row.type === "supervision" ? {} : { type: row.type }),
      ...(row.actor === null ? {} : { actor: this.actor(parsed(row.actor)) }),
      body: await this.without(parsed(row.body), row.owner_id),
    };
    return JSON.stringify(line);
  }

  private actor(actor: Json): Json {
    const { data } = actorRecordSchema.safeParse(actor);
    if (data === undefined) return actor;
    const isSomebody = data.subject !== undefined || ["person", "token", "channel"].includes(data.kind);
    if (!isSomebody) return actor;
    const { kind, role } = data;
    const ref = this.person(JSON.stringify(actor), data.subject ?? data.id);
    return role === undefined ? { ref, kind } : { ref, kind, role };
  }

  private person(value: string, subject: string): string {
    const known = this.refs.get(value);
    if (known !== undefined) return known;
    const ref = hexOf(crypto.getRandomValues(new Uint8Array(8)));
    this.refs.set(value, ref);
    this.people.push({ ref, value, subject });
    return ref;
  }

  private async hash(words: string, owner: string): Promise<string> {
    const known = this.hashes.get(`${owner}\0${words}`);
    if (known !== undefined) return known;
    const salt = hexOf(crypto.getRandomValues(new Uint8Array(16)));
    const ref = (await sha256Hex(`${salt}${words}`)).slice(0, 24);
    this.hashes.set(`${owner}\0${words}`, ref);
    this.words.push({ owner, ref, salt, words });
    return ref;
  }

  /** The body without words. Reasons of stored rules are the tenant's own, wherever they stand in it. */
  private async without(body: Json, owner: string): Promise<Json> {
    const ofRules = new Set<Json>();
    collectRuleReasons(body, ofRules);
    const words = async (value: Json): Promise<Json> => {
      if (typeof value === "string") return this.hash(value, ofRules.has(value) ? "" : owner);
      return isList(value) ? Promise.all(value.map(words)) : value;
    };
    const walk = async (value: Json): Promise<Json> => {
      if (isList(value)) return Promise.all(value.map(walk));
      if (typeof value !== "object" || value === null) return value;
      const fields = new Map<string, Json>();
      const isOfSomebody = typeof value["kind"] === "string" && isNamed(value["kind"]);
      for (const [name, field] of Object.entries(value)) {
        if (wordFields.has(name)) fields.set(name, await words(field));
        else if (name === "actor") fields.set(name, this.actor(field));
        else if (name === "name" && isOfSomebody && typeof field === "string")
          fields.set(name, { ref: this.person(field, field) });
        else fields.set(name, await walk(field));
      }
      return Object.fromEntries(fields);
    };
    return walk(body);
  }
}

/** Reads a line, with whom and what its references stand for; without that it shows the references. */
export function readLine(line: string, { people, words }: Mapping): ArchivedRow {
  const {
    n,
    at,
    owner,
    revision,
    work = "",
    hook = "",
    decision,
    type = "supervision",
    actor,
    body,
  } = lineSchema().parse(JSON.parse(line));
  const personOf = (value: Json): Json => {
    if (typeof value !== "object" || value === null || isList(value)) return value;
    const { ref, ...shown } = value;
    if (typeof ref !== "string") return value;
    const found = people.get(ref);
    return found === undefined ? { ...shown, id: ref } : parsed(found);
  };
  const wordsOf = (value: Json): Json => {
    if (typeof value === "string") return words.get(value) ?? erased;
    return isList(value) ? value.map(wordsOf) : value;
  };
  const walk = (value: Json): Json => {
    if (isList(value)) return value.map(walk);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, field]): [string, Json] => {
        if (wordFields.has(name)) return [name, wordsOf(field)];
        if (name === "actor") return [name, personOf(field)];
        return [name, name === "name" ? nameOf(field, people) : walk(field)];
      }),
    );
  };
  return {
    n,
    at,
    owner_id: String(nameOf(owner, people)),
    revision,
    turn_id: work,
    hook,
    decision,
    type,
    actor: actor === undefined ? null : JSON.stringify(personOf(actor)),
    body: JSON.stringify(walk(body)),
  };
}

/** The references of people, and of words, in lines: each is looked for once. */
export function refsOf(lines: readonly string[]): { readonly people: string[]; readonly words: string[] } {
  const people = new Set<string>();
  const words = new Set<string>();
  for (const line of lines) {
    for (const [, ref = ""] of line.matchAll(/"ref":"([0-9a-f]{16})"/g)) people.add(ref);
    for (const [ref = ""] of line.matchAll(/(?<=")[0-9a-f]{24}(?=")/g)) words.add(ref);
  }
  return { people: [...people], words: [...words] };
}

function nameOf(value: Json | { ref: string }, people: ReadonlyMap<string, string>): Json {
  if (typeof value !== "object" || value === null || isList(value)) return value;
  const ref = "ref" in value ? String(value.ref) : "";
  return people.get(ref) ?? ref;
}

function collectRuleReasons(value: Json, found: Set<Json>): void {
  if (isList(value)) for (const one of value) collectRuleReasons(one, found);
  else if (typeof value === "object" && value !== null) {
    const { rules, reasons } = value;
    if (rules !== undefined && reasons !== undefined && isList(reasons))
      for (const reason of reasons) found.add(reason);
    for (const one of Object.values(value)) collectRuleReasons(one, found);
  }
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isNamed(kind: string | undefined): boolean {
  return kind !== undefined && namedKinds.has(kind);
}

function afterSlash(owner: string): string {
  return owner.slice(owner.indexOf("/") + 1);
}
