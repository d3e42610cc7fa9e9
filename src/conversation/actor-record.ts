/** Who did something, as records hold it: in asks, versions, passes and the audit. What a record belongs to says the tenant. */
import { z } from "zod";
import { defined } from "./defined.js";

/** Roles in growing order of what they may do. */
export const keyRoles = ["client", "operator", "admin"] as const;
export type KeyRole = (typeof keyRoles)[number];
/** An end user is below all keys. */
export const roles = ["user", ...keyRoles] as const;
export type Role = (typeof roles)[number];
/** What people may be, who sign in to the console. */
export const personRoles = ["admin", "operator", "reviewer"] as const;
/** A reviewer stands beside the ladder: people alone are, and do the acts that say so (`reviewers`). */
export const actorRoles = [...roles, "reviewer"] as const;

export const actorKinds = ["person", "key", "token", "channel", "supervisor", "agent", "deadline", "system"] as const;

export const actorRecordSchema = z.object({
  kind: z.enum(actorKinds),
  /** The person's or key's id, the supervisor's name, of a deadline the id of its ask: what distinguishes actors of one kind. */
  id: z.string(),
  /** Of people and programs: by which role they did it. */
  role: z.enum(actorRoles).optional(),
  /** The end user on whose behalf it was done. */
  subject: z.string().optional(),
  /** Of the holder of a token: the key that it was minted with. */
  mintedBy: z.string().optional(),
});
export type ActorRecord = Readonly<z.infer<typeof actorRecordSchema>>;

/** An actor without what its record doesn't hold. */
export function recordOf({ kind, id, role, subject, mintedBy }: ActorRecord): ActorRecord {
  return { kind, id, ...defined({ role, subject, mintedBy }) };
}

/** Whose key and which end user it was, as limits and usage count. */
export function callerOf({ kind, id, mintedBy, subject }: ActorRecord): { keyId?: string; subject?: string } {
  return defined({ keyId: kind === "key" ? id : mintedBy, subject });
}

const formerAuthor = /^(person|key|token|supervisor|system) (.+)$/;

/**
 * Reads an author as a row holds it: a record as JSON, or the text of versions before (`key key_01k…`, `supervisor a, supervisor b`,
 * `agent`, `supervision`). What doesn't say who it was gives nothing.
 */
export function readAuthor(stored: string): ActorRecord | undefined {
  if (stored.startsWith("{")) return actorRecordSchema.parse(JSON.parse(stored));
  const [, kind, id = ""] = formerAuthor.exec(stored) ?? [];
  if (kind !== undefined) return actorRecordSchema.parse({ kind, id: id.replaceAll(", supervisor ", ", ") });
  if (stored === "agent") return { kind: "agent", id: "" };
  return stored === "supervision" ? { kind: "supervisor", id: "" } : undefined;
}

/** An author in the records of versions before, where it was a text. */
export const storedAuthorSchema = z.union([actorRecordSchema, z.string().transform(readAuthor)]).optional();

/** The author as one text, which {@link readAuthor} understands: what digests are made of. */
export function authorText(author: ActorRecord | undefined): string {
  if (author === undefined) return "user";
  const { kind, id } = author;
  if (id === "") return kind === "supervisor" ? "supervision" : kind;
  return kind === "supervisor" ? `supervisor ${id.replaceAll(", ", ", supervisor ")}` : `${kind} ${id}`;
}
