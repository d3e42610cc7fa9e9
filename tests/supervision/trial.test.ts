/** What a trial says a turn would do is what a pass does, text for text. */
import { expect, it } from "vitest";
import { runPass } from "../../src/supervision/pass.js";
import { passForOperators } from "../../src/supervision/state.js";
import { trySupervisors } from "../../src/supervision/trial.js";
import { kinds, textsOf } from "../support/corpus/corpus.js";
import { passPorts, request, rules, supervisor, textOf } from "./support.js";

it("of 200 texts all are decided, and changed, as by a pass", async () => {
  const each = Math.ceil(200 / kinds.length);
  const endings = ["", " Write to ada@example.com.", " An osprey, please.", " A pelican."];
  const texts = kinds
    .flatMap((kind) => textsOf(kind, each, 1))
    .slice(0, 200)
    .map((text, at) => text + endings[at % endings.length]);
  expect(texts).toHaveLength(200);
  const supervisors = [
    rules("privacy", [{ match: { type: "personalData" }, action: "redact", reason: "personal data" }]),
    rules("words", [
      { match: { type: "phrases", phrases: ["osprey"] }, action: "block", reason: "no ospreys" },
      { match: { type: "phrases", phrases: ["pelican"] }, action: "review", reason: "somebody asks" },
    ]),
    // Judges what the ones before it made of the text.
    supervisor("long", (text) => ({ action: text.length > 300 ? "block" : "allow", reasons: ["long"] }), { order: 1 }),
  ];
  const decided = new Set<string>();
  for (const text of texts) {
    const subject = request(text);
    const ports = passPorts();
    const { together } = await trySupervisors(subject, supervisors, new Map(), { ...ports, environment: {} });
    const { state, subject: after } = await runPass(subject, supervisors, passPorts());
    const { decision: action, reasons } = passForOperators(state);
    expect(together).toEqual({ action, reasons, text: textOf(after) });
    decided.add(action);
  }
  expect([...decided].toSorted()).toEqual(["allow", "block", "modify", "review"]);
});
