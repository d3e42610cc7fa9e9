/** What a caller sends of tools is of its own: nobody offers, calls or answers for a tool of the agent. */
import { builtInToolNames } from "../../agent/built-in-tools.js";
import type { AgentDefinition } from "../../agent/definition.js";
import { builtInServer } from "../../agent/tools.js";
import type { TurnRequest } from "../../chat/turn-request.js";
import type { ToolName } from "../../conversation/names.js";
import { problem } from "../../conversation/problem.js";
import { isOfKind } from "../../tenancy/resources.js";
import type { Services } from "../services.js";
import { shownName } from "../tool-builder.js";
import type { ChatInput } from "./chat-input.js";

/** @param body the agent */
export async function checkTools(
  tenantId: string,
  { agent, request, sentAt }: Pick<ChatInput, "agent" | "request" | "sentAt">,
  body: AgentDefinition,
  services: Services,
): Promise<void> {
  const named = namesIn(request, sentAt);
  const [first] = named;
  if (first === undefined) return;
  if (body.kind !== "model") {
    const message = `an agent of kind ${body.kind} takes no tools of its caller`;
    throw problem("invalid", `"${agent}" is a ${body.kind}: those who work in it have tools of their own.`, {
      errors: [{ path: first.isOffered ? "tools" : first.path, message }],
    });
  }
  const own = await namesOf(tenantId, body.tools, services);
  const clash = named.find(({ name }) => own.has(name.toLowerCase()));
  if (clash === undefined) return;
  const detail = clash.isOffered
    ? `The agent "${agent}" has a tool "${clash.name}" of its own. Give yours another name.`
    : `The agent "${agent}" has a tool "${clash.name}" of its own: it alone calls it, and knows what that returned. Send calls and results of your own tools.`;
  throw problem("invalid", detail, {
    errors: [{ path: clash.path, message: "the agent's own tool is called so" }],
  });
}

interface NamedTool {
  readonly name: string;
  readonly path: string;
  readonly isOffered: boolean;
}

/** Every tool that a caller speaks of: offered, called, answered for. */
function namesIn({ tools, results, history }: TurnRequest, sentAt: ChatInput["sentAt"]): NamedTool[] {
  const of = (path: string, isOffered: boolean) => (name: string) => ({ name, path, isOffered });
  const told = history.flatMap(({ rounds = [] }) =>
    rounds.flatMap(({ calls }) => calls.map(({ ref: { tool } }) => tool)),
  );
  return [
    ...tools.map(({ name }, at) => ({ name, path: `tools.${at}.function.name`, isOffered: true })),
    ...results.map(({ tool }) => tool).map(of(sentAt?.results ?? "messages", false)),
    ...told.map(of(sentAt?.history ?? "messages", false)),
  ];
}

/** What the agent's tools are called, as they are stored and as a model may be shown them; in lower case. */
async function namesOf(
  tenantId: string,
  refs: readonly ToolName[],
  { resources, remoteTools }: Services,
): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  const add = (server: string, tool: string): void => {
    const written = [tool, `${server}__${tool}`];
    for (const name of [...written, ...written.map(shownName)]) names.add(name.toLowerCase());
  };
  for (const { server, tool } of refs) if (tool !== "*") add(server, tool);
  const wholeServers = refs.filter(({ tool }) => tool === "*").map(({ server }) => server);
  if (wholeServers.includes(builtInServer)) for (const name of builtInToolNames) add(builtInServer, name);
  const pins = wholeServers.length === 0 ? [] : await resources.toolPins(tenantId, wholeServers);
  for (const version of await resources.versions(tenantId, pins)) {
    if (!isOfKind("tools", version)) continue;
    const { name, body } = version;
    const { tools } =
      "mcp" in body ? await remoteTools.view({ tenantId, name, version: version.version }) : { tools: [{ name }] };
    for (const tool of tools) add(body.server, tool.name);
  }
  return names;
}
