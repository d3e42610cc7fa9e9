/** What a request for a response means here. */
import type { ChatInput } from "../application/openai/chat-input.js";
import { defined } from "../conversation/defined.js";
import { type ChatRequest, chatInput } from "./chat-request.js";
import { OpenAiError } from "./errors.js";
import type { ResponseRequest } from "./response-body.js";
import { echoOf } from "./response-echo.js";
import { asMessages, inItsWords, type WholeItem } from "./response-items.js";

/** The request as what is to be done. @param session named by the header, if it is */
export function responseInput(body: ResponseRequest, session: string | undefined): ChatInput {
  const { sessionId: named, ...metadata } = body.metadata ?? {};
  const inBody = typeof body.conversation === "string" ? body.conversation : body.conversation?.id;
  const sessionId = inBody ?? session ?? named;
  const previousId = body.previous_response_id ?? undefined;
  if (sessionId !== undefined) checkConversation(body, previousId);
  const placed = asMessages(body.input);
  const messages = placed.map(({ message }) => message);
  const chat: ChatRequest = {
    model: body.model,
    messages: body.instructions == null ? messages : [{ role: "developer", content: body.instructions }, ...messages],
    temperature: body.temperature,
    top_p: body.top_p,
    parallel_tool_calls: body.parallel_tool_calls,
    metadata,
    memory: body.memory,
    max_completion_tokens: body.max_output_tokens,
    user: subjectOf(body),
    reasoning_effort: body.reasoning?.effort,
    verbosity: body.text?.verbosity,
    ...answeringOf(body),
  };
  const shift = messages.length - chat.messages.length;
  const input = inItsWords(
    () => chatInput(chat, sessionId, previousId !== undefined),
    (index) => placed[index + shift]?.at,
  );
  const request = { ...input.request, note: echoOf(body, sessionId) };
  const isStored = body.store ?? true;
  const itemAt = (message = ""): string | undefined => {
    const [, index] = /^messages\[(\d+)\]/.exec(message) ?? [];
    const item = index === undefined ? undefined : placed[Number(index) + shift]?.at;
    return item === undefined ? undefined : `input[${item}]`;
  };
  const sentAt = {
    ...input.sentAt,
    instructions: body.instructions == null ? itemAt(input.sentAt?.instructions) : "instructions",
    history: itemAt(input.sentAt?.history),
    results: itemAt(input.sentAt?.results),
    output: "text.format",
  };
  const isLookedUp = !body.input.some((item) => isReply(item) && item.isStored !== true);
  return {
    ...input,
    ...defined({ unsupported: input.unsupported?.map((one) => ({ ...one, path: "input" })) }),
    sentAt,
    isLookedUp,
    request,
    previousId,
    isStored,
    isWhole: (body.truncation ?? "disabled") === "disabled",
  };
}

/** What the agent is said to have said or called. */
function isReply(item: WholeItem): boolean {
  return item.type === "function_call" || (item.type === "message" && item.role === "assistant");
}

/** The end user that the request is made for. */
export function subjectOf({ user, safety_identifier }: Pick<ResponseRequest, "user" | "safety_identifier">) {
  return user ?? safety_identifier ?? undefined;
}

/** A conversation keeps its replies itself. */
function checkConversation({ input, store }: ResponseRequest, previousId: string | undefined): void {
  if (previousId !== undefined) {
    const detail = "Name either the conversation or the previous response.";
    throw new OpenAiError(400, "invalid_value", detail, "previous_response_id");
  }
  if (store === false) {
    throw new OpenAiError(400, "invalid_value", "A conversation keeps its answers: leave `store` out.", "store");
  }
  const at = input.findIndex(isReply);
  if (at === -1) return;
  const detail = "A conversation keeps its own replies: send only what is new.";
  throw new OpenAiError(400, "invalid_value", detail, `input[${at}]`);
}

function answeringOf({
  tools,
  tool_choice: choice,
  text,
}: ResponseRequest): Pick<ChatRequest, "tools" | "tool_choice" | "response_format"> {
  const allowed = typeof choice === "object" && choice?.type === "allowed_tools" ? choice : undefined;
  const one = typeof choice === "object" && choice?.type === "function" ? choice : undefined;
  const word = typeof choice === "string" ? choice : undefined;
  const named = allowed?.tools ?? (one === undefined ? [] : [one]);
  const unknown = named.find((each) => !(tools ?? []).some((tool) => tool.name === each.name));
  if (unknown !== undefined) {
    const detail = `There is no tool "${unknown.name}" among \`tools\`.`;
    throw new OpenAiError(400, "invalid_value", detail, "tool_choice");
  }
  const format = text?.format;
  return {
    // A tool that isn't allowed is none that the model could call.
    tools: (tools ?? [])
      .filter((tool) => allowed === undefined || allowed.tools.some((each) => each.name === tool.name))
      .map(({ name: toolName, description, parameters, strict }) => ({
        type: "function",
        function: { name: toolName, description, parameters, strict },
      })),
    tool_choice:
      one === undefined
        ? allowed === undefined
          ? word
          : (allowed.mode ?? "auto")
        : { type: "function", function: { name: one.name } },
    response_format:
      format?.type === "json_schema"
        ? {
            type: "json_schema",
            json_schema: {
              name: format.name,
              schema: format.schema,
              description: format.description,
              strict: format.strict,
            },
          }
        : format,
  };
}
