/** What an answer shows again of its request, as it is kept with it. Instructions are not: nobody has judged them. */
import { z } from "zod";
import { defined } from "../conversation/defined.js";
import { choiceWords, chosen, type ResponseRequest } from "./response-body.js";

export const shownToolSchema = z.object({
  type: z.literal("function"),
  name: z.string(),
  description: z.string().nullable(),
  parameters: z.record(z.string(), z.unknown()).nullable(),
  strict: z.boolean().nullable(),
});
export const echoSchema = z.object({
  previous_response_id: z.string().nullable(),
  tools: z.array(shownToolSchema),
  tool_choice: z.union([
    choiceWords,
    z.object({ type: z.literal("function"), name: z.string() }),
    z.object({ type: z.literal("allowed_tools"), tools: z.array(chosen), mode: choiceWords }),
  ]),
  truncation: z.enum(["auto", "disabled"]),
  parallel_tool_calls: z.boolean(),
  text: z.object({
    format: z.union([
      z.object({ type: z.enum(["text", "json_object"]) }),
      z.object({
        type: z.literal("json_schema"),
        name: z.string(),
        description: z.string().nullable(),
        schema: z.null(),
        strict: z.boolean(),
      }),
    ]),
  }),
  top_p: z.number(),
  temperature: z.number(),
  max_output_tokens: z.int().nullable(),
  store: z.boolean(),
  metadata: z.record(z.string(), z.string()),
  user: z.string().optional(),
  safety_identifier: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
  conversation: z.object({ id: z.string() }).optional(),
});
export type Echo = z.infer<typeof echoSchema>;

export function echoOf(body: ResponseRequest, sessionId: string | undefined): Echo {
  const { tool_choice: choice, text } = body;
  const format = text?.format ?? { type: "text" as const };
  return {
    previous_response_id: body.previous_response_id ?? null,
    tools: (body.tools ?? []).map(({ name: toolName, description, parameters, strict }) => ({
      type: "function",
      name: toolName,
      description: description ?? null,
      parameters: parameters ?? null,
      strict: strict ?? true,
    })),
    tool_choice:
      typeof choice === "object" && choice?.type === "allowed_tools"
        ? { ...choice, mode: choice.mode ?? "auto" }
        : (choice ?? "auto"),
    truncation: body.truncation ?? "disabled",
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    text: {
      format:
        format.type === "json_schema"
          ? {
              type: format.type,
              name: format.name,
              description: format.description ?? null,
              schema: null,
              strict: format.strict ?? false,
            }
          : format,
    },
    top_p: body.top_p ?? 1,
    temperature: body.temperature ?? 1,
    max_output_tokens: body.max_output_tokens ?? null,
    store: body.store ?? true,
    metadata: body.metadata ?? {},
    ...defined({ user: body.user ?? undefined }),
    safety_identifier: body.safety_identifier ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    ...(sessionId === undefined ? {} : { conversation: { id: sessionId } }),
  };
}
