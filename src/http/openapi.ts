/** The OpenAPI document, a page to read it, and the pages of the documentation. */
import type { Context } from "hono";
import { z } from "zod";
import "./components.js";
import { problem } from "../conversation/problem.js";
import { version } from "../conversation/version.js";
import { sha256Hex } from "../platform/digest.js";
import { documentationIsPublic, readerAuth } from "./auth.js";
import type { AppEnv } from "./context.js";
import { docsPage } from "./docs-page.js";
import { fileSchema } from "./document/file-schema.js";
import { makeDocument } from "./document/make.js";
import type { ApiDocument } from "./document/model.js";
import { pageNames } from "./documentation-pages.js";
import type { LoadedFace } from "./face.js";
import { markdownPage } from "./markdown-page.js";
import { json as jsonAnswer, newRouter, route } from "./routing.js";

const info = {
  title: "Conclave",
  version,
  description:
    "Supervised conversations between people and AI agents. A method that a path doesn't have is a 405 (`method_not_allowed`), whose `Allow` names those that it has; HEAD goes where GET does.",
  contact: { name: "Whoever runs this deployment" },
};

/** The document's own origin, wherever it is deployed. */
const servers = [{ url: "/", description: "This deployment" }];

const tags = ["System"];
const pageHeaders = {
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  vary: "accept",
};
const html = { "text/html": { schema: z.string() } } as const;
const unchanged = { 304: { description: "It is what the request's If-None-Match names" } } as const;
/** They change with the deployment alone. What is for those who have a key is in no cache that others share. */
function cacheable(c: Context<AppEnv>): string {
  return `${documentationIsPublic(c) ? "public" : "private"}, max-age=300`;
}

/** A text of some hundred kilobytes, made when it is first asked for, with the tag that it is asked for again by. */
class MadeOnce {
  private made: { readonly text: string; readonly etag: string } | undefined;

  constructor(private readonly make: () => string) {}

  async read(): Promise<{ readonly text: string; readonly etag: string }> {
    if (this.made !== undefined) return this.made;
    const text = this.make();
    this.made = { text, etag: `"${(await sha256Hex(text)).slice(0, 32)}"` };
    return this.made;
  }
}

/** Whoever has it is told so, without it. A cache that packs texts weakens their tags. */
function isKnown(c: Context<AppEnv>, etag: string): boolean {
  const known = (c.req.header("if-none-match") ?? "").slice(0, 1_000).split(",");
  return known.some((one) => one.trim().replace(/^W\//, "") === etag);
}

/**
 * `/openapi.json`, made from the routes themselves; `/docs`, a page to read it; and `/docs/{page}`, what errors link to.
 *
 * @param described the faces whose routes the document is made of, in its order
 */
export function documentation(described: readonly LoadedFace[]): LoadedFace {
  const app = newRouter();
  app.use(readerAuth);
  const self: LoadedFace = { routes: [app] };
  let made: ApiDocument | undefined;
  const document = (): ApiDocument => {
    made ??= apiDocument([...described, self]);
    return made;
  };
  const wholeText = new MadeOnce(() => JSON.stringify(document()));
  const page = new MadeOnce(() => docsPage(document(), pageNames).toString());

  app.openapi(
    route({
      "x-act": "anybody",
      method: "get",
      path: "/openapi.json",
      operationId: "getOpenApiDocument",
      tags,
      summary: "The OpenAPI document",
      security: [],
      responses: { 200: jsonAnswer("The document", z.record(z.string(), z.unknown())), ...unchanged },
    }),
    async (c) => {
      const { text, etag } = await wholeText.read();
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
      responses: { 200: jsonAnswer("The schema", z.record(z.string(), z.unknown())) },
    }),
    (c) => {
      const kind = c.req.valid("param").file.replace(/\.json$/, "");
      const schema = fileSchema(document(), kind);
      if (schema === undefined)
        throw problem("not_found", `There is no schema "${kind}"; agents.json is that of agents.`);
      return c.json(schema, 200);
    },
  );

  app.openapi(
    route({
      "x-act": "anybody",
      method: "get",
      path: "/docs",
      operationId: "getReferencePage",
      tags,
      summary: "The OpenAPI document as a page",
      security: [],
      responses: { 200: { description: "The page", content: html }, ...unchanged },
    }),
    async (c) => {
      const { text, etag } = await page.read();
      const headers = { ...pageHeaders, etag, "cache-control": cacheable(c) };
      return isKnown(c, etag) ? c.body(null, 304, headers) : c.html(text, 200, headers);
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
      responses: {
        200: { description: "The page", content: { ...html, "text/markdown": { schema: z.string() } } },
      },
    }),
    async (c) => {
      const name = c.req.valid("param").page.replace(/\.md$/, "");
      const text = pageNames.includes(name) ? await c.get("services").readPage(name) : undefined;
      if (text === undefined) throw problem("not_found", "There is no such page; /docs lists all there are.");
      if (c.req.header("accept")?.includes("text/html") ?? false) {
        return c.html(markdownPage(name, text), 200, pageHeaders);
      }
      return c.body(text, 200, { "content-type": "text/markdown; charset=utf-8", vary: "accept" });
    },
  );
  return self;
}

/** @param described the faces whose routes it is made of, in its order */
export function apiDocument(described: readonly LoadedFace[]): ApiDocument {
  const app = newRouter();
  app.openAPIRegistry.registerComponent("securitySchemes", "key", {
    type: "http",
    scheme: "bearer",
    description: "A tenant's key: cnk_…",
  });
  app.openAPIRegistry.registerComponent("securitySchemes", "adminSecret", {
    type: "http",
    scheme: "bearer",
    description: "The deployment's ADMIN_SECRET",
  });
  for (const { routes } of described) for (const one of routes) app.route("/", one);
  return makeDocument(app.getOpenAPI31Document({ openapi: "3.1.0", info, servers }));
}
