// PTY AGI: HR, security, code and legal agents behind one supervisor that asks when a query is ambiguous.
// Run it against `npm start`: npx tsx examples/routing/pty-agi.ts
import { askHuman, createMultiAgentSystem } from "../../src/routing/builder.js";
import { store, tell } from "./client.js";

const ptyAgi = createMultiAgentSystem({
  name: "pty-agi",
  supervisor: {
    strategy: "llm-based",
    tools: [askHuman],
    systemPrompt:
      "Route to the hr, security, code or legal agent. If the query is ambiguous, use ask_human for clarification.",
  },
  workers: [
    { id: "hr", description: "vacation, salary, hiring, sick leave" },
    { id: "security", description: "passwords, access, phishing, incidents" },
    { id: "code", description: "bugs, builds, pull requests, deployments" },
    { id: "legal", description: "contracts, licences, privacy law, patents" },
  ],
});

await store(ptyAgi);
await tell(ptyAgi, "How many days of vacation do I have?");
await tell(ptyAgi, "The build of my pull request fails.");
await tell(ptyAgi, "This query is ambiguous and something is missing: ask a person.", [
  "I mean the licences in our contracts.",
]);
