/**
 * Routing by the team's supervisor: a model that holds tools, asks people where that is needed, and calls `route_to`.
 * @decides a model with tools
 * @state none
 */
import type { Strategy } from "./strategy.js";

export const llmBased: Strategy<"llm-based"> = {
  name: "llm-based",
  execution: "durable",
  decide: (_input, ports) => ports.askSupervisor(),
};
