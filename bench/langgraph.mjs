// What a message of the same conversation costs where the whole history is the state: LangGraph with its SQLite checkpointer.
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";

const { early, late, measured } = JSON.parse(process.argv[2] ?? "{}");

/** As in `memory.bench.ts`. */
const text = (number) =>
  `Message ${String(number).padStart(5, "0")}: the parcel of customer ${number % 97} leaves the warehouse on Monday and arrives on Friday.`;
const message = (number) => ({
  id: `m${number}`,
  role: number % 2 === 1 ? "user" : "assistant",
  content: text(number),
});

const checkpointer = SqliteSaver.fromConnString(":memory:");
let promptCharacters = 0;
const graph = new StateGraph(MessagesAnnotation)
  .addNode("model", ({ messages }) => {
    // What a model is given: the state's messages.
    for (const { content } of messages) promptCharacters += content.length;
    return { messages: [message(messages.length + 1)] };
  })
  .addEdge(START, "model")
  .addEdge("model", END)
  .compile({ checkpointer });
const config = { configurable: { thread_id: "bench" } };

const atFirst = await window(1, early);
const atLast = await window(early + measured, late);
console.log(`BENCH ${JSON.stringify({ early: atFirst, late: atLast })}`);

/** Brings the thread up to `from` in one update, and measures what so many further messages write. */
async function window(seeded, from) {
  const seeds = Array.from({ length: from - seeded }, (_, at) => message(seeded + at));
  await graph.updateState(config, { messages: seeds }, "model");
  const before = stored();
  promptCharacters = 0;
  // A turn is two messages.
  for (let number = from; number < from + measured; number += 2)
    await graph.invoke({ messages: [message(number)] }, config);
  const after = stored();
  return {
    rows: (after.rows - before.rows) / measured,
    bytes: (after.bytes - before.bytes) / measured,
    promptTokens: promptCharacters / 4 / measured,
  };
}

function stored() {
  const sums = { rows: 0, bytes: 0 };
  for (const [table, size] of [
    ["checkpoints", "LENGTH(checkpoint) + LENGTH(metadata)"],
    ["writes", "LENGTH(value)"],
  ]) {
    const row = checkpointer.db
      .prepare(`SELECT COUNT(*) AS rows, COALESCE(SUM(${size}), 0) AS bytes FROM ${table}`)
      .get();
    sums.rows += row.rows;
    sums.bytes += row.bytes;
  }
  return sums;
}
