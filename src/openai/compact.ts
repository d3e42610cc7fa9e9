/** `POST /v1/responses/compact`: the agent sums a conversation up, and the summary stands for it from then on. */
import type { Context } from "hono";
import type { z } from "zod";
import { completeChat } from "../application/openai/complete-chat.js";
import { responseId } from "../application/openai/response-ref.js";
import type { FaceEnv } from "../http/face.js";
import { readBody } from "./body.js";
import { actorOf, answering, callerOf } from "./calls.js";
import { sealCompaction } from "./compaction.js";
import { OpenAiError } from "./errors.js";
import { lookUpItems } from "./item-look-ups.js";
import { answerOf } from "./outcome.js";
import { compactBodySchema } from "./response-body.js";
import type { compactionSchema } from "./response-document.js";
import { usageOf } from "./response-object.js";
import { responseInput } from "./response-request.js";

const summaryRequest =
  "Sum up the conversation so far, so that it can go on from the summary alone: who is talking, what was asked and answered, what was agreed, what is still open, and every name, number and date as it was given. Write the summary only.";

export function compact(c: Context<FaceEnv>): Promise<Response> {
  return answering(c, async () => {
    const services = c.get("services");
    // Its answer is all that there is of it: under a key it is just done again.
    const actor = { ...actorOf(c), command: undefined };
    const { model, input: sent, previous_response_id, instructions } = readBody(compactBodySchema, c.get("bodyText"));
    if (sent == null && previous_response_id == null) {
      const detail = "There is nothing to compact: send `input` or `previous_response_id`.";
      throw new OpenAiError(400, "missing_required_parameter", detail, "input");
    }
    const before = await lookUpItems(sent ?? [], { actor }, services);
    const request = responseInput(
      {
        model,
        previous_response_id,
        instructions,
        store: false,
        truncation: "auto",
        tool_choice: "none",
        input: [...before, { type: "message", role: "user", content: summaryRequest }],
      },
      undefined,
    );
    // A question that the conversation ends with isn't answered by this.
    const input = { ...request, askId: undefined, isAside: true };
    const outcome = await completeChat(actor, { input, caller: callerOf(c).caller }, services);
    const answer = answerOf(outcome);
    if (answer.kind === "refused") throw new OpenAiError(400, "content_filter", answer.refusal, "input");
    if (answer.kind === "asks") throw new OpenAiError(409, "waiting_on_ask", answer.text);
    const { turn, place } = outcome;
    const body: z.infer<typeof compactionSchema> = {
      id: responseId(place),
      object: "response.compaction",
      created_at: Math.floor(Date.parse(turn.createdAt) / 1000),
      output: [
        {
          type: "compaction",
          id: turn.turnId.replace(/^trn/, "cmp"),
          encrypted_content: await sealCompaction(actor, answer.text, services),
        },
      ],
      usage: usageOf(turn),
    };
    return c.json(body, 200);
  });
}
