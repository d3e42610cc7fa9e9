/** The rules of the memory agent as MCP prompts: the tenant's own where it has any. */
import { type McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { readPrompts } from "../application/memory/read-prompts.js";
import type { Services } from "../application/services.js";
import { attempt } from "../conversation/problem.js";
import { type PromptName, promptNames } from "../memory/prompts.js";
import type { Actor } from "../tenancy/actor.js";

const descriptions: Readonly<Record<PromptName, string>> = {
  "entry-capture": "How each message becomes an entry, word for word.",
  summary: "How an entry is summarised, so that it stands alone.",
  context: "How the context document is written and kept within its size.",
};

export function registerPrompts(
  server: McpServer,
  { actor, services }: { readonly actor: Actor; readonly services: Services },
): void {
  for (const name of promptNames) {
    server.registerPrompt(name, { title: `Memory agent: ${name}`, description: descriptions[name] }, async () => {
      const read = await attempt(() => readPrompts(actor, {}, services));
      if (!read.ok) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, read.problem.detail);
      return { messages: [{ role: "user", content: { type: "text", text: read.value.prompts[name] } }] };
    });
  }
}
