/** A plain MCP client against the Worker, of either protocol generation. */
import { exports } from "cloudflare:workers";
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { z } from "zod";
import { defined } from "../../src/conversation/defined.js";
import type { Fields } from "./conclave.js";

export const mcpUrl = "http://localhost/mcp";
export const eras = ["legacy", { pin: "2026-07-28" }] as const;
export type Era = (typeof eras)[number];

/**
 * @param answer what the person at the host says when they are asked, nothing if they decline, or that they close it; without it the host can't ask
 * @param rewrite what the host makes of what it sends
 * @param address where it was told that the server is
 */
export async function mcpClient(
  key: string,
  era: Era,
  answer?: (question: string) => Fields | "cancel" | undefined,
  rewrite: (body: string) => string = (body) => body,
  address: string = mcpUrl,
): Promise<Client> {
  const options: ClientOptions = {
    versionNegotiation: { mode: era },
    ...defined({ capabilities: answer && { elicitation: { form: {} } } }),
  };
  const client = new Client({ name: "test", version: "1.0.0" }, options);
  if (answer !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }) => {
      const content = answer(params.message);
      if (content === undefined) return { action: "decline" };
      if (content === "cancel") return { action: content };
      return { action: "accept", content: contentSchema.parse(content) };
    });
  }
  const transport = new StreamableHTTPClientTransport(new URL(address), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
    fetch: (url, init) =>
      exports.default.fetch(
        new Request(url, typeof init?.body === "string" ? { ...init, body: rewrite(init.body) } : init),
      ),
  });
  await client.connect(transport);
  return client;
}

const contentSchema = z.record(z.string(), z.string());

export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
  // Tests look into results of many shapes; what they expect of them is the assertion.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly result: any;
}

export async function callTool(client: Client, name: string, args: Fields = {}): Promise<ToolAnswer> {
  const { content, isError, structuredContent } = await client.callTool({ name, arguments: args });
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  return { text, isError: isError === true, result: structuredContent };
}
