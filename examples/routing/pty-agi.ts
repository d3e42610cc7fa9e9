// PTY AGI: HR, security, code and legal agents behind one supervisor that asks when a query is ambiguous.
// Run it against `npm start`: npx tsx examples/routing/pty-agi.ts
import { store, tell } from "./client.js";
import { ptyAgi } from "./teams/pty-agi.js";

await store(ptyAgi);
await tell(ptyAgi, "How many days of vacation do I have?");
await tell(ptyAgi, "The build of my pull request fails.");
await tell(ptyAgi, "This query is ambiguous and something is missing: ask a person.", [
  "I mean the licences in our contracts.",
]);
