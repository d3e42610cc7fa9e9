// Task delegation: the supervisor looks into a calendar, and asks for priority or deadline where they are unclear.
// Run it against `npm start`: npx tsx examples/routing/task-delegation.ts
import { createServer } from "node:http";
import { askHuman, createMultiAgentSystem } from "../../src/routing/builder.js";
import { store, tell } from "./client.js";

// The calendar that the tool reads: any HTTP endpoint of yours. Locally, addresses on the loopback are allowed.
const calendar = createServer((_request, response) => response.end(JSON.stringify({ free: ["Tuesday", "Thursday"] })));
await new Promise<void>((resolve) => calendar.listen(0, "127.0.0.1", resolve));
const address = calendar.address();
const port = typeof address === "object" && address !== null ? address.port : 0;

const taskSystem = createMultiAgentSystem({
  name: "task-delegation",
  supervisor: {
    strategy: "llm-based",
    tools: [
      askHuman,
      {
        name: "check_calendar",
        server: "office",
        description: "Reads the calendar: which days are free",
        http: { method: "GET", url: `http://127.0.0.1:${port}/calendar` },
      },
    ],
    systemPrompt: "You delegate tasks by priority and deadline. Ask for the priority where it is unclear.",
  },
  workers: [
    { id: "urgent", description: "urgent tasks: today, immediately, critical, outage" },
    { id: "normal", description: "normal tasks: this week, reports, planning, meetings" },
    { id: "background", description: "background tasks: some day, cleaning up, archiving" },
  ],
});

await store(taskSystem);
await tell(taskSystem, "The outage is critical, act immediately.");
await tell(taskSystem, "Check the calendar and prepare the planning meeting.");
await tell(taskSystem, "The priority is missing and ambiguous, ask a person.", ["It is for archiving, some day."]);
calendar.close();
