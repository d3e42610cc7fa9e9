/** Examples of roundtables, by the name of the shape or the operation. */
const sessionId = "rt_01m817ee21v3z0v28k2h8pgcgj";
const requestId = "ask_01m817ee4dz6kq1y9v0c3w8t5n_rt_01m817ee21v3z0v28k2h8pgcgj";
const at = "2026-11-22T09:30:00.000Z";
const end = "2026-11-22T09:30:09.000Z";

const position = {
  agentId: "attacker",
  name: "Attacker",
  role: "red",
  round: 1,
  stance: "NO",
  position: "Tokens that never expire will leak and stay useful.",
  reasoning: "Nothing in the design revokes one.",
  confidence: 0.8,
  citations: [{ title: "RFC 9700", url: "https://www.rfc-editor.org/rfc/rfc9700" }],
  citedContext: [],
};
const held = {
  seat: "attacker",
  round: 1,
  stance: "NO",
  position: position.position,
  reasoning: position.reasoning,
  confidence: 0.8,
  citations: position.citations,
  citedContext: [],
};
const consensus = {
  round: 1,
  agreementLevel: 1,
  meanConfidence: 0.8,
  stances: { YES: 0, NO: 1, NEUTRAL: 0, none: 0 },
  stancesAreParts: false,
  summary: `Attacker alone spoke (confidence 0.80): NO: ${position.position}`,
  clusters: [
    { seats: ["attacker"], stance: "NO", spokenFor: "attacker", position: position.position, confidence: 0.8 },
  ],
  commonGround: [],
  disagreements: [],
  nuances: [],
  minority: [],
  givenUp: [],
  movements: [],
  isStable: false,
};
const request = {
  requestId,
  id: requestId,
  askId: requestId,
  label: "C1",
  agentId: "builder",
  agentIds: ["builder"],
  query: "How long do access tokens live?",
  reason: "The risk of a leak depends on it.",
  reasons: ["The risk of a leak depends on it."],
  priority: "required",
  round: 1,
  status: "open",
  timestamp: at,
};
const failure = { agentId: "builder", error: "the model failed", attempts: 2, reason: "failed" };
const summary = {
  sessionId,
  status: "needs_context",
  running: false,
  topic: "Is the login ready to ship?",
  mode: "red-team-blue-team",
  panel: "design-review",
  currentRound: 1,
  totalRounds: 2,
  metadata: {},
  createdAt: at,
  updatedAt: end,
};
const roundtable = {
  ...summary,
  blocking: true,
  message: "Agents have requested additional context before continuing.",
  agents: [
    { agentId: "attacker", name: "Attacker", role: "red" },
    { agentId: "builder", name: "Builder", role: "blue" },
  ],
  roundNumber: 1,
  responses: [position],
  consensus,
  contextRequests: [request],
  failures: [failure],
  asks: [],
  degraded: [],
  usage: { modelCalls: 4, inputTokens: 2_100, outputTokens: 320 },
};
const thoughts = {
  agentId: "attacker",
  name: "Attacker",
  role: "red",
  rounds: [{ round: 1, position: withoutSeat(held), asked: [] }],
};

function withoutSeat({ seat: _, round: __, ...rest }: typeof held) {
  return rest;
}

export const roundtableExamples: Readonly<Record<string, unknown>> = {
  "createRoundtable request": { topic: "Is the login ready to ship?", panel: "design-review", waitMs: 30_000 },
  "continueRoundtable request": {
    contextResults: [{ requestId, content: "Fifteen minutes.", source: "docs/auth.md" }],
  },
  "contextRoundtable request": { contextResults: [{ requestId, success: true, result: "Fifteen minutes." }] },
  "synthesisRoundtable request": { waitMs: 30_000 },
  "controlRoundtable request": { action: "pause" },
  "forkRoundtable request": { round: 1 },
  Roundtable: roundtable,
  RoundtableSummary: summary,
  RoundtableRound: {
    round: 1,
    responses: [position],
    failures: [failure],
    absent: [],
    passes: [],
    consensus,
    contextRequests: [request],
    startedAt: at,
    endedAt: end,
  },
  Consensus: consensus,
  Thoughts: thoughts,
  DebateCitation: { ...position.citations[0], agentIds: ["attacker"], rounds: [1] },
  ContextRequest: request,
  DebateExport: {
    format: "conclave.roundtable/1",
    sessionId,
    topic: summary.topic,
    mode: "red-team-blue-team",
    panel: "design-review",
    status: "needs_context",
    seats: [
      { id: "attacker", name: "Attacker", role: "red" },
      { id: "builder", name: "Builder", role: "blue" },
    ],
    totalRounds: 2,
    rounds: [
      {
        round: 1,
        positions: [held],
        failures: [{ seat: "builder", error: "the model failed", attempts: 2, reason: "failed" }],
        absent: [],
        consensus,
        passes: [],
        startedAt: at,
        endedAt: end,
      },
    ],
    requests: [],
    usage: { modelCalls: 4, inputTokens: 2_100, outputTokens: 320, activeMs: 8_200 },
    createdAt: at,
    thoughts: [thoughts],
  },
  "getRoundtableExport 200 text/markdown": "# Is the login ready to ship?\n",
  RoundtableEvent: { id: 1, event: "roundtable.started", data: { roundtableId: sessionId } },
};
