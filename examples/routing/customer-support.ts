// Customer support: the supervisor may look an order up, and asks for what is missing. Five workers.
// Run it against `npm start`: npx tsx examples/routing/customer-support.ts
import { store, tell } from "./client.js";
import { supportSystem } from "./teams/customer-support.js";

await store(supportSystem);
await tell(supportSystem, "I want a refund for my last invoice.");
await tell(supportSystem, "The app crashes at login.");
await tell(supportSystem, "Something is missing and my request is ambiguous: ask a person.", [
  "It is about the delivery of my parcel.",
]);
