/** Which list of a remote server's tools is pinned where somebody else pins one while the server is asked, and who is on record for it. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { storedToolSchema } from "../../src/agent/definition.js";
import type { RemoteTool } from "../../src/agent/remote-tool.js";
import { CallSigner } from "../../src/application/call-signer.js";
import { type McpServer, McpServers } from "../../src/application/mcp-servers.js";
import type { RemoteList } from "../../src/application/remote-tool-list.js";
import { RemoteTools } from "../../src/application/remote-tools.js";
import { PinnedTools } from "../../src/stores/pinned-tools.js";
import { auditAbout } from "../support/audit.js";
import { newTenant } from "../support/conclave.js";

const tool = (name: string): RemoteTool => ({
  name,
  description: name,
  parameters: {},
  readOnly: true,
  cacheable: false,
});
const accepted = { by: { kind: "key", id: "key_operator" }, at: 1 } as const;

/** Servers of which one answers after something else was done. */
class SlowServers extends McpServers {
  constructor(private readonly answer: () => Promise<RemoteList>) {
    const signer = new CallSigner(
      async () => ["whsec_AAAA"],
      () => 0,
    );
    super({ allowLoopback: true }, () => 0, signer);
  }

  override list(): Promise<RemoteList> {
    return this.answer();
  }
}

describe("a list that an operator accepts while the server is asked", () => {
  const nothing = async (): Promise<RemoteList> => Promise.reject(new Error("it can't be reached"));
  const others = async (): Promise<RemoteList> => ({ tools: [tool("other")], leftOut: [] });
  const stores = (tools: RemoteTools, server: McpServer) =>
    tools.pinStored(server, { kind: "key", id: "key_other" }, "fence");
  const uses = (tools: RemoteTools, server: McpServer) => tools.use(server, "fence");

  it.each([
    { what: "by who stores it, and can't reach it", answer: nothing, does: stores },
    { what: "by who stores it, and is told of other tools", answer: others, does: stores },
    { what: "by work that uses it for the first time", answer: others, does: uses },
  ])("stays, with its row alone: $what", async ({ answer, does }) => {
    const tenant = await newTenant();
    const body = storedToolSchema.parse({ server: "docs", mcp: { url: "https://docs.example/mcp" } });
    if (!("mcp" in body)) throw new Error("it is a remote server");
    const server = { tenantId: tenant.tenantId, name: "docs", version: 1, body };
    const pins = new PinnedTools(env.DB);
    const servers = new SlowServers(async () => {
      await pins.pin(server, [tool("search")], accepted);
      return answer();
    });
    const outcome = await does(new RemoteTools(servers, pins, () => 2), server);

    if (does === uses) expect(outcome).toEqual([tool("search")]);
    expect(await pins.get(server)).toMatchObject({ tools: [tool("search")], listedAt: 1 });
    expect(await auditAbout(tenant, "tools.pinned")).toMatchObject([
      { actor: accepted.by, subject: { name: "docs", version: 1, changes: ["search"] } },
    ]);
  });
});
