/** Resources: for each kind the same routes, on its own path. */
import { z } from "zod";
import { remoteToolSchema, toolChangeSchema } from "../../agent/remote-tool.js";
import { deleteResource } from "../../application/resources/delete-resource.js";
import { listResources } from "../../application/resources/list-resources.js";
import { putResource } from "../../application/resources/put-resource.js";
import { readResource } from "../../application/resources/read-resource.js";
import {
  compareResourceVersions,
  listResourceVersions,
  readResourceVersion,
  restoreResource,
  type VersionView,
} from "../../application/resources/resource-versions.js";
import { type ResourceView, summarised } from "../../application/resources/resource-view.js";
import { actorRecordSchema } from "../../conversation/actor-record.js";
import { itemName } from "../../conversation/names.js";
import { type ResourceKind, resourceKinds, resourceNouns, resourceSchemas } from "../../tenancy/resources.js";
import { actorOf, unwrap } from "../context.js";
import { json, jsonBody, listOf, named, newRouter, pageQuery, route } from "../routing.js";

const nameParam = z.object({ name: itemName });
/** What every kind has; the kind's own fields stand beside these. */
const storedSchema = named(
  "Stored",
  z.object({
    name: z.string(),
    version: z.int(),
    updatedAt: z.iso.datetime(),
    /** What it names and isn't there, or could be stored and may not work as meant. */
    warnings: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  }),
);
/** The tools of a remote MCP server that agents get, and how what it lists by now differs. */
const pinnedSchema = named(
  "PinnedTools",
  z.object({
    tools: z.array(remoteToolSchema),
    listedAt: z.iso.datetime().optional(),
    changes: z.array(toolChangeSchema).optional(),
  }),
);

/** Of tools alone. */
const pinnedField = z.object({ pinned: pinnedSchema.optional() });

const versionNumber = z.coerce.number<string>().int().min(1);
const versionParam = nameParam.extend({ version: versionNumber });
const versionSchema = named(
  "ResourceVersion",
  z.object({ version: z.int(), author: actorRecordSchema.optional(), createdAt: z.iso.datetime() }),
);

const summarySchema = named(
  "ResourceSummary",
  z.object({ name: z.string(), version: z.int(), updatedAt: z.iso.datetime(), description: z.string().optional() }),
);

const ifMatch = z.object({
  "if-match": z
    .string()
    .regex(/^(\*|"\d+")$/, 'an ETag as GET gave it, such as "3"')
    .optional(),
});

export const resources = newRouter();

const schemas = new Map<ResourceKind, z.ZodType<ResourceView>>();

for (const kind of resourceKinds) addRoutes(kind);

/** A resource of a kind as callers read it. */
export function storedResource(kind: ResourceKind): z.ZodType<ResourceView> {
  const known = schemas.get(kind);
  if (known !== undefined) return known;
  const stored: z.ZodType<ResourceView> = named(
    `Stored${capital(resourceNouns[kind])}`,
    (kind === "tools" ? storedSchema.and(pinnedField) : storedSchema).and(resourceSchemas[kind]),
  );
  schemas.set(kind, stored);
  return stored;
}

function addRoutes<K extends ResourceKind>(kind: K): void {
  const path: string = `/v1/${kind}`;
  const one = resourceNouns[kind];
  const tags = [capital(kind)];
  const stored = storedResource(kind);
  // Clients see by name and description what they can name in a request.
  const shown = summarised.includes(kind) ? z.union([stored, summarySchema]) : stored;

  resources.openapi(
    route({
      "x-act": "putResource",
      method: "put",
      path: `${path}/{name}`,
      tags,
      summary: `Store ${article(one)}; a body that differs makes a new version`,
      request: { params: nameParam, headers: ifMatch, body: jsonBody(resourceSchemas[kind]) },
      responses: { 200: json("Stored", stored), 201: json("Stored for the first time", stored) },
    }),
    async (c) => {
      const input = {
        kind,
        ...c.req.valid("param"),
        body: resourceSchemas[kind].parse(c.req.valid("json")),
        expected: expectedVersion(c.req.valid("header")["if-match"]),
      };
      const { resource, created } = unwrap(await putResource(actorOf(c), input, c.get("services")));
      c.header("etag", `"${resource.version}"`);
      return c.json(resource, created ? 201 : 200);
    },
  );

  resources.openapi(
    route({
      "x-act": summarised.includes(kind) ? "readResource" : "readWholeResource",
      method: "get",
      path: `${path}/{name}`,
      tags,
      summary: `Read ${article(one)}; whole for operators`,
      request: { params: nameParam },
      responses: { 200: json("As it counts now; its version is the ETag", shown) },
    }),
    async (c) => {
      const resource = unwrap(await readResource(actorOf(c), { kind, ...c.req.valid("param") }, c.get("services")));
      c.header("etag", `"${resource.version}"`);
      return c.json(resource, 200);
    },
  );

  resources.openapi(
    route({
      "x-act": summarised.includes(kind) ? "listResources" : "readWholeResource",
      method: "get",
      path,
      tags,
      summary: `All ${kind}, by name`,
      request: { query: pageQuery },
      responses: { 200: json(`A page of ${kind}`, listOf(shown)) },
    }),
    async (c) => {
      const query = { kind, ...c.req.valid("query") };
      return c.json(unwrap(await listResources(actorOf(c), query, c.get("services"))), 200);
    },
  );

  resources.openapi(
    route({
      "x-act": "listResourceVersions",
      method: "get",
      path: `${path}/{name}/versions`,
      tags,
      summary: `The versions of ${article(one)} and who stored them, newest first (operators)`,
      request: { params: nameParam, query: pageQuery },
      responses: { 200: json("A page of versions", listOf(versionSchema)) },
    }),
    async (c) => {
      const query = { kind, ...c.req.valid("param"), ...c.req.valid("query") };
      return c.json(unwrap(await listResourceVersions(actorOf(c), query, c.get("services"))), 200);
    },
  );

  const version: z.ZodType<ResourceView & VersionView> = versionSchema.and(stored);
  resources.openapi(
    route({
      "x-act": "readResourceVersion",
      method: "get",
      path: `${path}/{name}/versions/{version}`,
      tags,
      summary: `Read ${article(one)} as it was in a version (operators)`,
      request: { params: versionParam },
      responses: { 200: json("That version", version) },
    }),
    async (c) => {
      const ref = { kind, ...c.req.valid("param") };
      return c.json(unwrap(await readResourceVersion(actorOf(c), ref, c.get("services"))), 200);
    },
  );

  resources.openapi(
    route({
      "x-act": "compareResourceVersions",
      method: "get",
      path: `${path}/{name}/versions/{from}/diff/{to}`,
      tags,
      summary: `What is different between two versions of ${article(one)}, as a unified diff (operators)`,
      request: { params: nameParam.extend({ from: versionNumber, to: versionNumber }) },
      responses: { 200: json("The diff", z.object({ from: z.int(), to: z.int(), diff: z.string() })) },
    }),
    async (c) => {
      const pair = { kind, ...c.req.valid("param") };
      return c.json(unwrap(await compareResourceVersions(actorOf(c), pair, c.get("services"))), 200);
    },
  );

  resources.openapi(
    route({
      "x-act": "restoreResource",
      method: "post",
      path: `${path}/{name}/versions/{version}/restore`,
      tags,
      summary: `Make an earlier version of ${article(one)} count again, as a new one (operators)`,
      request: { params: versionParam },
      responses: { 200: json("As it counts now", stored) },
    }),
    async (c) => {
      const ref = { kind, ...c.req.valid("param") };
      const { resource } = unwrap(await restoreResource(actorOf(c), ref, c.get("services")));
      c.header("etag", `"${resource.version}"`);
      return c.json(resource, 200);
    },
  );

  resources.openapi(
    route({
      "x-act": "deleteResource",
      method: "delete",
      path: `${path}/{name}`,
      tags,
      summary: `Delete ${article(one)}`,
      request: { params: nameParam },
      responses: { 204: { description: "It is gone; turns under way keep the version they began with" } },
    }),
    async (c) => {
      unwrap(await deleteResource(actorOf(c), { kind, ...c.req.valid("param") }, c.get("services")));
      return c.body(null, 204);
    },
  );
}

/** What an `If-Match` expects: a version, or that there is one. */
function expectedVersion(ifMatchHeader: string | undefined): number | "any" | undefined {
  if (ifMatchHeader === undefined) return undefined;
  return ifMatchHeader === "*" ? "any" : Number(ifMatchHeader.slice(1, -1));
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function article(one: string): string {
  return `${/^[aeiou]/.test(one) ? "an" : "a"} ${one}`;
}
