/** Agents and tools as a tenant stores them. */
import { z } from "zod";
import { approvalPolicySchema, questionPolicySchema } from "../asks/policy.js";
import { itemName, toolRefSchema } from "../conversation/names.js";
import { secretHeaders, signingSecret } from "../conversation/secret-text.js";
import { contextKeys } from "./call-context.js";

const modelName = z
  .string()
  .min(1)
  .max(200)
  .regex(
    /^(offline|default|[A-Za-z0-9_-]+\/.+)$/,
    "a model is `offline`, `default`, `openai/<model>`, `workers-ai/<model>` or `<provider name>/<model>`",
  );

/** One model, or a list that is tried in order. */
export const modelChoice = z.union([modelName, z.array(modelName).min(1).max(5)]);

export function modelList(choice: string | readonly string[]): readonly string[] {
  return typeof choice === "string" ? [choice] : choice;
}

/**
 * Which rules and references a message may bring into the prompt as `@rule:name` and `@ref:name`, from any sender. A name that
 * isn't listed brings nothing: anybody could read what an operator stored for others.
 */
export const mentionableSchema = z.strictObject({
  rules: z.array(itemName).max(200).default([]),
  references: z.array(itemName).max(200).default([]),
});
export type Mentionable = Readonly<z.infer<typeof mentionableSchema>>;

/** What an agent of any kind brings into its sessions. */
const inForce = {
  rules: z.array(itemName).max(200).default([]),
  references: z.array(itemName).max(200).default([]),
  mentionable: mentionableSchema.prefault({}),
  supervisors: z.array(itemName).max(50).default([]),
  /** What of a request over OpenAI's API it can't do is refused (as if nothing is said), or left out. */
  unsupported: z.enum(["refuse", "ignore"]).optional(),
};

export const modelAgentSchema = z.strictObject({
  kind: z.literal("model"),
  model: modelChoice,
  instructions: z.string().max(50_000),
  description: z.string().max(1_000).optional(),
  tools: z.array(toolRefSchema).max(100).default([]),
  /** Which memories `memory_search` may search, beside the session's own. */
  memories: z.array(z.string().min(1).max(100)).max(20).default([]),
  ...inForce,
  temperature: z.number().min(0).max(2).optional(),
  maxToolRounds: z.int().min(0).max(50).optional(),
  maxOutputTokens: z.int().min(1).max(200_000).optional(),
  /** For one attempt at one model, from request to the last byte, in milliseconds; 60,000 if nothing is said. */
  modelTimeoutMs: z.int().min(100).max(60_000).optional(),
  /** What of the end user its model is shown, as data. */
  context: contextKeys,
  /** Whom it asks, for how long, and what it assumes then; what it leaves out, the tenant's settings say. */
  questions: questionPolicySchema.optional(),
});

export const teamAgentSchema = z.strictObject({
  kind: z.literal("team"),
  /** The name of a stored team. */
  team: itemName,
  description: z.string().max(1_000).optional(),
  ...inForce,
});

export const panelAgentSchema = z.strictObject({
  kind: z.literal("panel"),
  /** The name of a stored panel, which debates each message. */
  panel: itemName,
  description: z.string().max(1_000).optional(),
  ...inForce,
});

export const agentSchema = z.discriminatedUnion("kind", [modelAgentSchema, teamAgentSchema, panelAgentSchema]);
export type AgentDefinition = z.infer<typeof agentSchema>;

const url = z.url({ protocol: /^https?$/ }).max(2_000);
/** An address that may hold placeholders: by the letter (RFC 3986) that is no URI, so the document doesn't call it one. */
export const urlTemplate = z
  .string()
  .max(2_000)
  .refine((text) => url.safeParse(text).success, "Invalid URL");
const approval = z.enum(["never", "always", "session"]).default("never");
const approvalPolicy = approvalPolicySchema.optional();
const timeoutMs = z.int().min(100).max(600_000).default(30_000);

const caching = {
  /** How long results are kept; of a remote server's tools, those that say that they only read. */
  cacheSeconds: z.int().min(0).max(86_400).default(0),
  /**
   * From which likeness on (1: the same words) a kept result of other arguments counts as the result of these. Without it only
   * the same arguments do.
   */
  cacheSimilarity: z.number().min(0.5).max(1).optional(),
};

const httpToolSchema = z.strictObject({
  server: itemName,
  description: z.string().min(1).max(4_000),
  /** JSON Schema of the arguments: an object. */
  parameters: z.record(z.string(), z.unknown()).default({ type: "object", properties: {} }),
  http: z.strictObject({
    method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]).default("POST"),
    /**
     * `{name}` in it is replaced by that argument; the others go into the query (GET, DELETE) or the JSON body. `{{subject}}` and
     * `{{metadata.key}}`, also in headers, are replaced by those of the session or run.
     */
    url: urlTemplate,
    headers: secretHeaders,
    /** Signs the calls, in place of the tenant's signing secret. */
    secret: signingSecret.optional(),
    /** What of the end user the signed context tells. */
    context: contextKeys,
  }),
  approval,
  /** Who approves its calls, for how long that is waited for, and what counts then. */
  approvalPolicy,
  timeoutMs,
  ...caching,
  /** A call may be repeated under the same Idempotency-Key. */
  idempotent: z.boolean().default(false),
});
export type HttpTool = z.infer<typeof httpToolSchema>;

/** A remote MCP server: every tool it has, under the server's name. */
const mcpToolSchema = z.strictObject({
  server: itemName,
  description: z.string().max(4_000).optional(),
  mcp: z.strictObject({ url, headers: secretHeaders, secret: signingSecret.optional(), context: contextKeys }),
  approval,
  /** Who approves its calls, for how long that is waited for, and what counts then. */
  approvalPolicy,
  timeoutMs,
  ...caching,
});
export type McpTool = z.infer<typeof mcpToolSchema>;

export const storedToolSchema = z.union([httpToolSchema, mcpToolSchema]);
