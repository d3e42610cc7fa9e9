/** Commands on conversations: holding one, following what supervision decides, answering what waits. */
import { readFileSync } from "node:fs";
import { type Command, flag, text } from "./command.js";
import { allPages, placeOf, show } from "./place.js";
import { answerAsk, describeAsk, tail as follow, chat as talk, terminalLines } from "./talk.js";

const chat: Command = {
  name: "chat",
  takes: ["<agent>"],
  description: "talk with an agent; questions are answered in place",
  about:
    "Replies come as they are written. An empty line, or the end of the input, ends it. With --json each turn is a line, and a line that comes while one waits is its answer.",
  examples: {
    "conclave chat clerk --subject ida": "as an end user",
  },
  options: {
    subject: text("the end user that the session belongs to"),
  },
  run: async (options, agent = "") => {
    const lines = terminalLines();
    await talk(
      placeOf(options).conclave,
      agent,
      { json: options.json === true, ...(typeof options.subject === "string" ? { subject: options.subject } : {}) },
      lines,
    );
    lines.close();
    return 0;
  },
};

const tail: Command = {
  name: "tail",
  takes: [],
  description: "follow what supervisors decide",
  about: "One line a decision, the oldest first, until it is stopped.",
  examples: {
    "conclave tail --blocked": "what was blocked, as it happens",
    "conclave tail --once --json": "what there is, for a program",
  },
  options: {
    blocked: flag("only what was blocked"),
    once: flag("what there is, and no more"),
  },
  run: async (options) => {
    await follow(placeOf(options).conclave, {
      blocked: options.blocked === true,
      json: options.json === true,
      once: options.once === true,
    });
    return 0;
  },
};

const asks: Command = {
  name: "asks",
  takes: [],
  description: "list what waits for people",
  about: "Each with its id, its kind, whom it is for, and what is proposed.",
  examples: {
    "conclave asks": "",
  },
  options: {},
  run: async (options) => {
    const { conclave } = placeOf(options);
    const items = await allPages((page) => conclave.asks.list({ status: "open", ...page }));
    show(options, items, items.length === 0 ? ["nothing waits"] : items.map(describeAsk));
    return 0;
  },
};

const answer: Command = {
  name: "answer",
  takes: ["<ask>", "[answer...]"],
  description: "answer a question, an approval or a review",
  about:
    "A question takes words; an approval once, session or deny; a review accept, reject, or edit and the text; who is wanted take or return.",
  examples: {
    "conclave answer ask_1 Within 30 days.": "a question",
    "conclave answer ask_2 once": "an approval",
    "conclave answer ask_3 edit Dear Ida, …": "a review",
  },
  options: {},
  run: async (options, askId = "", said = "") => {
    const { conclave } = placeOf(options);
    const ask = await answerAsk(conclave, await conclave.asks.get(askId), said);
    show(options, ask, [`${ask.askId} is ${ask.status}`]);
    return 0;
  },
};

const tryOut: Command = {
  name: "try",
  takes: ["<supervisor>", "<file>"],
  description: "show what a supervisor makes of a text",
  about: "Nothing is stored. It ends with 2 where the text would not pass as it is.",
  examples: {
    "conclave try guardrails question.txt": "as a request",
    "conclave try guardrails reply.txt --hook response": "as a reply",
  },
  differs: "the text would not pass as it is",
  options: {
    hook: text("request or response"),
  },
  run: async (options, supervisor = "", file = "") => {
    const text = readFileSync(file, "utf8");
    const hook = options.hook === "response" ? "response" : "request";
    const result = await placeOf(options).conclave.api.supervisors.trySupervision({
      body: { supervisors: [supervisor], on: { text, hook } },
    });
    const { action, reasons, text: after } = result.together;
    show(options, result, [`${action}  ${reasons.join(" ")}`, ...(after === text ? [] : [after])]);
    return action === "allow" ? 0 : 2;
  },
};

export const talkCommands: readonly Command[] = [chat, tail, asks, answer, tryOut];
