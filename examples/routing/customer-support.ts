// Customer support: the supervisor may look an order up, and asks for what is missing. Five workers.
// Run it against `npm start`: npx tsx examples/routing/customer-support.ts
import { askHuman, createMultiAgentSystem } from "../../src/routing/builder.js";
import { store, tell } from "./client.js";

const supportSystem = createMultiAgentSystem({
  name: "customer-support",
  supervisor: {
    strategy: "llm-based",
    tools: [askHuman],
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
});

await store(supportSystem);
await tell(supportSystem, "I want a refund for my last invoice.");
await tell(supportSystem, "The app crashes at login.");
await tell(supportSystem, "Something is missing and my request is ambiguous: ask a person.", [
  "It is about the delivery of my parcel.",
]);
