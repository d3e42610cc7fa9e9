/** A real MCP server for tests, over streamable HTTP, behind a key. A test may script what it lists. Node only. */
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { mcpKey } from "./mcp-key.js";

/** What a test makes of the server: the body of the last reply that it scripted. */
const scriptSchema = z.object({
  /** Of the tool `search.pages`. */
  description: z.string().default("Searches the pages."),
  /** A further tool `large`, which answers with so many characters. */
  large: z.int().default(0),
  /** A further tool `slow`, which says how far it is. */
  slow: z.boolean().default(false),
  /** Whether there is a tool `break`. */
  breaks: z.boolean().default(true),
});

function serverOf(script: z.infer<typeof scriptSchema>): McpServer {
  const server = new McpServer({ name: "docs", version: "1.0.0" });
  server.registerTool(
    "search.pages",
    {
      description: script.description,
      inputSchema: z.object({ query: z.string() }),
      annotations: { readOnlyHint: true },
    },
    async ({ query }) => ({ content: [{ type: "text", text: `Found: ${query}.` }] }),
  );
  if (script.breaks) {
    server.registerTool("break", { description: "Breaks.", inputSchema: z.object({}) }, async () => ({
      content: [{ type: "text", text: "It is broken." }],
      isError: true,
    }));
  }
  if (script.slow) {
    server.registerTool(
      "slow",
      { description: "Takes its time.", inputSchema: z.object({}) },
      async (_none, { mcpReq }) => {
        const progressToken = mcpReq._meta?.progressToken;
        for (const progress of progressToken === undefined ? [] : [1, 2, 3]) {
          const params = { progressToken: progressToken ?? "", progress, total: 4, message: "Rosebud is on its way." };
          await mcpReq.notify({ method: "notifications/progress", params });
        }
        return { content: [{ type: "text", text: "Done at last." }] };
      },
    );
  }
  if (script.large > 0) {
    server.registerTool("large", { description: "Answers at length.", inputSchema: z.object({}) }, async () => ({
      content: [{ type: "text", text: "x".repeat(script.large) }],
    }));
  }
  return server;
}

export async function answerMcp(
  method: string,
  headers: Record<string, string>,
  body: unknown,
  script: unknown = {},
): Promise<Response> {
  if (headers["x-api-key"] !== mcpKey) return new Response("who are you?", { status: 401 });
  const hasBody = method !== "GET" && method !== "HEAD" && method !== "DELETE";
  const { "content-length": _, "transfer-encoding": __, connection: ___, ...kept } = headers;
  const handler = createMcpHandler(() => serverOf(scriptSchema.parse(script)));
  return handler.fetch(
    new Request("http://upstream/mcp", { method, headers: kept, ...(hasBody ? { body: JSON.stringify(body) } : {}) }),
  );
}
