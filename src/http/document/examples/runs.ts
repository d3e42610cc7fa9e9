/** Examples of runs of teams, by the name of the shape or the operation. */
const runId = "run_01m817ee21v3z0v28k2h8pgcgj";
const at = "2026-11-22T09:30:00.000Z";
const supervision = {
  status: "ok",
  request: { action: "allow", reasons: [] },
  response: { action: "allow", reasons: [] },
  degraded: [],
};
const decision = {
  targetAgent: "billing",
  reasoning: "It is about an invoice.",
  confidence: 0.9,
  strategy: "llm-based",
  timestamp: at,
  iteration: 0,
};
const run = {
  runId,
  status: "completed",
  team: "support",
  input: "Where is my invoice?",
  metadata: {},
  decisions: [decision],
  results: [
    {
      worker: "billing",
      iteration: 0,
      status: "completed",
      output: "It was sent on Monday.",
      attempts: 1,
      elapsedMs: 820,
      effects: [{ server: "shop", tool: "send_invoice", outcome: "done" }],
    },
  ],
  clarifications: [
    {
      askId: `ask_01m817ee2fz7xq2m3n4p5r6s7t_${runId}`,
      question: "Which invoice is it?",
      answer: "That of October.",
      from: "human",
      by: { kind: "key", id: "key_01m8072f", role: "client" },
      at: "2026-11-22T09:30:01.000Z",
    },
  ],
  response: "It was sent on Monday.",
  supervision,
  asks: [],
  usage: { modelCalls: 2, inputTokens: 210, outputTokens: 34 },
  createdAt: at,
  endedAt: "2026-11-22T09:30:02.000Z",
};

export const runExamples: Readonly<Record<string, unknown>> = {
  "createRun request": { team: "support", input: "Where is my invoice?", waitMs: 30_000 },
  Run: run,
  RunSummary: { runId, status: "completed", team: "support", createdAt: at, endedAt: run.endedAt, metadata: {} },
  RunTrace: {
    runId,
    status: "completed",
    entries: [
      { seq: 1, at, type: "run.started", data: { runId } },
      { seq: 2, at, type: "routing.decided", data: { type: "routing.decided", path: [], decision } },
    ],
    story: `# Run ${runId}: completed\n\n- 09:30:00 Routed to billing (llm-based, 90 % sure): It is about an invoice.`,
  },
  "getRunTrace 200 text/markdown": `# Run ${runId}: completed\n\n- 09:30:00 Routed to billing (llm-based, 90 % sure).\n`,
  "getRunTrace 200 text/plain": `# Run ${runId}: completed\n\n- 09:30:00 Routed to billing (llm-based, 90 % sure).\n`,
  "getDeliveryParked 200": {
    items: [{ deliveryId: 12, topic: "audit", attempts: 16, error: "D1_ERROR: the database is full", parkedAt: at }],
  },
  "retryDeliveryParked 200": { retried: 1 },
  TurnTrace: {
    sessionId: "ses_01m7zd2j8n3k4v5w6x7y8z9abc",
    turnId: "trn_01m7zd2j8n3k4v5w6x7y8z9abd",
    status: "completed",
    entries: [{ seq: 4, at, type: "routing.decided", data: { type: "routing.decided", path: [], decision } }],
    story:
      "# Turn trn_01m7zd2j8n3k4v5w6x7y8z9abd: completed\n\n- 09:30:00 Routed to billing (llm-based, 90 % sure): It is about an invoice.",
  },
  "getSessionTurnTrace 200 text/markdown":
    "# Turn trn_01m7zd2j8n3k4v5w6x7y8z9abd: completed\n\n- 09:30:00 Routed to billing (llm-based, 90 % sure).\n",
  "getSessionTurnTrace 200 text/plain":
    "# Turn trn_01m7zd2j8n3k4v5w6x7y8z9abd: completed\n\n- 09:30:00 Routed to billing (llm-based, 90 % sure).\n",
  RunEvent: { id: 1, event: "run.started", data: { runId } },
};
