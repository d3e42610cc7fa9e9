/**
 * What an act is: a value that says who may do it, what it takes and returns, how it is reached, and what it does. Nobody performs one but
 * by calling it, which asks for authority first; faces, the API's document, docs/security.md and the tests of authority read the lists of
 * them (`acts.ts` of each family).
 *
 * @example
 * export const readGreeting = act("readGreeting", {
 *   role: "client",
 *   route: { method: "get", path: "/v1/greetings/{name}", tag: "Greetings", summary: "One greeting", answer: "The greeting" },
 *   input: () => z.object({ name: itemName }),
 *   output: () => greetingSchema,
 *   run: async (actor, { name }, services) => need(await services.greetings.get(actor.tenantId, name)),
 * });
 */
import type { z } from "zod";
import { need } from "../conversation/problem.js";
import type { Actor } from "../tenancy/actor.js";
import type { Permission, Requirement, WidenableAct } from "../tenancy/acts.js";
import { authorize } from "../tenancy/authority.js";
import { lazily } from "../text/lazily.js";
import { servicesForAct } from "./home.js";
import type { Services } from "./services.js";

/** How an act is reached over HTTP. Fields of its input that the path names come from there, `body` names the one that is the body, the others are the query. */
export interface Route {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** As OpenAPI writes it: `/v1/asks/{askId}`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly body?: string;
  /** The body as the document has it, where the act reads it itself. */
  readonly bodyShape?: () => z.ZodType;
  /** The field of the input that the header If-Match is. */
  readonly ifMatch?: string;
  /** The name of the body's or the answer's shape in the document, where it isn't one of `http/components.ts`. */
  readonly bodyName?: string;
  readonly answerName?: string;
  /** What the answer is. */
  readonly answer: string;
  /** The field of the output that is answered; without it all of the output. */
  readonly shows?: string;
  /** Of the answer; without it 200, or 204 of an act without output. */
  readonly status?: 200 | 201 | 202;
  /** Another status, where this field of the output is true. */
  readonly other?: { readonly when: string; readonly status: 201 | 202; readonly answer: string };
  /** Where what was made is found: a path with fields of the output in it. */
  readonly location?: string;
  /** The output's version is its ETag. */
  readonly etag?: true;
  /** Where the one that is made of method and path doesn't do. */
  readonly operationId?: string;
}

/** `settings.clientMay` of a tenant can let its clients do it too: `widenableActs` has the name as well. */
type Widening<N> = N extends WidenableAct ? { readonly clientMay: true } : { readonly clientMay?: undefined };

interface Definition<I, R, O> {
  readonly role: Requirement;
  /** An end user's token does it with what is its own subject's. */
  readonly ofSubject?: true | undefined;
  /** People of role reviewer do it, who stand beside the ladder of roles. */
  readonly reviewers?: true | undefined;
  /** How a face makes a route of it; without one its routes are written in the face. */
  readonly route?: Route & { readonly body?: NoInfer<keyof I & string> };
  /** What a face parses before it performs the act. Made when it is first needed. */
  readonly input?: () => z.ZodType<I>;
  readonly output?: () => z.ZodType<unknown, O>;
  /** @throws {ProblemError} for what is refused */
  readonly run: (actor: Actor, input: I, services: Services) => Promise<R>;
}

/** An act of whatever input, as it stands in a list. */
export interface AnyAct extends Permission {
  readonly route?: Route | undefined;
  readonly input?: () => z.ZodType;
  readonly output?: () => z.ZodType;
  /** Parses what a face was sent. */
  readonly read: (sent: unknown) => ReadInput;
}

/** An input that is ready to be performed, or what is wrong with it. */
export type ReadInput<R = unknown> =
  | { readonly ok: true; readonly perform: (actor: Actor, services: Services) => Promise<R> }
  | { readonly ok: false; readonly error: z.ZodError };

export interface Act<I, R> extends AnyAct {
  /** @throws {ProblemError} where the actor may not, or is refused */
  (actor: Actor, input: I, services: Services): Promise<R>;
  readonly read: (sent: unknown) => ReadInput<R>;
}

export function act<N extends string, I, R extends O, O>(
  name: N,
  { run, input, output, ...rest }: Definition<I, R, O> & Widening<N>,
): Act<I, R> {
  const allowed = { act: name, ...rest };
  const perform = async (actor: Actor, given: I, services: Services): Promise<R> => {
    need(authorize(actor, allowed));
    return run(actor, given, servicesForAct(actor.tenantId, given, services));
  };
  const schema = input && lazily(input);
  const read = (sent: unknown): ReadInput<R> => {
    if (schema === undefined) throw new TypeError(`The act ${name} has no input that a face could read.`);
    const { data, error } = schema().safeParse(sent);
    if (error !== undefined) return { ok: false, error };
    return { ok: true, perform: (actor, services) => perform(actor, data, services) };
  };
  return Object.assign(perform, {
    ...allowed,
    read,
    ...(schema && { input: schema }),
    ...(output && { output: lazily(output) }),
  });
}

/** What an act asks for beside itself, for a part of what it takes or shows. */
export function permission<N extends string>(
  name: N,
  definition: Pick<Permission, "role" | "ofSubject" | "reviewers"> & Widening<N>,
): Permission {
  return { act: name, ...definition };
}
