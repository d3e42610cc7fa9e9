/**
 * Supervises what a caller sends along with a message: the conversation as the caller tells it, its instructions, what came of
 * calls that it was handed. All of it is new here, whatever it claims to be: none of it passed a supervisor of ours that we know of.
 *
 * Rules look at every text alone, and leave out what they forbid. Everybody else who judges messages sees the whole, and may stop it.
 */
import type { Journal } from "../agent/journal.js";
import { alsoActiveAt } from "../supervision/as-hop.js";
import { type CallerText, clearedText } from "../supervision/caller-text.js";
import type { NoteDegraded } from "../supervision/exchange.js";
import { type PassResult, runPass } from "../supervision/pass.js";
import { applyChange, type Subject, type SubjectOf, segmentsOf } from "../supervision/subject.js";
import { type SupervisePorts, supervise } from "../supervision/supervise.js";
import type { Supervisor } from "../supervision/supervisor.js";
import { readJson } from "../text/json.js";
import {
  type CallerMessage,
  type CallerResult,
  callerServer,
  conversationOf,
  resultsText,
  type TurnRequest,
} from "./turn-request.js";

/** What the supervisors left of it. */
export interface CallerInput {
  readonly history: readonly CallerMessage[];
  readonly instructions: string | undefined;
  readonly results: readonly CallerResult[];
  /** What the turn's message says: the results themselves, where it brings nothing else. */
  readonly content: string;
}

export type CallerInputOutcome =
  | { readonly kind: "passed"; readonly given: CallerInput }
  | { readonly kind: "blocked"; readonly reasons: readonly string[] };

interface CallerInputPorts {
  readonly journal: Journal;
  readonly supervise: SupervisePorts;
}

/** A judged text: nothing where the rules forbid it. */
type Judged = (text: string) => Promise<string | undefined>;

/**
 * @param message the turn's: its content is empty, or what the results say, where there is nothing else to it
 * @throws {Parked} while a person's review is awaited.
 */
export async function superviseCallerInput(
  request: TurnRequest,
  { messageId, content }: { readonly messageId: string; readonly content: string },
  supervisors: readonly Supervisor[],
  ports: CallerInputPorts,
  noteDegraded: NoteDegraded,
): Promise<CallerInputOutcome> {
  const journal = ports.journal.scope("given");
  const rules = supervisors.filter(({ pure }) => pure);
  const record: (() => void)[] = [];
  const judgeAs =
    (subjectOf: (text: string) => Subject): Judged =>
    async (text) => {
      const subject = subjectOf(text);
      const passed = await runPass(subject, rules, { ...ports.supervise, journal });
      const { decision } = passed.state;
      if (decision !== "allow") record.push(() => ports.supervise.decided(passed.state, subject, passed.subject));
      return decision === "allow" || decision === "modify" ? textOf(passed) : undefined;
    };
  const asRequest = judgeAs((text) => requestOf(`${messageId}.before`, text));
  const asReply = judgeAs((text) => replyOf(`${messageId}.before`, text));

  const kept = await Promise.all(conversationOf(request).map((message) => judgeMessage(message, asRequest, asReply)));
  const history = kept.filter((message) => message !== undefined);
  const instructions = request.instructions === undefined ? undefined : await asRequest(request.instructions);
  const args = await Promise.all(request.results.map((result) => judgeArguments(result.args, asRequest)));
  const write = record.splice(0);
  if (write.length > 0)
    await journal.commit("left-out", () => {
      for (const one of write) one();
    });

  const judged = await judgeWhole(request, messageId, supervisors, { ...ports, journal }, noteDegraded);
  if (judged.kind === "blocked") return judged;

  const hasWords = content !== resultsText(request.results);
  const called = request.results.map((result, at) => ({ ...result, args: args[at] }));
  const results = await judgeResults(called, hasWords, supervisors, { ...ports, journal }, noteDegraded);
  const given = { results, content: hasWords ? content : resultsText(results) };
  return judged.kind === "rewritten"
    ? {
        kind: "passed",
        given: { ...given, instructions: undefined, history: [{ role: "user", content: judged.text }] },
      }
    : { kind: "passed", given: { ...given, instructions, history } };
}

/** A message without what the rules forbid: nothing, if any text of it is forbidden. A reply is told by the caller: rules of messages judge it too. */
async function judgeMessage(
  { role, content, rounds }: CallerMessage,
  asRequest: Judged,
  asReply: Judged,
): Promise<CallerMessage | undefined> {
  const judge: Judged = async (text) => {
    if (text === "") return "";
    const cleared = await asRequest(text);
    return cleared === undefined || role === "user" ? cleared : asReply(cleared);
  };
  const clearedContent = await judge(content);
  if (clearedContent === undefined) return undefined;
  if (rounds === undefined) return { role, content: clearedContent };
  const judged: NonNullable<CallerMessage["rounds"]> = [];
  for (const { message, calls } of rounds) {
    const words = await judge(message);
    if (words === undefined) return undefined;
    const passed: typeof calls = [];
    for (const { ref, args, result } of calls) {
      const [clearedArgs, clearedResult] = [await judgeArguments(args, judge), await judge(result)];
      if (clearedArgs === undefined || clearedResult === undefined) return undefined;
      passed.push({ ref, args: clearedArgs, result: clearedResult });
    }
    judged.push({ message: words, calls: passed });
  }
  return { role, content: clearedContent, rounds: judged };
}

/**
 * Arguments without what the rules forbid, as the model reads them: none of their texts hides behind an escape, or in two of them; nothing
 * where one is forbidden.
 */
async function judgeArguments(args: string, judge: Judged): Promise<string | undefined> {
  const { value } = readJson(args);
  if (typeof value !== "object" || value === null) return judge(args);
  const call = { toolCallId: "", server: callerServer, tool: "", args: { ...value } };
  const subject: SubjectOf<"tool_call"> = { hook: "tool_call", call };
  const texts = segmentsOf(subject).map(({ text }) => text);
  const together = texts.join("\n");
  if ((await judge(together)) === together) return JSON.stringify(value);
  const judged: string[] = [];
  for (const text of texts) {
    const passed = await judge(text);
    if (passed === undefined) return undefined;
    judged.push(passed);
  }
  return JSON.stringify(applyChange(subject, { kind: "segments", texts: judged }).call.args);
}

/**
 * Puts the whole before those who are no rules, as one text. An agent that judges every message is spared it: the transcript beside the
 * message shows it every word.
 */
async function judgeWhole(
  request: TurnRequest,
  messageId: string,
  supervisors: readonly Supervisor[],
  ports: CallerInputPorts,
  noteDegraded: NoteDegraded,
): Promise<
  { kind: "allowed" } | { kind: "rewritten"; text: string } | { kind: "blocked"; reasons: readonly string[] }
> {
  const transcript = asTranscript(request);
  const judges = supervisors.filter(
    ({ pure, hooks, readsConversation, condition }) =>
      !pure && hooks.has("request") && !(readsConversation === true && condition?.needsText !== true),
  );
  if (transcript.length === 0 || judges.length === 0) return { kind: "allowed" };
  const text = transcript.map(({ role, content }) => `${role}: ${content}`).join("\n\n");
  const subject = requestOf(`${messageId}.before`, text);
  const passed = await supervise(subject, judges, ports.journal.scope("whole"), ports.supervise);
  noteDegraded(passed.degraded);
  switch (passed.action) {
    case "allow":
      return { kind: "allowed" };
    case "modify":
      return { kind: "rewritten", text: passed.subject.message.content };
    case "block":
      return { kind: "blocked", reasons: passed.reasons };
  }
}

/** What came of a call, with the arguments as rules left them: none where they forbid one. */
type CalledResult = Omit<CallerResult, "args"> & { readonly args: string | undefined };

/** @param hasWords the message says more than the results: nobody sees them with it, so who judges messages judges them here */
async function judgeResults(
  results: readonly CalledResult[],
  hasWords: boolean,
  supervisors: readonly Supervisor[],
  ports: CallerInputPorts,
  noteDegraded: NoteDegraded,
): Promise<CallerResult[]> {
  const judges = hasWords ? alsoActiveAt("tool_result", "request", supervisors) : supervisors;
  const judged: CallerResult[] = [];
  for (const [index, result] of results.entries()) {
    const { toolCallId, tool, output } = result;
    const subject: SubjectOf<"tool_result"> = {
      hook: "tool_result",
      call: { toolCallId, server: callerServer, tool, args: argsOf(result) },
      output,
    };
    const passed = await supervise(subject, judges, ports.journal.scope(`result/${index}`), ports.supervise);
    noteDegraded(passed.degraded);
    const isBlocked = passed.action === "block" || result.args === undefined;
    judged.push({
      ...result,
      args: result.args ?? "{}",
      output: isBlocked ? [`The result of "${tool}" was blocked.`, ...passed.reasons].join(" ") : passed.subject.output,
    });
  }
  return judged;
}

/** With what supervision left of the names of the tools. */
export function clearedCallerInput(given: CallerInput, beside: readonly CallerText[]): CallerInput {
  const results = given.results.map((result, at) => {
    const tool = clearedText(beside, `results.${at}.tool`, result.tool);
    return tool === result.tool ? result : { ...result, tool: "tool" };
  });
  return {
    ...given,
    results,
    content: given.content === resultsText(given.results) ? resultsText(results) : given.content,
  };
}

/** Everything that was sent along, as supervisors read it beside the message. */
export function asTranscript(request: TurnRequest): {
  role: "user" | "assistant";
  content: string;
}[] {
  const { instructions, results } = request;
  const callText = (tool: string, args: string, result: string): string => `[${tool} ${args}: ${result}]`;
  return [
    ...(instructions === undefined ? [] : [{ role: "user" as const, content: `[instructions] ${instructions}` }]),
    ...conversationOf(request).map(({ role, content, rounds = [] }) => {
      const calls = rounds.flatMap((round) =>
        round.calls.map((call) => callText(call.ref.tool, call.args, call.result)),
      );
      return { role, content: [content, ...calls].filter((part) => part !== "").join("\n") };
    }),
    ...results.map(({ tool, args, output }) => ({ role: "user" as const, content: callText(tool, args, output) })),
  ];
}

function argsOf({ args = "{}" }: CalledResult): Record<string, unknown> {
  const { value } = readJson(args);
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function requestOf(messageId: string, content: string): SubjectOf<"request"> {
  return { hook: "request", message: { messageId, role: "user", content } };
}

function replyOf(messageId: string, message: string): SubjectOf<"response"> {
  return { hook: "response", reply: { timestamp: "", turns: [{ turnId: messageId, message }] } };
}

function textOf({ subject }: PassResult): string {
  switch (subject.hook) {
    case "request":
      return subject.message.content;
    case "response":
      return subject.reply.turns.map(({ message = "" }) => message).join("");
    case "tool_call":
    case "tool_result":
    case "hop":
      return "";
  }
}
