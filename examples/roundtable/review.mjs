// A design review by a red team and a blue team. They get the design, and whatever else they need, on request: out of the folder
// `documents`. Start the Worker with `npm start`, then: node examples/roundtable/review.mjs
import { readdirSync, readFileSync } from "node:fs";
import { connect, findWorker } from "../help-desk/client.mjs";

const topic = "Review the design of the refund service: what can go wrong, and what has to change before it goes live?";
const folder = new URL("documents/", import.meta.url);

/** The documents that share a word of some length with what is asked, whole; with their names as the source. */
function gather({ query }) {
  const words = query.toLowerCase().match(/\p{L}{5,}/gu) ?? [];
  const found = readdirSync(folder)
    .map((name) => ({ name, text: readFileSync(new URL(name, folder), "utf8").trim() }))
    .filter(({ text }) => words.some((word) => text.toLowerCase().includes(word)));
  return { content: found.map(({ text }) => text).join("\n\n"), source: found.map(({ name }) => name).join(", ") };
}

const worker = findWorker();
const api = connect(worker);
const goOn = (id, body) => api.json("POST", `/v1/roundtables/${id}/continue`, { waitMs: 120_000, ...body });

const model = process.env.ROUNDTABLE_MODEL;
const seatsOf = (name) =>
  [1, 2, 3, 4].map((number) => ({ id: `agent-${number}`, name: `Agent ${number}`, model: name }));

let table = await api.json("POST", "/v1/roundtables", {
  topic,
  mode: "red-team-blue-team",
  rounds: 2,
  agentCount: 4,
  // Without it: what the deployment has.
  ...(model === undefined ? {} : { models: { analyst: model, synthesis: model }, seats: seatsOf(model) }),
  waitMs: 120_000,
});
const id = table.sessionId;
for (let turns = 0; table.status !== "completed" && turns < 10; turns++) {
  while (table.running) table = await api.json("GET", `/v1/roundtables/${id}?waitMs=120000`);
  console.log(`round ${table.currentRound}: ${table.status}, ${table.responses.length} positions`);
  // All of them, not just the required ones; what isn't there is said with an empty text.
  const contextResults = (table.contextRequests ?? []).map((request) => {
    const { content, source } = gather(request);
    console.log(`  ${request.agentIds.join(", ")} asked: ${request.query}`);
    console.log(`  answered ${content === "" ? "that it could not be found" : `from ${source}`}`);
    return { requestId: request.requestId, content, source };
  });
  if (table.status !== "completed") table = await goOn(id, { contextResults });
  for (const { requestId, outcome } of table.outcomes ?? []) {
    if (outcome !== "accepted") console.log(`  ${requestId}: ${outcome}`);
  }
}
console.log(`ended by ${table.exit?.reason} after round ${table.currentRound}\n`);
await api.json("POST", `/v1/roundtables/${id}/synthesis`, { waitMs: 120_000 });
console.log(await api.text("GET", `/v1/roundtables/${id}/export?format=markdown`));
