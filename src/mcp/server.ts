/** One MCP server for one request, of either protocol generation: the tools, resources and prompts that its actor may use. */
import { createMcpHandler, createRequestStateCodec, McpServer, type ServerContext } from "@modelcontextprotocol/server";
import { boundedSchemaCheck } from "../application/mcp-schema-check.js";
import { readPrompts } from "../application/memory/read-prompts.js";
import type { Services } from "../application/services.js";
import { attempt } from "../conversation/problem.js";
import { readLimited } from "../platform/limited-body.js";
import type { Actor } from "../tenancy/actor.js";
import { authorize } from "../tenancy/authority.js";
import { readJson } from "../text/json.js";
import type { AskingState, Elicitation } from "./call.js";
import { canBeElicited, sessionIdFor, takeAnswer } from "./elicitation.js";
import { type Choice, familiesText } from "./families.js";
import { registerPrompts } from "./prompts.js";
import { registerResources } from "./resources.js";
import { toolsFor } from "./tool.js";
import { allTools } from "./tools/all.js";

/** How long an answer to a question of a host may take, in seconds; the question itself stays open as long as its ask. */
const stateTtlSeconds = 86_400;
/** The most that a request's body may have, in bytes. */
const maxBodyBytes = 1_000_000;

const instructions =
  "Conclave: supervised conversations with agents (list_agents, create_session, send_message), routed teams (run_team), debating panels (start_roundtable, continue_roundtable), an inbox of questions (list_asks, answer_ask), and memories (create_vault, create_memory_in_vault, add_entry, search_memories). What comes back has passed supervision. A result with the status needs_input waits for answer_ask, where its text says so; what staff is asked is answered elsewhere.";

/** Answers a request of an actor who has been let in. */
export async function answerMcp(request: Request, actor: Actor, services: Services, shown: Choice): Promise<Response> {
  // What is too long, or no JSON, is refused as the protocol says it.
  const text = await attempt(() => readLimited(request.clone()));
  const message = text.ok ? readJson(text.value).value : undefined;
  if (await takeAnswer(message, { actor, services })) return new Response(null, { status: 202 });
  const build = () => buildServer(actor, services, shown, canBeElicited(request));
  const handler = createMcpHandler(build, { maxRequestBodySize: maxBodyBytes });
  const answer = await handler.fetch(request, message === undefined ? {} : { parsedBody: message });
  const sessionId = sessionIdFor(message);
  if (sessionId === undefined || !answer.ok) return answer;
  const begun = new Response(answer.body, answer);
  begun.headers.set("mcp-session-id", sessionId);
  return begun;
}

function buildServer(actor: Actor, services: Services, shown: Choice, canAsk: boolean): McpServer {
  const [codec, former] = services.sealingSecrets.map((secret) =>
    createRequestStateCodec<AskingState>({
      key: `mcp request state ${secret}`,
      ttlSeconds: stateTtlSeconds,
      // What one was asked isn't answered by another.
      bind: () => `${actor.tenantId} ${actor.kind} ${actor.id}`,
    }),
  );
  if (codec === undefined) throw new RangeError("there is no secret to seal a request's state under");
  const server = new McpServer(
    { name: "conclave", title: "Conclave", version: "1.0.0" },
    {
      instructions: `${instructions} ${familiesText(shown)}`,
      capabilities: { logging: {} },
      inputRequired: { legacyShim: false },
      jsonSchemaValidator: boundedSchemaCheck,
      requestState: {
        verify: (state, context) =>
          codec.verify(state, context).catch((refused: unknown) => {
            if (former === undefined) throw refused;
            return former.verify(state, context);
          }),
      },
    },
  );
  const seal = (state: AskingState, context: ServerContext) => codec.mint(state, context);
  const elicit = async ({ id, params }: Elicitation, { mcpReq }: ServerContext) =>
    server.server.transport?.send(
      { jsonrpc: "2.0", id, method: "elicitation/create", params },
      { relatedRequestId: mcpReq.id },
    );
  const tools = toolsFor(actor, allTools);
  for (const tool of tools) tool.register(server, { actor, services, seal, elicit: canAsk ? elicit : undefined });
  const listed = tools.filter((tool) => shown.tools.has(tool));
  server.server.setRequestHandler("tools/list", () => ({ tools: listed.map((tool) => tool.listed()) }));
  registerResources(server, { actor, services });
  if (authorize(actor, readPrompts).ok) registerPrompts(server, { actor, services });
  return server;
}
