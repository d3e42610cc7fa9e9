/** A tool of the MCP face: what it is called, what it takes and gives, the act behind it. A new one is an entry in a file of `tools/`. */
import {
  type CallToolResult,
  type InputRequiredResult,
  isSpecType,
  type McpServer,
  type Tool,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Act } from "../application/act.js";
import { attempt, type Problem } from "../conversation/problem.js";
import { sha256Hex } from "../platform/digest.js";
import type { Actor } from "../tenancy/actor.js";
import type { Permission } from "../tenancy/acts.js";
import { authorize } from "../tenancy/authority.js";
import { lazily } from "../text/lazily.js";
import { inEitherSpelling } from "./arguments.js";
import type { Call } from "./call.js";
import { elicited } from "./elicitation.js";
import { outlined } from "./outline.js";
import { type Asking, askInTheWay, inputFor } from "./questions.js";

/** Questions that one call puts to its host's user, one after the other. */
const mostQuestions = 8;

/** How a tool stands to the world, for hosts that ask before they call. */
export type Effect = "reads" | "adds" | "changes" | "deletes";

export interface ToolDefinition<I extends z.ZodObject, O extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly act: Permission;
  readonly effect: Effect;
  /** The same call again changes nothing more. Reading always is. */
  readonly idempotent?: true;
  readonly input: I;
  readonly output: O;
  /** @throws {ProblemError} for what is refused */
  readonly run: (input: z.output<I>, call: Call) => Promise<z.input<O>>;
  /** What a model reads of the output; without it the output as JSON. */
  readonly text?: (output: z.input<O>) => string;
  /** What the output asks the person at the host; without it nothing is asked. */
  readonly asking?: (output: z.input<O>) => Asking | undefined;
}

/** A tool that is ready to be registered for an actor. */
export interface McpTool {
  readonly name: string;
  readonly act: Permission;
  /** As a list of tools shows it. */
  readonly listed: () => Tool;
  readonly register: (server: McpServer, caller: Omit<Call, "context" | "digest" | "steps">) => void;
}

export function mcpTool<I extends z.ZodObject, O extends z.ZodObject>(definition: ToolDefinition<I, O>): McpTool {
  const { name, title, description, act, effect, idempotent, input, output } = definition;
  const annotations = {
    readOnlyHint: effect === "reads",
    destructiveHint: effect === "deletes",
    idempotentHint: idempotent ?? effect === "reads",
    openWorldHint: false,
  };
  const listed = lazily((): Tool => {
    const { $schema, ...inputSchema } = z.toJSONSchema(input, { io: "input" });
    const outputSchema = outlined(z.toJSONSchema(output));
    const tool: unknown = { name, title, description, inputSchema, annotations, outputSchema };
    if (!isSpecType.Tool(tool)) throw new RangeError(`the tool ${name} can't be listed`);
    return tool;
  });
  const schemas = { inputSchema: inEitherSpelling(input), outputSchema: output };
  const register: McpTool["register"] = (server, caller) => {
    server.registerTool(name, { title, description, annotations, ...schemas }, async (given, context) => {
      const digest = (): Promise<string> => digestOf(name, given);
      const call = {
        ...caller,
        actor: await commanding(caller.actor, given, digest),
        context,
        digest,
        steps: { heard: 0 },
      };
      let result = await attempt(() => definition.run(given, call));
      // Each once: somebody who declined isn't asked again at once.
      const asked = new Set<string>();
      while (result.ok && asked.size < mostQuestions) {
        const asking = definition.asking?.(result.value);
        const left = asking && { ...asking, asks: asking.asks.filter(({ askId }) => !asked.has(askId)) };
        const goesOn = left && (await elicited(left, call, Number(given.waitMs ?? 0)));
        if (goesOn === undefined) break;
        asked.add(goesOn.askId);
        result = await attempt(() => definition.run(given, { ...call, goesOn }));
      }
      return result.ok ? rendered(definition, result.value, call) : failure(result.problem, call);
    });
  };
  return { name, act, listed, register };
}

/** A tool that performs an act with just what it takes. */
export function actTool<I extends z.ZodObject, O extends z.ZodObject>(
  act: Act<z.output<I>, z.input<O>>,
  definition: Omit<ToolDefinition<I, O>, "act" | "run">,
): McpTool {
  return mcpTool({ ...definition, act, run: (input, { actor, services }) => act(actor, input, services) });
}

type Given = Readonly<Record<string, unknown>>;

/** The actor with the key of the call: acts that change what is there claim it where they do their work. */
async function commanding(actor: Actor, given: Given, digest: Call["digest"]): Promise<Actor> {
  const { idempotencyKey, idempotency_key: key = idempotencyKey } = given;
  return typeof key === "string" ? { ...actor, command: { key, hash: await digest() } } : actor;
}

/** How long is waited makes no other call, and neither does the key. */
function digestOf(tool: string, { idempotencyKey, idempotency_key, waitMs, ...asked }: Given): Promise<string> {
  return sha256Hex(`${tool} ${JSON.stringify(asked)}`);
}

/** The tools that an actor may call at all. */
export function toolsFor(actor: Actor, tools: readonly McpTool[]): McpTool[] {
  return tools.filter(({ act }) => authorize(actor, act).ok);
}

async function rendered<I extends z.ZodObject, O extends z.ZodObject>(
  { text, asking, output }: ToolDefinition<I, O>,
  value: z.input<O>,
  call: Call,
): Promise<CallToolResult | InputRequiredResult> {
  const asked = asking?.(value);
  const input = asked === undefined ? undefined : await inputFor(asked, call);
  if (input !== undefined) return input;
  // What the schema doesn't know isn't sent: hosts read the schema.
  const structuredContent: Record<string, unknown> = output.parse(value);
  return {
    content: [{ type: "text", text: text?.(value) ?? JSON.stringify(structuredContent) }],
    structuredContent,
  };
}

/** A refusal in words that a model can act upon. */
async function failure(
  { code, detail, userMessage, errors, askId, retryAfterSeconds }: Problem,
  call: Call,
): Promise<CallToolResult> {
  const lines = [
    `${code}: ${detail}`,
    ...(errors ?? []).map(({ path, message }) => `- ${path}: ${message}`),
    ...(userMessage === undefined ? [] : [`To be told to the user: ${userMessage}`]),
    ...(askId === undefined ? [] : [await askInTheWay(askId, call)]),
    ...(retryAfterSeconds === undefined ? [] : [`Try again after ${retryAfterSeconds} seconds.`]),
  ];
  return { isError: true, content: [{ type: "text", text: lines.join("\n") }] };
}
