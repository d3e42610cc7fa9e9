/** What concerns outgoing calls: the tools of remote servers that are pinned, and the secret that signs. */
import { z } from "zod";
import { pinTools } from "../../application/resources/pin-tools.js";
import { readSigningSecret } from "../../application/tenants/read-signing-secret.js";
import { itemName } from "../../conversation/names.js";
import { actorOf, unwrap } from "../context.js";
import { json, named, newRouter, route } from "../routing.js";
import { storedResource } from "./resources.js";

export const outgoing = newRouter();

outgoing.openapi(
  route({
    "x-act": "pinTools",
    method: "post",
    path: "/v1/tools/{name}/pin",
    tags: ["Tools"],
    summary: "Accept what a remote MCP server lists: the changes that GET shows, or else its list as it is now",
    request: { params: z.object({ name: itemName }) },
    responses: { 200: json("Agents get these tools from their next turn on", storedResource("tools")) },
  }),
  async (c) => c.json(unwrap(await pinTools(actorOf(c), c.req.valid("param"), c.get("services"))), 200),
);

outgoing.openapi(
  route({
    "x-act": "readSigningSecret",
    method: "get",
    path: "/v1/tenant/signing-secret",
    tags: ["A tenant's own administration"],
    summary: "Read the secret that signs outgoing calls of resources without one of their own",
    responses: {
      200: json(
        "By Standard Webhooks: `whsec_<base64>`",
        named("SigningSecret", z.object({ signingSecret: z.string() })),
      ),
    },
  }),
  async (c) => c.json(unwrap(await readSigningSecret(actorOf(c), c.get("services"))), 200),
);
