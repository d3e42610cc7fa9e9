/** Examples of OpenAI's shapes, by the name of the shape or the operation. */

const model = { id: "clerk", object: "model", created: 1_795_339_800, owned_by: "conclave" };
const head = { id: "chatcmpl-01m8072fx3xw2y7q4w92ev76va", created: 1_795_339_800, model: "clerk" };

export const openAiExamples = {
  OpenAiError: {
    error: {
      message: 'There is no agent "robot"; GET /v1/models lists those there are. (there is no such agent)',
      type: "invalid_request_error",
      param: "model",
      code: "model_not_found",
    },
  },
  OpenAiModel: model,
  "listModels 200": { object: "list", data: [model] },
  ChatCompletionRequest: {
    model: "clerk",
    messages: [{ role: "user", content: "Where is my parcel?" }],
    user: "ada",
  },
  ChatCompletion: {
    ...head,
    object: "chat.completion",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "It comes tomorrow.", refusal: null },
        finish_reason: "stop",
        logprobs: null,
      },
    ],
    usage: { prompt_tokens: 31, completion_tokens: 5, total_tokens: 36 },
  },
  ChatCompletionChunk: {
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta: { content: "It comes " }, finish_reason: null, logprobs: null }],
  },
};
