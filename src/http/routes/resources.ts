/** Resources: for each kind the same routes, on its own path. */
import { z } from "zod";
import { remoteToolSchema, toolChangeSchema } from "../../agent/remote-tool.js";
import { listOf } from "../../application/page.js";
import { deleteResource } from "../../application/resources/delete-resource.js";
import { listResources } from "../../application/resources/list-resources.js";
import { pinTools } from "../../application/resources/pin-tools.js";
import { putResource } from "../../application/resources/put-resource.js";
import { readResource } from "../../application/resources/read-resource.js";
import {
  compareResourceVersions,
  listResourceVersions,
  readResourceVersion,
  restoreResource,
} from "../../application/resources/resource-versions.js";
import { type ResourceView, readWholeResource, summarised } from "../../application/resources/resource-view.js";
import { readSigningSecret } from "../../application/tenants/read-signing-secret.js";
import { actorRecordSchema } from "../../conversation/actor-record.js";
import { issuesSchema } from "../../conversation/issues.js";
import { type ResourceKind, resourceKinds, resourceNoun, resourceSchemas } from "../../tenancy/resources.js";
import { addRoute } from "../act-routes.js";
import { named, newRouter } from "../routing.js";

/** What every kind has; the kind's own fields stand beside these. */
const storedSchema = named(
  "Stored",
  z.object({
    name: z.string(),
    version: z.int(),
    updatedAt: z.iso.datetime(),
    /** What it names and isn't there, or could be stored and may not work as meant. */
    warnings: issuesSchema.optional(),
  }),
);
/** The tools of a remote MCP server that agents get, and how what it lists by now differs. */
const pinnedSchema = named(
  "PinnedTools",
  z.object({
    tools: z.array(remoteToolSchema),
    listedAt: z.iso.datetime().optional(),
    changes: z.array(toolChangeSchema).optional(),
    /** Names of tools whose description or schema reads like orders to a model. */
    orders: z.array(z.string()).optional(),
  }),
);

/** Of tools alone. */
const pinnedField = z.object({ pinned: pinnedSchema.optional() });

const versionSchema = named(
  "ResourceVersion",
  z.object({ version: z.int(), author: actorRecordSchema.optional(), createdAt: z.iso.datetime() }),
);

const summarySchema = named(
  "ResourceSummary",
  z.object({ name: z.string(), version: z.int(), updatedAt: z.iso.datetime(), description: z.string().optional() }),
);

export const resources = newRouter();

const schemas = new Map<ResourceKind, z.ZodType<ResourceView>>();

for (const kind of resourceKinds) addRoutes(kind);
addRoute(
  resources,
  pinTools,
  {
    method: "post",
    path: "/v1/tools/{name}/pin",
    tag: "Tools",
    summary: "Accept what a remote MCP server lists: the changes that GET shows, or else its list as it is now",
    answer: "Agents get these tools from their next turn on",
  },
  { output: storedResource("tools") },
);
addRoute(resources, readSigningSecret);

/** A resource of a kind as callers read it. */
function storedResource(kind: ResourceKind): z.ZodType<ResourceView> {
  const known = schemas.get(kind);
  if (known !== undefined) return known;
  const stored: z.ZodType<ResourceView> = named(
    `Stored${capital(resourceNoun(kind))}`,
    (kind === "tools" ? storedSchema.and(pinnedField) : storedSchema).and(resourceSchemas[kind]),
  );
  schemas.set(kind, stored);
  return stored;
}

function addRoutes<K extends ResourceKind>(kind: K): void {
  const path = `/v1/${kind}`;
  const onePath = `${path}/{name}`;
  const versionPath = `${onePath}/versions/{version}`;
  const tag = capital(kind);
  const one = article(resourceNoun(kind));
  const given = { kind };
  const output = storedResource(kind);
  // Clients see by name and description what they can name in a request.
  const isSummarised = summarised.includes(kind);
  const shown = isSummarised ? z.union([output, summarySchema]) : output;

  addRoute(
    resources,
    putResource,
    {
      ...{ method: "put", path: onePath, tag, body: "body", bodyShape: () => resourceSchemas[kind] },
      summary: `Store ${one}; a body that differs makes a new version`,
      ...{ ifMatch: "expected", shows: "resource", etag: true },
      answer: "Stored",
      other: { when: "created", status: 201, answer: "Stored for the first time" },
    },
    { given, output },
  );

  const read = { method: "get", path: onePath, tag, summary: `Read ${one}; whole for operators`, etag: true } as const;
  const needs = isSummarised ? readResource : readWholeResource;
  addRoute(
    resources,
    readResource,
    { ...read, answer: "As it counts now; its version is the ETag" },
    { given, output: shown, needs },
  );
  addRoute(
    resources,
    listResources,
    { method: "get", path, tag, summary: `All ${kind}, by name`, answer: `A page of ${kind}` },
    { given, output: listOf(shown), needs: isSummarised ? listResources : readWholeResource },
  );
  addRoute(
    resources,
    listResourceVersions,
    {
      method: "get",
      path: `${onePath}/versions`,
      tag,
      summary: `The versions of ${one} and who stored them, newest first (operators)`,
      answer: "A page of versions",
    },
    { given, output: listOf(versionSchema) },
  );
  addRoute(
    resources,
    readResourceVersion,
    {
      method: "get",
      path: versionPath,
      tag,
      summary: `Read ${one} as it was in a version (operators)`,
      answer: "That version",
    },
    { given, output: versionSchema.and(output) },
  );
  addRoute(
    resources,
    compareResourceVersions,
    {
      method: "get",
      path: `${onePath}/versions/{from}/diff/{to}`,
      tag,
      summary: `What is different between two versions of ${one}, as a unified diff (operators)`,
      answer: "The diff",
    },
    { given },
  );
  addRoute(
    resources,
    restoreResource,
    {
      method: "post",
      path: `${versionPath}/restore`,
      tag,
      summary: `Make an earlier version of ${one} count again, as a new one (operators)`,
      answer: "As it counts now",
      etag: true,
    },
    { given, output },
  );
  addRoute(
    resources,
    deleteResource,
    {
      method: "delete",
      path: onePath,
      tag,
      summary: `Delete ${one}`,
      answer: "It is gone; turns under way keep the version they began with",
    },
    { given },
  );
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function article(one: string): string {
  return `${/^[aeiou]/.test(one) ? "an" : "a"} ${one}`;
}
