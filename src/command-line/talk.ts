/** Conversations at the terminal: chatting with an agent, following what happens, answering what waits. */
import { createInterface } from "node:readline/promises";
import { type Ask, type Conclave, type Page, ReplyText, replyText, type Turn } from "../client/index.js";
import { CommandError, say } from "./place.js";

export interface Lines {
  /** The next line that somebody types; undefined at the end of the input. */
  readonly next: (prompt: string) => Promise<string | undefined>;
  readonly close: () => void;
}

/** Lines of the terminal, or of what is piped in: none of them is lost while a reply comes. */
export function terminalLines(): Lines {
  const input = createInterface({
    input: process.stdin,
    output: process.stdout,
    terminal: process.stdin.isTTY === true,
  });
  const waiting: string[] = [];
  let isOver = false;
  let wake = (): void => {};
  input.on("line", (line) => {
    waiting.push(line);
    wake();
  });
  input.on("close", () => {
    isOver = true;
    wake();
  });
  return {
    next: async (prompt) => {
      process.stdout.write(prompt);
      while (waiting.length === 0 && !isOver) await new Promise<void>((resolve) => (wake = resolve));
      return waiting.shift();
    },
    close: () => input.close(),
  };
}

/** A conversation until the input ends: each reply as it comes, what supervision did, and what is asked in place. */
export async function chat(
  conclave: Conclave,
  agent: string,
  { subject, json = false }: { readonly subject?: string; readonly json?: boolean },
  lines: Lines,
): Promise<void> {
  const { sessionId } = await conclave.sessions.create({ agent, ...(subject === undefined ? {} : { subject }) });
  const show = json ? (turn: Turn) => say(JSON.stringify(turn)) : showEnd;
  if (!json) say(`${sessionId} with ${agent}. An empty line ends it.`);
  for (;;) {
    const content = await lines.next(json ? "" : "> ");
    if (content === undefined || content.trim() === "") return;
    let turn = json
      ? await conclave.sessions.send(sessionId, { content }, { waitMs: 60_000 })
      : await showTurn(conclave, sessionId, content);
    if (json && turn !== undefined) show(turn);
    while (turn !== undefined && turn.status === "waiting") {
      const open = turn.asks.filter(({ status }) => status === "open");
      const [ask] = open;
      if (ask === undefined) break;
      if (!json) say(describeAsk(ask));
      const said = await lines.next(json ? "" : `${howToAnswer(ask)}: `);
      if (said === undefined || said.trim() === "") break;
      await answerAsk(conclave, ask, said.trim());
      turn = await conclave.sessions.turn(sessionId, turn.turnId, { waitMs: 60_000 });
      if (json || turn.status !== "waiting") show(turn);
    }
  }
}

async function showTurn(conclave: Conclave, sessionId: string, content: string): Promise<Turn | undefined> {
  const reply = new ReplyText();
  let shown = "";
  let turnId: string | undefined;
  for await (const event of conclave.sessions.stream(sessionId, { content })) {
    if (event.event === "tool.called") say(`  [calls ${event.data.server}/${event.data.tool}]`);
    if (event.event === "reply.retracted") say("  [supervision took this back]");
    const text = reply.after(event);
    turnId = reply.state?.turnId ?? turnId;
    if (event.event === "reply.delta") {
      process.stdout.write(text.slice(text.startsWith(shown) ? shown.length : 0));
      shown = text;
    }
    if (event.event === "turn.completed") {
      if (shown !== "") say("");
      showEnd(event.data, shown === replyText(event.data));
      return event.data;
    }
  }
  return turnId === undefined ? undefined : conclave.sessions.turn(sessionId, turnId);
}

function showEnd(turn: Turn, isShown = false): void {
  if (!isShown) say(replyText(turn));
  for (const hook of ["request", "response"] as const) {
    const summary = turn.supervision[hook];
    if (summary !== undefined && summary.action !== "allow")
      say(`  [supervision of the ${hook}: ${summary.action}. ${summary.reasons.join(" ")}]`);
  }
  if (turn.failure !== undefined) say(`  [failed: ${turn.failure}]`);
}

function howToAnswer({ kind }: Ask): string {
  switch (kind) {
    case "human":
    case "context":
      return "your answer";
    case "approval":
      return "once, session or deny";
    case "review":
      return "accept, reject, or edit followed by the text";
    case "handover":
      return "take or return";
  }
}

/** An answer as it is typed: words for a question, a decision for what is to be approved or reviewed. */
export async function answerAsk(conclave: Conclave, ask: Ask, said: string): Promise<Ask> {
  switch (ask.kind) {
    case "human":
      return conclave.asks.answer(ask.askId, { response: said });
    case "context":
      return conclave.asks.answer(ask.askId, { result: said });
    case "approval":
      if (said !== "once" && said !== "session" && said !== "deny")
        throw new CommandError("an approval is answered with once, session or deny");
      return conclave.asks.answer(ask.askId, { decision: said });
    case "review": {
      if (said === "accept" || said === "reject") return conclave.asks.answer(ask.askId, { decision: said });
      const content = said.startsWith("edit ") ? said.slice(5) : undefined;
      if (content === undefined)
        throw new CommandError("a review is answered with accept, reject, or edit and the text");
      return conclave.asks.answer(ask.askId, { decision: "edit", content });
    }
    case "handover":
      if (said !== "take" && said !== "return") throw new CommandError("who is wanted answers with take or return");
      return conclave.asks.answer(ask.askId, { decision: said });
  }
}

export function describeAsk({ askId, kind, audience, question, context, suggestions, proposal }: Ask): string {
  const lines = [
    ...(context === undefined ? [] : [context]),
    ...(suggestions === undefined ? [] : [`for instance: ${suggestions.join(", ")}`]),
    ...(proposal === undefined ? [] : describeProposal(proposal)),
  ];
  return [`${askId}  ${kind}, for ${audience}: ${question}`, ...lines.map((line) => `    ${line}`)].join("\n");
}

/** A call as it would be made, or a text as it would go on, with why it is asked. */
function describeProposal(proposal: NonNullable<Ask["proposal"]>): string[] {
  if ("args" in proposal) return [`${proposal.server}/${proposal.tool} ${JSON.stringify(proposal.args)}`];
  const { original, proposed, reasons = [] } = proposal;
  return [JSON.stringify(original), ...(proposed === original ? [] : [`as ${JSON.stringify(proposed)}`]), ...reasons];
}

interface DecisionLine {
  readonly decisionId: string;
  readonly at: string;
  readonly action: string;
  readonly supervisor: string;
  readonly hook: string;
}

/** What supervisors decided, as it comes. @param signal ends it */
export async function tail(
  conclave: Conclave,
  { blocked, json, once }: { readonly blocked?: boolean; readonly json?: boolean; readonly once?: boolean },
): Promise<void> {
  const seen = new Set<string>();
  for (;;) {
    const query = { limit: 50, ...(blocked === true ? { action: "block" } : {}) };
    const { items } = await conclave.request<Page<DecisionLine>>("GET", "/v1/decisions", { query });
    for (const item of items.toReversed()) {
      if (seen.has(item.decisionId)) continue;
      seen.add(item.decisionId);
      say(
        json === true
          ? JSON.stringify(item)
          : `${item.at}  ${item.action.padEnd(7)} ${item.supervisor} (${item.hook})  ${item.decisionId}`,
      );
    }
    if (once === true) return;
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
}
