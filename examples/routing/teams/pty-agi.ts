// PTY AGI: HR, security, code and legal agents behind one supervisor that asks when a query is ambiguous.
import type { Example } from "../client.js";

export const ptyAgi: Example = {
  name: "pty-agi",
  team: {
    supervisor: {
      strategy: "llm-based",
      tools: ["ask_human"],
      systemPrompt:
        "Route to the hr, security, code or legal agent. If the query is ambiguous, use ask_human for clarification.",
    },
    workers: [
      { id: "hr", description: "vacation, salary, hiring, sick leave" },
      { id: "security", description: "passwords, access, phishing, incidents" },
      { id: "code", description: "bugs, builds, pull requests, deployments" },
      { id: "legal", description: "contracts, licences, privacy law, patents" },
    ],
  },
};
