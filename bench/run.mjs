// `npm run bench`: takes all measures and writes them into README.md. Takes about four minutes.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = new URL("README.md", import.meta.url);
const mark = { begin: "<!-- results: written by run.mjs -->", end: "<!-- end of results -->" };

const turn = measure("a turn with ten rules supervisors, none, and the bare model call", "tsx", ["bench/turn.ts"]);
const storage = inRuntime("rows and bytes per message, early and late in a session", "storage.bench.ts");
const memory = inRuntime("rows, bytes and prompt per message, early and late in a memory's thread", "memory.bench.ts");
const search = inRuntime("a search in 1,000 and in 100,000 entries", "memory-search.bench.ts");
// Its SQLite was built for the Node that runs npm, which need not be this one.
const langgraph = measure("the same conversation with LangGraph", process.env.npm_node_execpath ?? process.execPath, [
  "bench/langgraph.mjs",
  JSON.stringify(memory.windows),
]);
const rules = measure("twenty rules supervisors on 2,000 characters", "tsx", ["bench/rules.ts"]);

const routing = measure("routed runs and their bare model calls, five tools at once", "tsx", ["bench/routing.ts"]);

const judges = measure("three judging agents next to one", "tsx", ["bench/judges.ts"]);

const debate = inRuntime("ten seats over ten rounds: prompts and storage", "roundtable.bench.ts");

const results = render();
const text = readFileSync(page, "utf8");
const [before, rest] = text.split(mark.begin);
const after = rest?.split(mark.end)[1];
if (after === undefined) throw new Error("bench/README.md has lost the marks between which the results stand");
writeFileSync(page, `${before}${mark.begin}\n\n${results}\n\n${mark.end}${after}`);
spawnSync("biome", ["format", "--write", "bench/README.md"], { cwd: root, stdio: "ignore" });
console.log(`\n${results}\n`);

function inRuntime(what, file) {
  return measure(what, "vitest", ["run", "--config", "bench/vitest.config.ts", `bench/${file}`]);
}

/** Runs a measure and gives what it prints behind BENCH. */
function measure(what, command, args) {
  console.log(`== ${what}`);
  const run = spawnSync(command, args, { cwd: root, encoding: "utf8", maxBuffer: 64_000_000 });
  const line = /^BENCH (.*)$/m.exec(run.stdout ?? "")?.[1];
  if (run.status === 0 && line !== undefined) return JSON.parse(line);
  process.stderr.write(`${run.stdout ?? ""}${run.stderr ?? run.error?.message ?? ""}\n`);
  throw new Error(`${command} ${args.join(" ")} failed`);
}

function render() {
  const { bare, none, ten } = turn;
  const { early, late } = storage;
  const number = (value, digits = 1) => value.toLocaleString("en-GB", { maximumFractionDigits: digits });
  const span = (from) => `${number(from)} to ${number(from + memory.windows.measured - 1)}`;
  const share = (part) => `${Math.round(part * 100)} %`;
  const ratio = (a, b) => `${(a / b).toFixed(2)} ×`;
  const cores = availableParallelism();
  const taken = `Taken on ${new Date().toISOString().slice(0, 10)}, on a machine with ${cores} cores, Node ${process.versions.node}.`;
  return `${taken}

**A turn, as its caller sees it** (median of ${turn.rounds}; the three take turns in one run; the model is a script that streams its answer within a few milliseconds)

| | median | 95th percentile | next to the bare call | next to no supervisors |
|---|---|---|---|---|
| the bare model call | ${number(bare.median)} ms | ${number(bare.p95)} ms | 1 | |
| the same through a session, no supervisors | ${number(none.median)} ms | ${number(none.p95)} ms | ${ratio(none.median, bare.median)} | 1 |
| with ten rules supervisors on request and response | ${number(ten.median)} ms | ${number(ten.p95)} ms | ${ratio(ten.median, bare.median)} | ${ratio(ten.median, none.median)} |

**What one message writes** (each the mean of 50 messages of one session, of about 75 characters, with a rules supervisor that redacts)

| | messages 10 to 59 | messages 2,000 to 2,049 | ratio |
|---|---|---|---|
${[
  ["rows written in the object, indexes included", "rows"],
  ["bytes bound in writing statements", "bytes"],
  ["growth of the object's database, bytes", "stored"],
  ["rows of decisions copied to D1", "auditRows"],
  ["their bytes", "auditBytes"],
]
  .map(([what, key]) => `| ${what} | ${number(early[key])} | ${number(late[key])} | ${ratio(late[key], early[key])} |`)
  .join("\n")}

**A routed run, as its caller sees it** (median of ${routing.rounds}, of ${routing.slowRounds} for the second; taking turns with the same model calls made bare, one after the other)

| | models that answer at once | next to its bare model calls | models that take ${routing.thinkingMs} ms | next to its bare model calls |
|---|---|---|---|---|
${[
  ["two bare model calls", "bareTwo", "bareTwo"],
  ["a run without tools: supervisor, worker", "plain", "bareTwo"],
  ["three bare model calls", "bareThree", "bareThree"],
  ["a run with one tool: supervisor, tool, supervisor, worker", "oneTool", "bareThree"],
]
  .map(([what, key, bareKey]) => {
    const cells = [routing.instant, routing.thinking].map(
      (taken) => `${number(taken[key].median)} ms | ${ratio(taken[key].median, taken[bareKey].median)}`,
    );
    return `| ${what} | ${cells.join(" | ")} |`;
  })
  .join("\n")}

Five tools called in one round, of ${routing.delaysMs.join(", ")} ms: from one model call to the next takes
${routing.fiveTools.median.toFixed(2)} × the slowest of them (median of ${routing.toolRounds}; at most ${routing.fiveTools.most.toFixed(2)} ×). More than 1.2 × fails the measurement.

**A debate of ten seats over ten rounds** (each takes a position of some 5,000 characters a round; room for a prompt: ${number(debate.promptTokens)} tokens)

| | round 2 | round 10 | |
|---|---|---|---|
| the largest prompt of a seat, tokens | ${number(debate.largest[1])} | ${number(debate.largest[9])} | ${ratio(debate.largest[9], debate.largest[1])} |
| what the round adds to the object, bytes (the mean of three rounds) | ${number(debate.early)} | ${number(debate.late)} | ${ratio(debate.late, debate.early)} |
| next to the texts of its positions | ${ratio(debate.early, debate.positions)} | ${ratio(debate.late, debate.positions)} | |

What a provider's cache can carry, tools and system message included, of five seats with positions of some 1,500 characters: the part of a prompt that begins like that of the seat before in
round 2 ${share(debate.shared.betweenSeats[1])}, in round 5 ${share(debate.shared.betweenSeats[4])}; like the seat's own of the round before ${share(debate.shared.betweenRounds[0])} and ${share(debate.shared.betweenRounds[3])}. Less than 75 % and (from round 3 on) 50 % fail the measurement.

**Three supervising agents that only judge, next to one** (median of ${judges.rounds}; their model takes ${judges.thinkingMs} ms)

| | median | next to one |
|---|---|---|
| one | ${number(judges.single.median)} ms | 1 |
| three, of which ${judges.mostOpen} were open at the upstream at once | ${number(judges.triple.median)} ms | ${ratio(judges.triple.median, judges.single.median)} |

**What one message costs a memory** (each the mean of ${memory.windows.measured} messages of one thread, of about 95 characters; an entry each, a context of 3,600 characters with every sixth; tokens as characters of the request by four)

| | messages ${span(memory.windows.early)} | messages ${span(memory.windows.late)} | ratio |
|---|---|---|---|
${[
  ["rows written in the thread's object, indexes included", memory, "rows"],
  ["rows written in D1, as it counts them", memory, "d1Rows"],
  ["bytes bound in writing statements", memory, "bytes"],
  ["prompt tokens, tools included", memory, "promptTokens"],
  ["LangGraph: rows of checkpoints and writes", langgraph, "rows"],
  ["LangGraph: their bytes", langgraph, "bytes"],
  ["LangGraph: prompt tokens, messages alone", langgraph, "promptTokens"],
]
  .map(
    ([what, { early, late }, key]) =>
      `| ${what} | ${number(early[key])} | ${number(late[key])} | ${ratio(late[key], early[key])} |`,
  )
  .join("\n")}

**A search** (median of ${search.queries} questions of 3 to 6 words, by turns in both, no model)

| | ${number(search.sizes.small)} entries | ${number(search.sizes.large)} entries | ratio |
|---|---|---|---|
| time | ${number(search.small)} ms | ${number(search.large)} ms | ${ratio(search.large, search.small)} |

| | ${number(search.lengths.entries)} short entries | as many of more than 1,000 characters | ratio |
|---|---|---|---|
| time | ${number(search.lengths.short)} ms | ${number(search.lengths.long)} ms | ${ratio(search.lengths.long, search.lengths.short)} |

**Twenty rules supervisors on a reply of 2,000 characters** (median; in Node, without storage or network)

| | time | next to one parse and stringify |
|---|---|---|
| JSON parse and stringify of the turn (${number(rules.jsonBytes)} characters) | ${number(rules.parse * 1000)} µs | 1 |
| one supervisor, a rule of phrases | ${number(rules.one * 1000)} µs | ${ratio(rules.one, rules.parse)} |
| one supervisor, a rule of injection | ${number(rules.injection * 1000)} µs | ${ratio(rules.injection, rules.parse)} |
| twenty supervisors, judging alone | ${number(rules.judge * 1000)} µs | ${ratio(rules.judge, rules.parse)} |
| twenty supervisors, a whole pass with its record | ${number(rules.pass * 1000)} µs | ${ratio(rules.pass, rules.parse)} |`;
}
