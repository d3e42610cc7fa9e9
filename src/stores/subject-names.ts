/** Under which names a person stands in rows of D1, and how another name takes their place. */
import { type Sql, sql } from "../platform/sql.js";
import { tokenIdOf } from "../tenancy/actor.js";

export interface SubjectRef {
  readonly tenantId: string;
  readonly subject: string;
}

/** Rows of the audit of what they did; the index wants it said as it says it. */
export function actsOf({ tenantId, subject }: SubjectRef): Sql {
  return sql`tenant_id = ${tenantId} AND json_extract(actor, '$.subject') IS NOT NULL
    AND json_extract(actor, '$.subject') = ${subject}`;
}

export const withoutReasons = sql`body = CASE WHEN json_type(body, '$.steps') IS NULL THEN json_set(body, '$.reasons', json_array())
  ELSE json_set(body, '$.reasons', json_array(), '$.steps', (SELECT json_group_array(
    json_set(value, '$.reasons', json_array())) FROM json_each(body, '$.steps'))) END`;

export function renamedActor(subject: string, pseudonym: string): Sql {
  return sql`actor = CASE WHEN json_extract(actor, '$.subject') = ${subject}
    THEN json_set(actor, '$.subject', ${pseudonym}, '$.id', CASE json_extract(actor, '$.kind')
      WHEN 'token' THEN ${tokenIdOf(pseudonym)} WHEN 'channel' THEN ${pseudonym} ELSE json_extract(actor, '$.id') END)
    ELSE actor END`;
}

/** The keys of what their tokens send: `token tok:ana …`, and no other's. */
export function keysOf({ subject }: SubjectRef): readonly [from: string, to: string] {
  const own = `token ${tokenIdOf(subject)}`;
  return [`${own} `, `${own}!`];
}

export function sendersOf({ subject }: SubjectRef): string[] {
  return [`token ${tokenIdOf(subject)}`, ...idsOf(subject).map((id) => `channel ${id}`)];
}

/** How a person is called who acts by a channel: by their subject, but for the generic one's, which is the application's. */
export function idsOf(subject: string): string[] {
  return [subject, `generic:${subject}`];
}

/** What limits count apart for a person: for them, and for who sends in their name. */
export function scopesOf(subject: string): string[] {
  return [`subject ${subject}`, ...[tokenIdOf(subject), ...idsOf(subject)].map((id) => `key ${id}`)];
}

/** As SQLite orders texts: by their bytes in UTF-8. */
export function byBytes(a: string, b: string): number {
  const [one, other] = [new TextEncoder().encode(a), new TextEncoder().encode(b)];
  const at = one.findIndex((byte, place) => byte !== other[place]);
  return at < 0 ? one.length - other.length : (one[at] ?? 0) - (other[at] ?? -1);
}
