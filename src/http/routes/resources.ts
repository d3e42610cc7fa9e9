/** Resources: for each kind the same routes, on its own path. */
import { z } from "zod";
import { deleteResource } from "../../application/resources/delete-resource.js";
import { listResources } from "../../application/resources/list-resources.js";
import { putResource } from "../../application/resources/put-resource.js";
import { readResource } from "../../application/resources/read-resource.js";
import type { ResourceView } from "../../application/resources/resource-view.js";
import { itemName } from "../../conversation/names.js";
import { type ResourceKind, resourceKinds, resourceNouns, resourceSchemas } from "../../tenancy/resources.js";
import { actorOf, unwrap } from "../context.js";
import { json, jsonBody, listOf, named, newRouter, pageQuery, route } from "../routing.js";

const nameParam = z.object({ name: itemName });
/** What every kind has; the kind's own fields stand beside these. */
const storedSchema = named("Stored", z.object({ name: z.string(), version: z.int(), updatedAt: z.iso.datetime() }));

const ifMatch = z.object({
  "if-match": z
    .string()
    .regex(/^(\*|"\d+")$/, 'an ETag as GET gave it, such as "3"')
    .optional(),
});

export const resources = newRouter();

for (const kind of resourceKinds) addRoutes(kind);

function addRoutes<K extends ResourceKind>(kind: K): void {
  const path: string = `/v1/${kind}`;
  const one = resourceNouns[kind];
  const tags = [capital(kind)];
  const stored: z.ZodType<ResourceView> = named(`Stored${capital(one)}`, storedSchema.and(resourceSchemas[kind]));

  resources.openapi(
    route({
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
      method: "get",
      path: `${path}/{name}`,
      tags,
      summary: `Read ${article(one)}`,
      request: { params: nameParam },
      responses: { 200: json("As it counts now; its version is the ETag", stored) },
    }),
    async (c) => {
      const resource = unwrap(await readResource(actorOf(c), { kind, ...c.req.valid("param") }, c.get("services")));
      c.header("etag", `"${resource.version}"`);
      return c.json(resource, 200);
    },
  );

  resources.openapi(
    route({
      method: "get",
      path,
      tags,
      summary: `All ${kind}, by name`,
      request: { query: pageQuery },
      responses: { 200: json(`A page of ${kind}`, listOf(stored)) },
    }),
    async (c) => {
      const query = { kind, ...c.req.valid("query") };
      return c.json(unwrap(await listResources(actorOf(c), query, c.get("services"))), 200);
    },
  );

  resources.openapi(
    route({
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
