/** What Conclave itself makes of texts: each made by the function that makes it in the product. */
import { effectBlocks } from "../../../src/agent/effects.js";
import { buildPrompt } from "../../../src/agent/prompt.js";
import { resultsText } from "../../../src/chat/turn-request.js";
import { dataBlock } from "../../../src/conversation/data-block.js";
import { numberedItems } from "../../../src/memory/citations.js";
import { contextHeadings, renderContext as renderMemory } from "../../../src/memory/context-document.js";
import { recalledLine } from "../../../src/memory/entry.js";
import { extractiveContext } from "../../../src/memory/extractive.js";
import { capturePrompt, synthesisPrompt } from "../../../src/memory/prompts.js";
import { renderContext as renderAnswers } from "../../../src/roundtable/context-text.js";
import { renderTrace } from "../../../src/routing/render-trace.js";
import { briefText } from "../../../src/routing/routing-input.js";
import { supervisorPrompt } from "../../../src/supervision/kinds/agent-prompt.js";
import { transcriptParts } from "../../../src/supervision/kinds/transcript-parts.js";
import { fenced } from "../../../src/supervision/rules/fence.js";
import type { Chance } from "./chance.js";
import type { Kind } from "./kind.js";
import { identifier, names, paragraph, record, sentence, word } from "./words.js";

const said = (chance: Chance): string => paragraph(chance, 1, 3);
const id = (chance: Chance, prefix: string): string =>
  `${prefix}_01m8${chance.characters("0123456789abcdefghjkmnpqrstvwxyz", 22)}`;
const result = (chance: Chance): string => JSON.stringify(record(chance, 1, 20));

function message(chance: Chance, seq: number) {
  return {
    seq,
    role: chance.pick(["user", "assistant"]),
    ...(chance.percent(30) ? { speaker: chance.pick(names) } : {}),
    content: said(chance),
    occurredAt: chance.moment(),
  };
}

const entry = (chance: Chance, seq: number) => ({
  ...message(chance, seq),
  entryId: id(chance, "ent"),
  summary: sentence(chance, "statement"),
});

const effect = (chance: Chance) => ({
  server: word(chance),
  tool: identifier(chance, "snake"),
  toolCallId: id(chance, "call"),
  requested: record(chance, 1),
  args: record(chance, 1),
  outcome: "done" as const,
  content: result(chance),
  by: word(chance),
});

/** What is said as data in a prompt, without the instructions before it. */
const userPart = (messages: ReturnType<typeof buildPrompt>): string =>
  messages.flatMap(({ role, content }) => (role === "user" ? [content] : [])).join("\n\n");
const tags = ["reference", "memory", "context", "result", "found", "done", "position", "source", "earlier", "evidence"];
const place = { vaultId: "vault", memoryId: "mem" };
const prompts = { "entry-capture": "", summary: "", context: "" };

function trace(chance: Chance): string {
  const worker = word(chance);
  const events = [
    { type: "worker.started", path: [], worker, iteration: 1 },
    {
      type: "tool.used",
      path: [],
      agent: worker,
      server: word(chance),
      tool: word(chance),
      arguments: result(chance),
      output: result(chance),
    },
    {
      type: "worker.returned",
      path: [],
      result: { worker, status: "completed", output: said(chance), attempts: 1, elapsedMs: chance.below(9_000) },
    },
  ];
  return renderTrace({
    title: `Run ${id(chance, "run")}`,
    status: "completed",
    who: `Team ${word(chance)}`,
    createdAt: chance.moment(),
    endedAt: chance.moment(),
    input: said(chance),
    response: said(chance),
    events: events.map((data) => ({ at: chance.moment(), type: data.type, data })),
    asks: [],
    passes: [],
    usage: { modelCalls: chance.below(9), inputTokens: chance.below(9_000), outputTokens: chance.below(900) },
  });
}

const items = (chance: Chance) =>
  extractiveContext(
    [],
    chance.list(1, 6, (at) => entry(chance, at)),
  );

export const ownKinds = {
  "Conclave: recalled lines": {
    make: (chance) => chance.list(1, 6, (at) => recalledLine(message(chance, at), said(chance))).join("\n"),
  },
  "Conclave: recalled greetings": {
    make: (chance) => {
      const greeting = chance.pick([
        "Hello",
        "Hi!",
        "Guten Tag",
        "Hola",
        "Привет",
        "你好",
        "Hello there, is anybody in?",
      ]);
      return chance.list(1, 6, (at) => recalledLine(message(chance, at), greeting)).join("\n");
    },
  },
  "Conclave: context documents": {
    make: (chance) =>
      renderMemory(
        new Map(contextHeadings.map((heading) => [heading, chance.list(0, 3, () => sentence(chance, "statement"))])),
        (item) => item,
      ) || "## Facts\n- none",
  },
  "Conclave: numbered contexts": { make: (chance) => numberedItems(items(chance)) },
  "Conclave: prompts of a memory": {
    make: (chance) =>
      chance.percent(50)
        ? userPart(
            synthesisPrompt(
              place,
              items(chance),
              chance.list(1, 4, (at) => entry(chance, at)),
              prompts,
            ),
          )
        : userPart(
            capturePrompt(
              place,
              { context: "", uncovered: chance.list(0, 2, (at) => message(chance, at)) },
              chance.list(0, 3, (at) => message(chance, at)),
              message(chance, 9),
              prompts,
            ),
          ),
  },
  "Conclave: blocks of data": {
    make: (chance) =>
      dataBlock(chance.pick(tags), { [word(chance)]: chance.moment(), name: chance.pick(names) }, said(chance)),
  },
  "Conclave: references and memory of a turn": {
    make: (chance) =>
      userPart(
        buildPrompt({
          instructions: "",
          rules: [],
          references: chance.list(1, 3, () => ({ name: identifier(chance, "kebab"), text: said(chance), priority: 1 })),
          memory: [{ kind: "entries", text: recalledLine(message(chance, 1), said(chance)) }],
          history: [],
          message: sentence(chance, "question"),
        }),
      ),
  },
  "Conclave: results that a caller sends": {
    make: (chance) =>
      resultsText(
        chance.list(1, 3, () => ({
          toolCallId: id(chance, "call"),
          tool: identifier(chance, "snake"),
          args: "{}",
          output: result(chance),
        })),
      ),
  },
  "Conclave: briefs of workers": {
    make: (chance) =>
      briefText({
        input: said(chance),
        clarifications: [],
        results: chance.list(0, 2, () => ({
          worker: word(chance),
          status: "completed" as const,
          output: said(chance),
          iteration: 1,
          attempts: 1,
          elapsedMs: chance.below(9_000),
        })),
        findings: chance.list(0, 1, () => ({ tool: word(chance), args: record(chance, 0), content: result(chance) })),
        found: chance.list(0, 1, () => ({ from: word(chance), text: said(chance) })),
      }),
  },
  "Conclave: what was done": { make: (chance) => effectBlocks(chance.list(1, 3, () => effect(chance))).join("\n\n") },
  "Conclave: answers in a debate": {
    make: (chance) =>
      renderAnswers(
        chance.list(1, 3, (at) => ({
          label: `C${at + 1}`,
          query: sentence(chance, "question"),
          reason: sentence(chance, "statement"),
          text: said(chance),
        })),
        20_000,
      ),
  },
  "Conclave: traces": { make: trace },
  "Conclave: what a supervising agent reads": {
    make: (chance) =>
      userPart(
        supervisorPrompt(
          { hook: "request", message: { messageId: id(chance, "msg"), role: "user", content: said(chance) } },
          {
            name: word(chance),
            instructions: "",
            baseHash: chance.hex(64),
            transcript: {
              lines: transcriptParts(
                chance.list(0, 4, (at) => ({
                  role: at % 2 === 0 ? ("user" as const) : ("assistant" as const),
                  content: said(chance),
                })),
              ).join("\n"),
              number: 1,
              of: 1,
            },
            statistics: { turns: chance.below(9) },
          },
        ),
      ),
  },
  "Conclave: fences": { make: (chance) => fenced(said(chance)) },
} satisfies Record<string, Kind>;
