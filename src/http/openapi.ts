/** The OpenAPI document and the site: the pages of the documentation, and the document as pages. All of it is read from assets. */
import type { Context } from "hono";
import { z } from "zod";
import { ownValue } from "../conversation/own-value.js";
import { problem } from "../conversation/problem.js";
import { documentationIsPublic, readerAuth } from "./auth.js";
import type { AppEnv } from "./context.js";
import type { LoadedFace } from "./face.js";
import { MadeOnce } from "./made-once.js";
import { json as jsonAnswer, newRouter, route } from "./routing.js";
import { type ReadText, Site } from "./site/site.js";

const tags = ["System"];
const pageHeaders = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  vary: "accept",
};
/** What the pages are made of beside texts. A drawing has its colours for light and dark in itself. */
const files: Readonly<Record<string, { readonly type: string; readonly policy?: string }>> = {
  css: { type: "text/css; charset=utf-8" },
  png: { type: "image/png" },
  svg: { type: "image/svg+xml", policy: "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'" },
};
const shapeSchema = z.record(z.string(), z.unknown());
const html = { "text/html": { schema: z.string() } } as const;
const unchanged = { 304: { description: "It is what the request's If-None-Match names" } } as const;
const pageContent = { ...html, "text/markdown": { schema: z.string() } } as const;

function noSuchPage() {
  return problem("not_found", "There is no such page; /docs lists all there are.");
}

function textsOf(c: Context<AppEnv>): ReadText {
  return async (file) => {
    const found = await c.get("services").readPage(file);
    return found === undefined ? undefined : new TextDecoder().decode(found);
  };
}

/** They change with the deployment alone. What is for those who have a key is in no cache that others share. */
function cacheable(c: Context<AppEnv>): string {
  return `${documentationIsPublic(c) ? "public" : "private"}, max-age=300`;
}

/** Whoever has it is told so, without it. A cache that packs texts weakens their tags. */
function isKnown(c: Context<AppEnv>, etag: string): boolean {
  const known = (c.req.header("if-none-match") ?? "").slice(0, 1_000).split(",");
  return known.some((one) => one.trim().replace(/^W\//, "") === etag);
}

/** Of what `scripts/make-assets.ts` writes. */
async function generated(read: ReadText, file: string): Promise<string> {
  const text = await read(`docs/generated/${file}`);
  if (text === undefined) throw new Error(`docs/generated/${file} isn't there: node scripts/assets.mjs makes it`);
  return text;
}

/**
 * `/openapi.json`; `/docs`, the site's first page; `/docs/{page}`, what errors link to; `/docs/api`, the document as pages.
 */
function documentation(): LoadedFace {
  const app = newRouter();
  app.use(readerAuth);
  let document: MadeOnce | undefined;
  const documentOf = async (read: ReadText): Promise<MadeOnce> => {
    if (document !== undefined) return document;
    const text = await generated(read, "openapi.json");
    document = new MadeOnce(() => text);
    return document;
  };
  const site = new Site(async (read) => (await (await documentOf(read)).read()).text);

  app.openapi(
    route({
      "x-act": "anybody",
      method: "get",
      path: "/openapi.json",
      operationId: "getOpenApiDocument",
      tags,
      summary: "The OpenAPI document",
      security: [],
      responses: { 200: jsonAnswer("The document", shapeSchema), ...unchanged },
    }),
    async (c) => {
      const { text, etag } = await (await documentOf(textsOf(c))).read();
      const headers = { etag, "cache-control": cacheable(c) };
      if (isKnown(c, etag)) return c.body(null, 304, headers);
      return c.body(text, 200, { ...headers, "content-type": "application/json" });
    },
  );

  app.openapi(
    route({
      "x-act": "anybody",
      method: "get",
      path: "/schemas/{file}",
      operationId: "getConfigSchema",
      tags,
      summary: "The JSON Schema of a kind's files, for editors",
      description:
        "`agents.json`, and so on for each kind, `limits.json`, `webhooks.json`, `channels.json` and `settings.json`: what a file of docs/configuration.md holds. Named in its first line (`# yaml-language-server: $schema=…`) an editor completes and checks it.",
      security: [],
      request: { params: z.object({ file: z.string().max(100) }) },
      responses: { 200: jsonAnswer("The schema", shapeSchema) },
    }),
    async (c) => {
      const kind = c.req.valid("param").file.replace(/\.json$/, "");
      const schema = /^[a-z-]+$/.test(kind) ? await textsOf(c)(`docs/generated/schemas/${kind}.json`) : undefined;
      if (schema === undefined)
        throw problem("not_found", `There is no schema "${kind}"; agents.json is that of agents.`);
      return c.json(shapeSchema.parse(JSON.parse(schema)), 200);
    },
  );

  app.openapi(
    route({
      "x-act": "anybody",
      method: "get",
      path: "/docs",
      operationId: "getReferencePage",
      tags,
      summary: "The documentation's first page, or what is found in it",
      security: [],
      request: { query: z.object({ q: z.string().max(200).optional().describe("What is looked for, in words") }) },
      responses: { 200: { description: "The page", content: html }, ...unchanged },
    }),
    async (c) => {
      const { q = "" } = c.req.valid("query");
      const headers = { ...pageHeaders, "cache-control": cacheable(c) };
      if (q.trim() !== "") return c.html(await site.found(q, textsOf(c)), 200, headers);
      return shown(c, "/docs");
    },
  );

  app.openapi(
    route({
      "x-act": "anybody",
      method: "get",
      path: "/docs/{page}",
      operationId: "getDocumentationPage",
      tags,
      summary: "A page of the documentation",
      security: [],
      request: { params: z.object({ page: z.string().max(100) }) },
      responses: { 200: { description: "The page", content: pageContent }, ...unchanged },
    }),
    (c) => shown(c, `/docs/${c.req.valid("param").page}`),
  );

  app.openapi(
    route({
      "x-act": "anybody",
      method: "get",
      path: "/docs/{folder}/{page}",
      operationId: "getDocumentationFile",
      tags,
      summary: "A page of the documentation in a folder, a picture, a family of operations",
      security: [],
      request: { params: z.object({ folder: z.string().max(100), page: z.string().max(100) }) },
      responses: {
        200: {
          description: "The page or file",
          content: {
            ...pageContent,
            "text/css": { schema: z.string() },
            "image/png": { schema: z.string() },
            "image/svg+xml": { schema: z.string() },
          },
        },
        ...unchanged,
      },
    }),
    async (c) => {
      const { folder, page } = c.req.valid("param");
      const kind = ownValue(files, /\.(css|png|svg)$/.exec(page)?.[1] ?? "");
      if (kind === undefined) return shown(c, `/docs/${folder}/${page}`);
      const file = /^[a-z]+$/.test(folder) ? await c.get("services").readPage(`docs/${folder}/${page}`) : undefined;
      if (file === undefined) throw noSuchPage();
      return c.body(file, 200, {
        ...pageHeaders,
        "content-security-policy": kind.policy ?? pageHeaders["content-security-policy"],
        "content-type": kind.type,
        "cache-control": cacheable(c),
      });
    },
  );

  /** For a browser as HTML, for everybody else as it was written; what is made from the document is HTML alone. */
  async function shown(c: Context<AppEnv>, path: string) {
    const isFirst = path === "/docs" || /^\/docs\/README(\.md)?$/.test(path);
    const address = isFirst ? "/docs" : path.replace(/\.md$/, "");
    const read = textsOf(c);
    const asHtml = path === "/docs" || (c.req.header("accept")?.includes("text/html") ?? false);
    const source = asHtml ? undefined : await site.source(address, read);
    if (source !== undefined)
      return c.body(source, 200, { "content-type": "text/markdown; charset=utf-8", vary: "accept" });
    const page = await site.page(address, read);
    if (page === undefined) throw noSuchPage();
    const { text, etag } = await page.read();
    const headers = { ...pageHeaders, etag, "cache-control": cacheable(c) };
    return isKnown(c, etag) ? c.body(null, 304, headers) : c.html(text, 200, headers);
  }
  return { routes: [app] };
}

export const documentationFace = documentation();
