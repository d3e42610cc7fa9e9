/** Examples of what a tenant has stored: agents, supervisors, teams and the rest, and its configuration as a whole. */
import { type ResourceKind, resourceKinds, resourceNoun, resourceSchemas } from "../../../tenancy/resources.js";
import { at, keyId } from "./known.js";

const item = { text: "Goods can be returned within 30 days.", include: "auto" };

export const resources: Readonly<Record<ResourceKind, { readonly name: string; readonly body: object }>> = {
  agents: {
    name: "clerk",
    body: {
      kind: "model",
      model: ["openai/gpt-5", "offline"],
      instructions: "You are the clerk of a shop.",
      references: ["returns"],
      supervisors: ["privacy"],
    },
  },
  supervisors: {
    name: "privacy",
    body: {
      kind: "rules",
      hooks: ["request", "response"],
      config: { rules: [{ match: { type: "personalData" }, action: "redact", reason: "It held personal data." }] },
    },
  },
  rules: { name: "politeness", body: item },
  references: { name: "returns", body: item },
  tools: {
    name: "orders",
    body: {
      server: "shop",
      description: "Looks up an order by its number.",
      parameters: { type: "object", properties: { number: { type: "string" } }, required: ["number"] },
      http: { method: "GET", url: "https://shop.example/orders" },
    },
  },
  prompts: { name: "summary", body: { text: "Say in one sentence what the message states." } },
  teams: {
    name: "support",
    body: {
      supervisor: { strategy: "skill-based" },
      workers: [
        {
          id: "billing",
          description: "Answers questions about invoices.",
          capabilities: { skills: ["invoices"] },
          model: "default",
        },
      ],
    },
  },
  panels: {
    name: "design-review",
    body: {
      mode: "red-team-blue-team",
      seats: [
        { id: "attacker", name: "Attacker", persona: "A penetration tester.", model: "default" },
        { id: "builder", name: "Builder", persona: "The architect of the system.", model: "default" },
      ],
      rounds: 2,
    },
  },
};

export const version = { version: 1, author: { kind: "key", id: keyId, role: "operator" }, createdAt: at };
const diff =
  '--- version 1\n+++ version 2\n@@ -1,3 +1,3 @@\n {\n-  "description": ""\n+  "description": "Of the shop"\n }\n';

/** `Agent`, as it is written, and `StoredAgent`, as it is read, of each kind. */
const stored = Object.fromEntries(
  resourceKinds.flatMap((kind) => {
    const { name, body } = resources[kind];
    const one = resourceNoun(kind);
    const noun = one.slice(0, 1).toUpperCase() + one.slice(1);
    const read = { name, version: 1, updatedAt: at, ...resourceSchemas[kind].parse(body) };
    return [
      [`put${noun} request`, body],
      // What is read has the defaults too.
      [`Stored${noun}`, read],
      [`get${noun}Version 200`, { ...read, ...version }],
      [`get${noun}VersionDiff 200`, { from: 1, to: 2, diff }],
    ];
  }),
);

/** It spares model calls: short replies, and nine in ten of the others, it isn't asked about. */
const judge = {
  kind: "agent",
  hooks: ["response"],
  when: { minCharacters: 200, sample: 0.1 },
  clientMessage: "That answer was not in our tone.",
  config: { model: "default", instructions: "Block replies that are rude." },
};

export const resourceExamples: Readonly<Record<string, unknown>> = {
  ResourceVersion: version,
  Config: {
    resources: { agents: { clerk: resources.agents.body }, supervisors: { privacy: resources.supervisors.body } },
    settings: { strict: true, supervisors: ["privacy"] },
    prune: true,
    expectRevision: 12_582_917,
  },
  ConfigPlan: {
    revision: 12_582_917,
    changes: [
      { kind: "agents", name: "clerk", change: "change", fields: ["instructions"] },
      { kind: "rules", name: "politeness", change: "delete" },
    ],
    unchanged: 1,
    warnings: [
      {
        path: "resources.agents.clerk.references.0",
        message: "there is no references/returns; store it at PUT /v1/references/returns",
      },
    ],
  },
  ...stored,
  "getSupervisor 200": { name: "tone", version: 1, updatedAt: at, ...resourceSchemas.supervisors.parse(judge) },
};
