/** A real MCP server for tests, over streamable HTTP: two tools, behind a key. Node only. */
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { mcpKey } from "./mcp-key.js";

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "docs", version: "1.0.0" });
  server.registerTool(
    "search.pages",
    {
      description: "Searches the pages.",
      inputSchema: z.object({ query: z.string() }),
      annotations: { readOnlyHint: true },
    },
    async ({ query }) => ({ content: [{ type: "text", text: `Found: ${query}.` }] }),
  );
  server.registerTool("break", { description: "Breaks.", inputSchema: z.object({}) }, async () => ({
    content: [{ type: "text", text: "It is broken." }],
    isError: true,
  }));
  return server;
});

export async function answerMcp(method: string, headers: Record<string, string>, body: unknown): Promise<Response> {
  if (headers["x-api-key"] !== mcpKey) return new Response("who are you?", { status: 401 });
  const hasBody = method !== "GET" && method !== "HEAD" && method !== "DELETE";
  const { "content-length": _, "transfer-encoding": __, connection: ___, ...kept } = headers;
  return handler.fetch(
    new Request("http://upstream/mcp", { method, headers: kept, ...(hasBody ? { body: JSON.stringify(body) } : {}) }),
  );
}
