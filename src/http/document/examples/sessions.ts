/** Examples of sessions and all that happens in them, by the name of the shape or the operation. */
import { newSessionSchema } from "../../../chat/session.js";

const sessionId = "ses_01m8072fx3xw2y7q4w92ev76va";
const turnId = "trn_01m8072fnxcpb7qpfmgef2zghm";
const messageId = "msg_01m8072fnxcpb7qpfmgef2zghn";
const askId = `ask_01m8072fy4n4cxdfev890nzwnd_${sessionId}`;
const at = "2026-11-22T09:30:00.000Z";
const hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

const nothing = { rules: [], references: [], tools: [] };
const newSession = {
  agent: "clerk",
  subject: "ada",
  externalId: "conversation-17",
  supervisors: ["privacy"],
  context: { rules: ["politeness"], references: ["returns"] },
  metadata: { channel: "web" },
};
const feedback = {
  sessionId,
  turnId,
  score: -1,
  label: "wrong-date",
  by: { kind: "token", id: "tok:ada", role: "user", subject: "ada" },
  agent: "clerk",
  subject: "ada",
  at,
};
const operator = { kind: "key", id: "key_01m8072f", role: "operator" };
const supervisor = { kind: "supervisor", id: "privacy" };
const context = { rules: ["politeness"], references: ["returns"], tools: [], excluded: nothing };
const message = { messageId, role: "user", content: "My card is [card]. When is the refund paid?" };
const reply = {
  messageId: "msg_01m8072fnxcpb7qpfmgef2zghp",
  role: "assistant",
  modelReply: {
    timestamp: at,
    turns: [
      {
        turnId: "msg_01m8072fnxcpb7qpfmgef2zghp.0",
        message: "The refund is paid within 14 days of the return.",
        inputTokens: 64,
        outputTokens: 12,
      },
    ],
  },
};
const session = {
  ...newSessionSchema.parse(newSession),
  sessionId,
  status: "idle",
  contextVersion: 1,
  lastTurn: { turnId, status: "completed" },
  createdAt: at,
  updatedAt: "2026-11-22T09:30:01.000Z",
};
const turn = {
  turnId,
  status: "completed",
  message,
  reply,
  supervision: {
    status: "ok",
    request: { action: "modify", reasons: ["It held personal data."] },
    response: { action: "allow", reasons: [] },
    degraded: [],
  },
  asks: [],
  usage: { modelCalls: 1, inputTokens: 64, outputTokens: 12 },
  createdAt: at,
  endedAt: "2026-11-22T09:30:01.000Z",
};

/** As an operator reads it: others see no `failure`. */
const failedTurn = {
  turnId,
  status: "failed",
  message,
  error: {
    messageId: reply.messageId,
    role: "error",
    content: "The answer failed: nobody could give one (model_failed). Send the message again later.",
  },
  failure: "openai/gpt-5: the server answered 503, three times",
  calls: [{ toolCallId: "call_1", server: "shop", tool: "refund", outcome: "done" }],
  supervision: { status: "ok", request: turn.supervision.request, degraded: [] },
  asks: [],
  usage: { modelCalls: 2, inputTokens: 128, outputTokens: 9 },
  createdAt: at,
  endedAt: "2026-11-22T09:30:09.000Z",
};

/** What became of asks. */
const decided = { answered: 9, medianMs: 41_000, p90Ms: 310_000, accepted: 6, edited: 2, rejected: 1 };

export const sessionExamples: Readonly<Record<string, unknown>> = {
  "getSessionConversation 200": { items: [{ turnId, message, passes: [], asks: [], feedback: [] }], earlier: 41 },
  NewSession: newSession,
  Session: session,
  "updateSession request": { metadata: { channel: "app", campaign: null } },
  SessionContextChange: { add: { references: ["returns"] }, reason: "The customer asks about a return." },
  SessionContextView: {
    version: 1,
    context,
    history: [{ version: 1, author: operator, reason: "The customer asks about a return.", at, context }],
  },
  EffectiveSessionContext: {
    version: 1,
    context,
    history: [{ version: 1, author: operator, reason: "The customer asks about a return.", at, context }],
    effective: [
      { kind: "rules", name: "polite", version: 2, because: "always" },
      { kind: "references", name: "returns", version: 1, because: "session" },
      { kind: "tools", name: "shop/lookup_order", version: 3, because: "agent" },
    ],
  },
  NewChatMessage: { content: "My card is 4111 1111 1111 1111. When is the refund paid?", waitMs: 30_000 },
  Turn: turn,
  "getSessionTurn 200": failedTurn,
  ChatMessage: message,
  UiChatRequest: {
    id: "conversation-17",
    messages: [{ id: "kV3mTQ", role: "user", parts: [{ type: "text", text: "When is the refund paid?" }] }],
    trigger: "submit-message",
    agent: "clerk",
  },
  "listUiChatMessages 200": {
    items: [
      {
        id: "msg_01m8072fnxcpb7qpfmgef2zghn",
        role: "user",
        metadata: { sessionId, turnId },
        parts: [{ type: "text", text: "When is the refund paid?" }],
      },
      {
        id: turnId,
        role: "assistant",
        metadata: { sessionId, turnId, status: "completed", supervision: "ok" },
        parts: [
          { type: "step-start" },
          {
            type: "text",
            text: "The refund is paid within 14 days of the return.",
            state: "done",
            providerMetadata: { conclave: { id: "text-1" } },
          },
        ],
      },
    ],
    resume: false,
    earlier: null,
  },
  UiMessageChunk: { type: "text-delta", id: "text-1", delta: "The refund is paid within 14 days of the return." },
  SessionEvent: { id: 7, event: "turn.completed", data: turn },
  MessageVersion: {
    version: 2,
    message,
    author: supervisor,
    decision: "modify",
    reasons: ["It held personal data."],
    at,
    hash,
    chain: hash,
    diff: [{ same: "My card is " }, { removed: "4111 1111 1111 1111" }, { added: "[card]" }],
  },
  MessageEdit: {
    operations: [
      { type: "redact_span", turnId: "msg_01m8072fnxcpb7qpfmgef2zghp.0", text: "14 days", replacement: "two weeks" },
    ],
    baseHash: hash,
    reason: "The period has changed.",
  },
  SupervisionState: {
    hook: "request",
    decision: "modify",
    reasons: ["It held personal data."],
    contextChanges: {
      addedRules: [],
      removedRules: [],
      addedReferences: [],
      removedReferences: [],
      addedTools: [],
      removedTools: [],
    },
    steps: [
      {
        supervisor: "privacy",
        action: "modify",
        reasons: ["It held personal data."],
        beforeHash: hash,
        afterHash: `${hash.slice(1)}0`,
        latencyMs: 2,
        mode: "enforce",
      },
    ],
    degraded: [],
    subject: { messageId: message.messageId },
    turnId,
    at,
  },
  Ask: {
    askId,
    kind: "review",
    question: "May this response pass?",
    reason: "A person looks at every promise of money.",
    priority: "normal",
    proposal: {
      hook: "response",
      original: "The refund is paid within 14 days of the return.",
      proposed: "The refund is paid within 14 days of the return.",
    },
    from: {
      sessionId,
      turnId,
      subject: "ada",
      externalId: "conversation-17",
      metadata: { channel: "web" },
      agent: "clerk",
      supervisors: ["promises"],
      about: { message: "My card is [card]. When is the refund paid?" },
    },
    audience: "staff",
    status: "open",
    preview: "The refund is paid within 14 days of the return.",
    overdueAt: "2026-11-22T03:20:11.312Z",
    claim: { by: { kind: "person", id: "per_01m8072fy4n4cxdfev890nzwnd", role: "reviewer" }, until: at },
    openedAt: at,
  },
  "claimAsk request": { takeOver: true },
  "deferAsk request": { until: "2026-11-23T08:00:00.000Z" },
  "answerAsks request": { askIds: [askId], decision: "accept", note: "As agreed on Monday." },
  "answerAsks 200": {
    batchId: "bat_01m8072fy4n4cxdfev890nzwnd",
    decided: [],
    refused: [{ askId, code: "claimed", detail: "Somebody else is at this ask." }],
  },
  "listAsksCounts 200": {
    open: 3,
    byKind: { human: 0, context: 0, approval: 1, review: 2, handover: 0 },
    byAudience: { user: 0, staff: 3 },
    byAgent: [{ agent: "clerk", open: 3 }],
    overdue: 1,
    mine: 0,
    deferred: 1,
    byQueue: [
      { queue: "Refunds", open: 31, more: true },
      { queue: "Reviews", open: 2 },
    ],
  },
  "getAsksReport 200": {
    from: "2026-11-15T00:00:00.000Z",
    to: "2026-11-22T00:00:00.000Z",
    complete: true,
    closed: { ...decided, expired: 1, cancelled: 0 },
    byKind: [{ kind: "review", ...decided }],
    bySupervisor: [{ supervisor: "promises", ...decided }],
    byPerson: [{ personId: "per_01k00000000000000000000000", ...decided }],
    openByAge: { underFiveMinutes: 2, underAnHour: 1, underADay: 0, longer: 0 },
  },
  "giveFeedback request": { about: { turnId }, score: -1, label: "wrong-date", comment: "It came on Sunday." },
  "giveFeedback 200": { ...feedback, comment: "It came on Sunday." },
  "listFeedback 200": { items: [feedback], nextCursor: null },
  "writeAsStaff request": { content: "This is Ada. I have found your parcel: it comes on Monday." },
  "requestPerson request": { speaker: "Ana" },
  "answerAsk request": { decision: "edit", content: "The refund is paid within 14 days." },
};
