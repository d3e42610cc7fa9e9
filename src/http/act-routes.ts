/** Routes of acts: what an act says of how it is reached becomes an operation of the document, and a handler that parses, performs and renders. */
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { z } from "zod";
import type { AnyAct, Route } from "../application/act.js";
import { metadataFilter } from "../application/page.js";
import { defined } from "../conversation/defined.js";
import type { ProblemError } from "../conversation/problem.js";
import type { Permission } from "../tenancy/acts.js";
import { readJson } from "../text/json.js";
import { type AppEnv, actorOf } from "./context.js";
import { bodyOf, json, named, newRouter, type Place, placesInOrder, route, wrongInput } from "./routing.js";

/**
 * Adds an act's operations that are written by hand: streams, several of one act, answers of their own.
 * @param addDerived adds the one that the act says itself
 */
type AddRoutes = (router: OpenAPIHono<AppEnv>, addDerived: () => void) => void;

/**
 * The routes of a family's acts, in the order of the list.
 * @param special by an act's name: what is added in place of what is derived
 */
export function routesOf(
  acts: readonly (AnyAct | Permission)[],
  special: Readonly<Record<string, AddRoutes>> = {},
): OpenAPIHono<AppEnv> {
  const router = newRouter();
  for (const act of acts) {
    const addDerived = () => {
      if ("read" in act) addRoute(router, act);
    };
    const add = special[act.act] ?? addDerived;
    add(router, addDerived);
  }
  return router;
}

/** What an act's route is for some of its inputs alone: each kind of resource has routes of its own. */
interface Special {
  /** Fields of the input that the route stands for. */
  readonly given?: Readonly<Record<string, unknown>>;
  readonly output?: z.ZodType | undefined;
  /** What these inputs need. */
  readonly needs?: Permission;
}

/** Adds an operation that performs an act: what it says itself, if anything, or one of several. */
export function addRoute(
  router: OpenAPIHono<AppEnv>,
  act: AnyAct,
  reached = act.route,
  { given = {}, output = act.output?.(), needs = act }: Special = {},
): void {
  if (reached === undefined) return;
  const { method, path, tag, summary, description, shows, other, location, operationId } = reached;
  const { params, query, headers, body, isFiltered } = placesOf(act, reached, given);
  const shown: z.ZodType | undefined =
    shows !== undefined && output instanceof z.ZodObject ? output.shape[shows] : output;
  const status = reached.status ?? (shown === undefined ? 204 : 200);
  const { middleware, ...operation } = route({
    ...{ "x-act": needs.act, method, path, tags: [tag], summary },
    ...defined({ description, operationId }),
    ...(act.role === "deployment" && { security: [{ adminSecret: [] }] }),
    request: defined({ params, query, headers, body: body && bodyOf(reached.bodyShape?.() ?? body, reached.bodyName) }),
    responses: {
      [status]: answerOf(shown, reached),
      ...(other && { [other.status]: answerOf(shown, { ...reached, answer: other.answer }) }),
    },
  });
  router.openAPIRegistry.registerPath(operation);
  const handle = async (c: Context<AppEnv>): Promise<Response> => {
    const queries = singly(c.req.queries());
    const filters = isFiltered ? { metadata: metadataFilter(queries) } : {};
    const sent = { ...queries, ...filters, ...c.req.param(), ...given };
    const inBody = reached.body && { [reached.body]: readJson(c.get("bodyText") ?? "").value };
    const inHeader = reached.ifMatch && { [reached.ifMatch]: c.req.header("if-match") };
    const read = act.read({ ...sent, ...inBody, ...inHeader });
    if (!read.ok) throw refusePart(read.error, reached, params);
    const done = await read.perform(actorOf(c), c.get("services"));
    const answer = shows === undefined ? done : fieldOf(done, shows);
    if (location !== undefined) c.header("location", filled(location, answer));
    if (reached.etag) c.header("etag", filled('"{version}"', answer));
    const now = other !== undefined && fieldOf(done, other.when) === true ? other.status : status;
    if (output === undefined || now === 204) return c.body(null, now);
    return c.body(JSON.stringify(answer), now, { "content-type": "application/json" });
  };
  router.on([method], [path.replaceAll(/\{(\w+)\}/g, ":$1")], ...middleware, handle);
}

/** What of an act's input comes from where. */
function placesOf(act: AnyAct, { path, body, ifMatch }: Route, given: Readonly<Record<string, unknown>>) {
  const input = act.input?.() ?? z.object({});
  if (!(input instanceof z.ZodObject)) throw new TypeError(`The input of ${act.act} has to be an object.`);
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const missing = inPath.filter((name) => !Object.hasOwn(input.shape, name));
  if (missing.length > 0)
    throw new TypeError(`The input of ${act.act} has no ${missing.join(", ")}, which its path names.`);
  const fields = Object.entries(input.shape);
  const params = fields.filter(([name]) => inPath.includes(name));
  const isElsewhere = (name: string) => name === body || name === ifMatch || Object.hasOwn(given, name);
  const query = fields.filter(([name]) => !isElsewhere(name) && !inPath.includes(name));
  const { metadata, ...plain } = Object.fromEntries(query);
  return {
    params: params.length === 0 ? undefined : z.object(Object.fromEntries(params)),
    query:
      query.length === 0 ? undefined : metadata === undefined ? z.object(plain) : z.object(plain).catchall(z.string()),
    headers: ifMatch === undefined ? undefined : z.object({ "if-match": input.shape[ifMatch] }),
    body: body === undefined ? undefined : input.shape[body],
    /** Its query takes `metadata.<name>`, too. */
    isFiltered: metadata !== undefined,
  };
}

function answerOf(output: z.ZodType | undefined, { answer, answerName }: Route) {
  if (output === undefined) return { description: answer };
  return json(answer, answerName === undefined ? output : named(answerName, output));
}

/** The faults of the first part that has some; all that isn't in the path or the body was the query. */
function refusePart({ issues }: z.ZodError, { body, ifMatch }: Route, params: z.ZodObject | undefined): ProblemError {
  const placeOf = ([field]: z.core.$ZodIssue["path"]): Place => {
    if (field === undefined) return "query";
    if (field === body) return "body";
    if (field === ifMatch) return "header";
    return Object.hasOwn(params?.shape ?? {}, field) ? "path" : "query";
  };
  const [first] = placesInOrder.filter((place) => issues.some(({ path }) => placeOf(path) === place));
  const place = first ?? "query";
  const faults = issues.filter(({ path }) => placeOf(path) === place);
  return wrongInput(place, {
    issues: faults.map((issue) => ({ ...issue, path: pathIn(place, issue.path) })),
  });
}

/** A fault's place as its sender knows it: in the body, or by the header's name. */
function pathIn(place: Place, path: z.core.$ZodIssue["path"]): z.core.$ZodIssue["path"] {
  if (place === "body") return path.slice(1);
  return place === "header" ? ["if-match"] : path;
}

/** A parameter that is sent several times is a list. */
function singly(queries: Readonly<Record<string, readonly string[]>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(queries).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
}

/** A path or an ETag with fields of the output in it. */
function filled(path: string, output: unknown): string {
  return path.replace(/\{(\w+)\}/g, (_match, name: string) => String(fieldOf(output, name)));
}

function fieldOf(output: unknown, name: string): unknown {
  return new Map(Object.entries(output ?? {})).get(name);
}
