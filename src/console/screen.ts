/** What a screen of the console is: one address, who sees it, what it shows, and what its forms do. Its frame, headers and sign-in are `face.tsx`. */
import type { Child } from "hono/jsx";
import type { Act } from "../application/act.js";
import type { SignedIn } from "../application/people/sign-in.js";
import type { Services } from "../application/services.js";
import { issuesOf } from "../conversation/issues.js";
import { type Problem, type ProblemCode, problem } from "../conversation/problem.js";
import type { Actor } from "../tenancy/actor.js";
import type { Permission } from "../tenancy/acts.js";

/** The parts of the navigation, in their order. */
export const navGroups = ["Work", "Evidence", "Set up", "Administration"] as const;

export interface Screen {
  /** Below `/console`, as Hono writes it: `/people`, `/asks/:askId`. */
  readonly path: string;
  /** Its place in the navigation; a screen without one is reached by links. */
  readonly nav?: { readonly label: string; readonly group: (typeof navGroups)[number] };
  /** Whoever may do this act sees it. */
  readonly needs: Permission;
  /** @returns where to go instead, what is shown, or a file */
  readonly show: (visit: Visit) => Promise<View | Response | string>;
  /** What changes with all that its polled parts show, where that is cheaper to know than to show: as long as it is the same, nothing is shown anew. */
  readonly revision?: (visit: Visit) => Promise<string>;
  /** What its forms do, by the value of the button `do` that was pressed. */
  readonly posts?: Readonly<Record<string, Post>>;
}

/** @returns where to go then (with `?done=` and a word that the screen there explains), or what is shown this once */
export type Post = (visit: Visit) => Promise<string | View>;

export interface View {
  readonly title: string;
  readonly body: Child;
  /** Stands before the title of the window: `(3) Inbox`. */
  readonly count?: number;
  /** Takes the width of the window, for a list beside what is open. */
  readonly wide?: boolean;
  /** An address of others where a form of it may lead. */
  readonly formsTo?: string;
  /** What is said above it: what was just done. */
  readonly notice?: string | undefined;
  /** Where it isn't 200. */
  readonly status?: number;
}

/** What people are called, by their ids. */
export type Names = ReadonlyMap<string, string>;

/** Somebody's request for a screen. */
export interface Visit {
  readonly me: SignedIn;
  /** Who acts; of a form with the key under which it is done once, however often it is sent. */
  readonly actor: Actor;
  readonly services: Services;
  readonly url: URL;
  /** What the path names. */
  readonly params: Readonly<Record<string, string>>;
  /** What people of the tenant are called, by their ids; nothing for who may not know it. Looked up once for a page. */
  readonly names: () => Promise<Names>;
  /** Of the page the polled parts alone are looked at. */
  readonly isPoll?: boolean;
  /** What a form sent that was refused, or is to be done. */
  readonly sent?: URLSearchParams;
  /** Why. */
  readonly refused?: Problem;
}

/** A parameter of the address; nothing where it is empty, as a form sends it that wasn't filled in. */
export function query({ url }: Visit, name: string): string | undefined {
  return url.searchParams.get(name)?.trim() || undefined;
}

/** The address's own search with what changes; what was just done isn't said twice. */
export function searchWith({ url }: Visit, changes: Readonly<Record<string, string>> = {}): string {
  const kept = [...url.searchParams].filter(([name, value]) => value !== "" && name !== "done");
  const search = new URLSearchParams(kept);
  for (const [name, value] of Object.entries(changes)) search.set(name, value);
  return search.size === 0 ? "" : `?${search}`;
}

/** What a form sent in a field; empty where it sent none. */
export function sentIn({ sent }: Visit, name: string): string {
  return (sent?.get(name) ?? "").trim();
}

/** What a field of a form begins with: what was sent and refused, or what there is. */
export function fieldValue({ sent }: Visit, name: string, stored = ""): string {
  return sent?.get(name) ?? stored;
}

/** What is wrong with a field of the form, as its act says. @param name the path that the act names, or its last part */
export function faultOf({ refused }: Visit, name: string): string | undefined {
  const isOfField = (path: string): boolean =>
    path === name || path.startsWith(`${name}.`) || path.split(".").at(-1) === name;
  return refused?.errors?.find(({ path }) => isOfField(path))?.message;
}

/** Performs an act with what a form or an address sent. @throws {ProblemError} */
export async function perform<I, R>({ actor, services }: Visit, act: Act<I, R>, input: unknown): Promise<R> {
  const read = act.read(input);
  if (read.ok) return read.perform(actor, services);
  throw problem("invalid", "Something about that isn't right.", { errors: issuesOf(read.error) });
}

/** What went wrong, for people: problems' own texts are for programs, and name routes. */
export const problemWords: Readonly<Record<ProblemCode, string>> = {
  bad_request: "That could not be read.",
  unauthorized: "You are not signed in any more.",
  forbidden: "Your role doesn't allow this.",
  not_found: "That is not there, or not any more.",
  method_not_allowed: "That is not possible here.",
  not_acceptable: "That is not possible here.",
  conflict: "That doesn't go with what is there now. Nothing was changed.",
  idempotency_conflict: "This form was sent before with something else in it. Open the page again.",
  waiting_on_ask: "A question has to be answered first.",
  already_closed: "Somebody has decided this already.",
  claimed: "Somebody else is at this. Nothing was sent: take it over, or leave it to them.",
  on_hold: "A hold keeps it. Change or delete the hold first.",
  precondition_failed: "It was changed meanwhile. Look at it again.",
  too_large: "That is too long.",
  unsupported_media_type: "That could not be read.",
  invalid: "Something about that isn't right. Nothing was changed.",
  too_many_requests: "That was too much at once. Wait a little.",
  queue_full: "Too much is waiting already. Try again in a while.",
  limit_reached: "A limit is reached. Try again later.",
  internal: "Something went wrong here, and has been logged.",
  unavailable: "This is not available now. Try again in a while.",
  limits_unavailable: "This is not available now. Try again in a few seconds.",
};
