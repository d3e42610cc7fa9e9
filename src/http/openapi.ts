/** The OpenAPI document, a page to read it, and the pages of the documentation. */
import { z } from "zod";
import "./components.js";
import { problem } from "../conversation/problem.js";
import { version } from "../conversation/version.js";
import { docsPage } from "./docs-page.js";
import { makeDocument } from "./document/make.js";
import type { ApiDocument } from "./document/model.js";
import { pageNames } from "./documentation-pages.js";
import type { LoadedFace } from "./face.js";
import { markdownPage } from "./markdown-page.js";
import { json, newRouter, route } from "./routing.js";

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

/**
 * `/openapi.json`, made from the routes themselves; `/docs`, a page to read it; and `/docs/{page}`, what errors link to.
 *
 * @param described the faces whose routes the document is made of, in its order
 */
export function documentation(described: readonly LoadedFace[]): LoadedFace {
  const app = newRouter();
  const self: LoadedFace = { routes: [app] };
  let made: ApiDocument | undefined;
  const document = (): ApiDocument => {
    made ??= apiDocument([...described, self]);
    return made;
  };

  app.openapi(
    route({
      "x-act": "anybody",
      method: "get",
      path: "/openapi.json",
      operationId: "getOpenApiDocument",
      tags,
      summary: "The OpenAPI document",
      security: [],
      responses: { 200: json("The document", z.record(z.string(), z.unknown())) },
    }),
    (c) => c.json(document(), 200),
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
      responses: { 200: { description: "The page", content: html } },
    }),
    (c) => c.html(docsPage(document(), pageNames), 200, pageHeaders),
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
