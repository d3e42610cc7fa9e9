/** Examples of datasets and evals, by the name of the shape or the operation. */

const at = "2026-11-28T09:30:00.000Z";
const itemId = "itm_9b2e4f0c7a51d3e8b6f0a1c2d3";
const evalId = "evl_01m8fy2fx3xw2y7q4w92ev76va_refunds";
const expected = { action: "allow" };
const share = { share: 0.05, low: 0.038, high: 0.066 };
const result = { action: "block", matched: ["privacy: card"], latencyMs: 1 };
const estimate = { calls: 2_000, modelCalls: 0, tokens: 0 };
const view = {
  ...{ evalId, dataset: "refunds", version: 3, status: "completed" },
  candidates: [
    { name: "now", supervisors: ["privacy@3"] },
    { name: "narrower", supervisors: ["body"] },
  ],
  ...{ repeats: 1, progress: { items: 1_000, wanted: 2_000, done: 2_000, failed: 0 }, spent: 0, reserved: 0 },
  ...{ estimate, createdAt: at, endedAt: "2026-11-28T09:30:04.000Z" },
};

const experiment = {
  ...{ agent: "shop", unit: "subject", variants: [{ name: "shorter", agent: "shop-shorter", share: 0.1 }] },
  guards: [{ metric: "blocked", margin: 1.5, bar: 100 }],
};
const shareOfUnits = { units: 45, share };

export const evidenceExamples = {
  NewExperiment: experiment,
  Experiment: {
    ...experiment,
    ...{
      status: "running",
      phases: [{ shorter: 0.1, control: 0.9 }],
      versions: { shorter: 3 },
      tripped: [],
      startedAt: at,
    },
    ...{ name: "shorter-answers", version: 2, updatedAt: at },
  },
  "promoteExperiment request": { variant: "shorter" },
  ExperimentReport: {
    variants: [
      {
        variant: "control",
        units: 900,
        blocked: shareOfUnits,
        failed: shareOfUnits,
        degraded: { units: 0 },
        negative: { units: 0 },
      },
    ],
    ...{
      evidence: { blocked: 0.4, failed: 0.2, degraded: 0.1, negative: 0.1 },
      split: { evidence: 0.2, broken: false },
    },
    ...{ verdict: "no_difference", summary: "No difference seen in 1000 conversations." },
  },
  "putDataset request": { description: "What customers wrote about refunds." },
  Dataset: {
    ...{
      name: "refunds",
      description: "What customers wrote about refunds.",
      version: 3,
      items: 1_000,
      labelled: 1_000,
    },
    ...{ createdAt: at, updatedAt: at },
  },
  "createDatasetItem request": '{"input": "My order is 4111 1111.", "expected": {"action": "allow"}}\n',
  "createDatasetItem 200": { added: 1, same: 0, version: 1, invalid: [{ line: 2, detail: "it isn't JSON" }] },
  NewDraw: { labels: "reviews", filter: { supervisor: "privacy" }, sample: 200 },
  "createDatasetItemsFromSession 200": { added: 31, same: 0, version: 2, found: 31 },
  DatasetItem: {
    ...{ itemId, hook: "request", input: "My order is 4111 1111.", expected, source: "import" },
    labelledBy: "key key_01m8072fnxcpb7qpfmgef2zghm",
  },
  ExpectedResult: expected,
  "putDatasetItemLabel request": { expected },
  "resumeEval request": { maxTokens: 200_000 },
  "getEvalComparison 200 text/markdown": "# refunds, version 3\n",
  "createEval request": {
    dataset: "refunds",
    candidates: [
      { name: "now", supervisors: ["privacy"] },
      { name: "narrower", supervisors: [{ name: "privacy", version: 2 }] },
      { name: "cheaper", agent: "shop", change: { model: "default" } },
    ],
    maxTokens: 200_000,
  },
  AnsweringCandidate: { name: "cheaper", agent: "shop", change: { model: "default" } },
  "replaySession request": {
    candidates: [{ name: "cheaper", agent: "shop", change: { model: "default" } }],
    maxTokens: 20_000,
  },
  "createReplay request": {
    filter: { agent: "shop" },
    sample: 100,
    candidates: [{ name: "cheaper", agent: "shop", change: { model: "default" } }],
    maxTokens: 200_000,
  },
  Eval: view,
  EvalResult: {
    itemId,
    candidate: "now",
    repeat: 0,
    input: "My order is 4111 1111.",
    expected,
    correct: false,
    result,
  },
  SupervisorComparison: {
    ...{ supervisor: { name: "privacy-next", version: 1 }, with: { name: "privacy", version: 3 } },
    ...{ from: at, to: "2026-11-29T09:30:00.000Z", complete: true, rows: 412 },
    unpaired: { supervisor: 0, with: 0, share: { share: 0, low: 0, high: 0.019 } },
    comparison: { candidates: [], pairs: [] },
    disagreements: [
      {
        ...{ at, sessionId: "ses_01m8fy2fx3xw2y7q4w92ev76va", workId: "turn_01m8fy2fx4b8c1m2zq5r6s7t8v" },
        ...{ hook: "request", about: {}, action: "allow", withAction: "block" },
      },
    ],
  },
  "getSupervisorComparison 200 text/markdown": "# privacy-next@1 beside privacy@3\n",
  Comparison: {
    candidates: [
      {
        ...{
          candidate: "now",
          results: 1_000,
          failed: 0,
          table: { allow: { allow: 855, modify: 0, review: 0, block: 45 } },
        },
        ...{ precision: { share: 0.64, low: 0.553, high: 0.719 }, recall: { share: 0.8, low: 0.711, high: 0.867 } },
        ...{ falseAlarms: share, latencyMs: { median: 1, p95: 2 }, tokens: 0 },
      },
    ],
    pairs: [
      {
        ...{
          candidate: "narrower",
          against: "now",
          items: 1_000,
          onlyCandidate: 40,
          onlyAgainst: 5,
          difference: 0.035,
        },
        ...{ of: "correct", interval: { low: 0.021, high: 0.049 }, p: 0, verdict: "better" },
        ...{ actions: { allow: { allow: 955, modify: 0, review: 0, block: 5 } } },
        summary: "narrower is better than now by 3.5 points [2.1, 4.9].",
      },
    ],
  },
};
