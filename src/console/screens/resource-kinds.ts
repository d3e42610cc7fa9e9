/** The kinds of resources that the console shows: what they are called there, and what a new one begins as. */
import type { ResourceKind } from "../../tenancy/resources.js";

export const labels = {
  agents: "Agents",
  supervisors: "Supervisors",
  tools: "Tools",
  teams: "Teams",
  panels: "Panels",
  rules: "Rules for agents",
  references: "References",
} as const satisfies Partial<Record<ResourceKind, string>>;
export type ShownKind = keyof typeof labels;

/** What a resource of a kind begins as. */
export const beginnings: Readonly<Record<ShownKind, object>> = {
  agents: { kind: "model", model: "default", instructions: "You are …" },
  supervisors: {
    kind: "rules",
    hooks: ["request", "response"],
    mode: "shadow",
    config: { rules: [{ match: { type: "phrases", phrases: ["…"] }, action: "block", reason: "…" }] },
  },
  tools: {
    server: "shop",
    description: "…",
    parameters: { type: "object", properties: {} },
    http: { url: "https://" },
  },
  teams: { supervisor: { strategy: "llm-based", model: "default" }, workers: [] },
  panels: { mode: "collaborative", agentCount: 3 },
  rules: { text: "…" },
  references: { text: "…" },
};
