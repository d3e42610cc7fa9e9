import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "./context.js";
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
  const document = () => app.getOpenAPI31Document({ openapi: "3.1.0", info });
  app.get("/openapi.json", (c) => c.json(document()));
  app.get("/docs", (c) =>
    c.html(docsPage(document()), 200, {
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    }),
  );
}
