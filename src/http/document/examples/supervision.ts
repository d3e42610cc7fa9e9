/** Examples of decisions, their labels and reports, and of trials. */
import { resourceSchemas } from "../../../tenancy/resources.js";
import { at, keyId } from "./known.js";
import { resources } from "./resources.js";

const trial = {
  together: { action: "modify", reasons: ["It held personal data."], text: "Write to [redacted]." },
  alone: [
    {
      supervisor: "privacy",
      version: 3,
      mode: "enforce",
      action: "modify",
      reasons: ["It held personal data."],
      text: "Write to [redacted].",
      matched: ["1"],
      latencyMs: 0,
    },
  ],
};

const decision = {
  decisionId: "dec_ses_01m8072fx3xw2y7q4w92ev76va_12_0",
  at,
  sessionId: "ses_01m8072fx3xw2y7q4w92ev76va",
  workId: "trn_01m8072fnxcpb7qpfmgef2zghm",
  hook: "request",
  action: "block",
  decision: "block",
  supervisor: "privacy",
  mode: "enforce",
  version: 3,
  rules: ["card"],
  reasons: ["It held personal data."],
  about: { messageId: "msg_01m8072fnxcpb7qpfmgef2zghn" },
  agent: "clerk",
  subject: "ada",
  label: "wrong",
};
const counts = { labelled: 31, right: 22, wrong: 9, unsure: 0, summary: "9 of 31 labelled wrong" };
const falseAlarms = { share: 0.29, low: 0.161, high: 0.466 };
const none = { labelled: 0, right: 0, wrong: 0, unsure: 0, summary: "0 of 0 labelled wrong" };
const label = { label: "wrong", note: "An order number is no card." };

export const supervisionExamples: Readonly<Record<string, unknown>> = {
  DecisionSummary: decision,
  Decision: {
    ...decision,
    labels: [{ ...label, by: { kind: "key", id: keyId, role: "operator" }, at }],
    texts: { before: "My order is 4111 1111." },
  },
  SupervisorSuggestions: {
    ...{ supervisor: "privacy", version: 3 },
    items: [
      {
        ...{ rule: "order-numbers", change: "remove", drawn: { right: 0, wrong: 14 }, held: { right: 1, wrong: 15 } },
        summary:
          "14 of 14 were false alarms; of 16 others it would let pass 15 false alarms and 1 that were rightly stopped",
        body: resourceSchemas.supervisors.parse(resources.supervisors.body),
      },
    ],
  },
  DecisionReport: {
    from: at,
    to: at,
    items: [{ supervisor: "privacy", ...counts, falseAlarms, rules: [{ rule: "card", ...counts, falseAlarms }] }],
    passed: none,
  },
  NewDecisionLabel: label,
  NewTrial: { supervisors: ["privacy"], on: { text: "Write to ada@example.com." } },
  Trial: trial,
  NewReplay: { supervisor: { name: "privacy", version: 2 }, of: "privacy" },
  Replay: {
    wrong: { tried: 1, freed: 1 },
    right: { tried: 0, missed: 0 },
    items: [{ decisionId: decision.decisionId, label: "wrong", hook: "request", action: "block", now: "allow" }],
  },
};
