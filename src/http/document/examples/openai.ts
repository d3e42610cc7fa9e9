/** Examples of OpenAI's shapes, by the name of the shape or the operation. */

const model = { id: "clerk", object: "model", created: 1_795_339_800, owned_by: "conclave" };
const head = { id: "chatcmpl-01m8072fx3xw2y7q4w92ev76va", created: 1_795_339_800, model: "clerk" };

const response = {
  id: "resp_ses_01m8072fx3xw2y7q4w92ev76va_01m8072fy2kq3c4w92ev76vaxy",
  object: "response",
  created_at: 1_795_339_800,
  completed_at: 1_795_339_802,
  status: "completed",
  incomplete_details: null,
  error: null,
  model: "clerk",
  instructions: null,
  output: [
    {
      type: "message",
      id: "msg_ses_01m8072fx3xw2y7q4w92ev76va_01m8072fy2kq3c4w92ev76vaxy",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "It comes tomorrow.", annotations: [], logprobs: [] }],
    },
  ],
  usage: {
    input_tokens: 31,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 36,
  },
  previous_response_id: null,
  tools: [],
  tool_choice: "auto",
  truncation: "disabled",
  parallel_tool_calls: true,
  text: { format: { type: "text" } },
  top_p: 1,
  temperature: 1,
  max_output_tokens: null,
  store: true,
  metadata: {},
  user: "ada",
  safety_identifier: null,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  max_tool_calls: null,
  presence_penalty: 0,
  frequency_penalty: 0,
  top_logprobs: 0,
  background: false,
  service_tier: "default",
};

export const openAiExamples = {
  ResponseRequest: { model: "clerk", input: "Where is my parcel?", user: "ada" },
  Response: response,
  ResponseEvent: {
    type: "response.output_text.delta",
    sequence_number: 4,
    item_id: "msg_ses_01m8072fx3xw2y7q4w92ev76va_01m8072fy2kq3c4w92ev76vaxy",
    output_index: 0,
    content_index: 0,
    delta: "It comes ",
    logprobs: [],
  },
  "compactResponse request": { model: "clerk", previous_response_id: response.id },
  "compactResponse 200": {
    id: response.id,
    object: "response.compaction",
    created_at: 1_795_339_800,
    output: [{ type: "compaction", id: "cmp_01m8072fy2kq3c4w92ev76vaxy", encrypted_content: "kb2…" }],
    usage: response.usage,
  },
  "listResponseInputItems 200": {
    object: "list",
    data: [
      {
        type: "message",
        id: `${response.id.replace(/^resp/, "in")}_0`,
        status: "completed",
        role: "user",
        content: [{ type: "input_text", text: "Where is my parcel?" }],
      },
    ],
    first_id: `${response.id.replace(/^resp/, "in")}_0`,
    last_id: `${response.id.replace(/^resp/, "in")}_0`,
    has_more: false,
  },
  "deleteResponse 200": { id: response.id, object: "response", deleted: true },
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
    usage: {
      prompt_tokens: 31,
      completion_tokens: 5,
      total_tokens: 36,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
  },
  ChatCompletionChunk: {
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta: { content: "It comes " }, finish_reason: null, logprobs: null }],
  },
};
