/** The OpenAPI document, made from the routes themselves. Nothing of it is in the Worker: `scripts/make-assets.ts` writes it down as an asset. */
import { version } from "../../conversation/version.js";
import "../components.js";
import type { LoadedFace } from "../face.js";
import { newRouter } from "../routing.js";
import { makeDocument } from "./make.js";
import type { ApiDocument } from "./model.js";

const info = {
  title: "Conclave",
  version,
  description:
    "Supervised conversations between people and AI agents. A method that a path doesn't have is a 405 (`method_not_allowed`), whose `Allow` names those that it has; HEAD goes where GET does.",
  contact: { name: "Whoever runs this deployment" },
};

/** The document's own origin, wherever it is deployed. */
const servers = [{ url: "/", description: "This deployment" }];

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
