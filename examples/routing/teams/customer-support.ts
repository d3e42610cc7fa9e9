// Customer support: the supervisor may look an order up, and asks for what is missing. Five workers.
import type { Example } from "../client.js";

export const supportSystem: Example = {
  name: "customer-support",
  team: {
    supervisor: {
      strategy: "llm-based",
      tools: ["ask_human"],
      systemPrompt: "You route customers. If it is ambiguous what they need, ask before you decide.",
      fallbackWorker: "general",
    },
    workers: [
      { id: "technical", description: "errors, crashes, login, app and website problems" },
      { id: "billing", description: "invoices, refunds, payments, prices" },
      { id: "shipping", description: "parcels, delivery, tracking, addresses" },
      { id: "returns", description: "returns, exchanges, damaged goods, warranty" },
      { id: "general", description: "everything else" },
    ],
  },
};
