/** The OpenAPI document, and a page to read it. */
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "./context.js";
import "./components.js";
import { docsPage } from "./docs-page.js";
import { version } from "./routes/health.js";

const info = {
  title: "Conclave",
  version,
  description: "Supervised conversations between people and AI agents.",
};

/** `/openapi.json`, made from the routes themselves, and `/docs`, a page to read it. */
export function openApiDocument(app: OpenAPIHono<AppEnv>): void {
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
  app.get("/openapi.json", (c) => c.json(apiDocument(app)));
  app.get("/docs", (c) =>
    c.html(docsPage(apiDocument(app)), 200, {
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    }),
  );
}

export function apiDocument(app: OpenAPIHono<AppEnv>): ReturnType<OpenAPIHono<AppEnv>["getOpenAPI31Document"]> {
  return app.getOpenAPI31Document({ openapi: "3.1.0", info });
}
