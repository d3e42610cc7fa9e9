/** What twenty rules supervisors cost on a reply of 2,000 characters, next to reading and writing its turn as JSON once. */
import { performance } from "node:perf_hooks";
import type { Journal } from "../src/agent/journal.js";
import { rulesSupervisor } from "../src/supervision/kinds/rules.js";
import { runPass } from "../src/supervision/pass.js";
import { compileRules } from "../src/supervision/rules/engine.js";
import { manyRules, reply, rulesOf, turnOf } from "./workload.js";

const supervisors = manyRules(20).map((config, order) =>
  rulesSupervisor({
    name: `rules-${order}`,
    hooks: new Set(["response"] as const),
    order,
    mode: "enforce",
    onFailure: "block",
    permission: "modify_messages",
    config,
  }),
);
// Guards know the last thousand sentences: each text says something else, and comes again when they have forgotten it.
const texts = Array.from({ length: 100 }, (_, of) => {
  let sentence = 0;
  return reply(2_000)
    .replaceAll(". ", () => ` (${of}-${++sentence}). `)
    .slice(0, 2_000);
});
let told = 0;
const next = (): string => texts[told++ % texts.length] ?? "";
const turn = turnOf(reply(2_000));
const json = JSON.stringify(turn);
const compiled = manyRules(20).map(compileRules);
const one = compileRules({ rules: rulesOf(0) });
const guard = compileRules({ rules: [{ match: { type: "injection" }, action: "block", reason: "It gives orders." }] });

const never: Journal = {
  step: () => Promise.reject(new Error("a pass of rules has no steps")),
  commit: () => Promise.reject(new Error("a pass of rules has no steps")),
  ask: () => {
    throw new Error("a pass of rules asks nothing");
  },
  scope: () => never,
};
const ports = {
  now: () => 0,
  hash: async () => "",
  withDeadline: <T>(_ms: number, work: (signal: AbortSignal) => Promise<T>) => work(new AbortController().signal),
  strict: false,
  journal: never,
};

const cases = {
  parse: () => void JSON.stringify(JSON.parse(json)),
  one: () => void one.judge(next()),
  injection: () => void guard.judge(next()),
  judge: () => {
    const text = next();
    for (const rules of compiled) rules.judge(text);
  },
  pass: () => {
    const said = { ...turn.reply.modelReply, content: next() };
    return runPass({ hook: "response" as const, reply: said }, supervisors, ports);
  },
};

const batches = 60;
const perBatch = { parse: 400, one: 20, injection: 20, judge: 4, pass: 4 };
const taken: Record<keyof typeof cases, number[]> = { parse: [], one: [], injection: [], judge: [], pass: [] };
const names = ["parse", "one", "injection", "judge", "pass"] as const;
// The first batches warm up; the cases take turns, so that whatever disturbs the machine disturbs all.
for (let batch = 0; batch < batches + 15; batch++) {
  for (const name of names) {
    const started = performance.now();
    for (let count = 0; count < perBatch[name]; count++) await cases[name]();
    const each = (performance.now() - started) / perBatch[name];
    if (batch >= 15) taken[name].push(each);
  }
}
const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const ms = Object.fromEntries(names.map((name) => [name, median(taken[name])]));
console.log(`BENCH ${JSON.stringify({ ...ms, jsonBytes: json.length })}`);
