// Task delegation: the supervisor looks into a calendar, and asks for priority or deadline where they are unclear.
// Run it against `npm start`: npx tsx examples/routing/task-delegation.ts
import { createServer } from "node:http";
import { store, tell } from "./client.js";
import { taskSystem } from "./teams/task-delegation.js";

// Locally, addresses on the loopback are allowed.
const calendar = createServer((_request, response) => response.end(JSON.stringify({ free: ["Tuesday", "Thursday"] })));
await new Promise<void>((resolve) => calendar.listen(0, "127.0.0.1", resolve));
const address = calendar.address();
const port = typeof address === "object" && address !== null ? address.port : 0;
const system = taskSystem(`http://127.0.0.1:${port}/calendar`);
await store(system);
await tell(system, "The outage is critical, act immediately.");
await tell(system, "Check the calendar and prepare the planning meeting.");
await tell(system, "The priority is missing and ambiguous, ask a person.", ["It is for archiving, some day."]);
calendar.close();
