/** What an ask proposes: a text that a review holds, or a call that waits for an approval; and what an answer makes of it. */
import { z } from "zod";
import type { ActorRecord } from "../conversation/actor-record.js";
import type { ProblemIssue } from "../conversation/problem.js";
import { canonicalJson, isRecord, readJson } from "../text/json.js";
import { lazily } from "../text/lazily.js";
import { oneLine } from "../text/one-line.js";
import { diffPartSchema } from "../text/word-diff.js";
import type { Answer } from "./answer.js";
import type { AskKind } from "./policy.js";

interface Proposing {
  readonly kind: AskKind;
  readonly proposal?: unknown;
}

const textSchema = lazily(() =>
  z.object({
    hook: z.string(),
    original: z.string(),
    proposed: z.string(),
    diff: z.array(diffPartSchema).optional(),
    reasons: z.array(z.string()).optional(),
    /** What was judged along with a message: its metadata, what the caller sent. */
    beside: z.array(z.object({ name: z.string(), text: z.string() })).optional(),
  }),
);
const hookSchema = lazily(() => z.object({ hook: z.string() }));
const callSchema = lazily(() =>
  z.object({
    server: z.string(),
    tool: z.string(),
    args: z.record(z.string(), z.unknown()),
    /** The tool's JSON Schema of its arguments, where it isn't too long; asks of versions before have none. */
    parameters: z.record(z.string(), z.unknown()).optional(),
    /** Whether each call of it is put before a person, or one of a session. */
    approval: z.enum(["always", "session"]).optional(),
  }),
);
/** The most of a tool's schema that an ask holds, as JSON, in characters. */
const longestSchema = 16_000;

/** Undefined of other kinds, and of what was erased. */
export function heldText({ kind, proposal }: Proposing) {
  return kind === "review" ? textSchema().safeParse(proposal).data : undefined;
}

/** The hook whose text a review holds; asks of other kinds have none. */
export function hookOf({ proposal }: Pick<Proposing, "proposal">): string | undefined {
  return hookSchema().safeParse(proposal).data?.hook;
}

export function heldCall({ kind, proposal }: Proposing) {
  return kind === "approval" ? callSchema().safeParse(proposal).data : undefined;
}

/** The schema of a tool's arguments as an ask holds it: by it whoever edits a call has a form, and is told at once what doesn't fit. */
export function schemaForAsk(parameters: Readonly<Record<string, unknown>>): { readonly parameters?: object } {
  return JSON.stringify(parameters).length > longestSchema ? {} : { parameters };
}

/** What a tool is like is none of an end user's business. */
export function withoutSchema<T extends { readonly kind: AskKind; readonly proposal?: unknown }>(ask: T): T {
  if (ask.kind !== "approval" || !isRecord(ask.proposal)) return ask;
  const { parameters: _, ...proposal } = ask.proposal;
  return { ...ask, proposal };
}

/** In characters. */
const longestPreview = 199;

/** What an ask is about, in one line: the text that is held, the call that waits, or the question. */
export function previewOf(ask: Proposing & { readonly question: string }): string {
  const call = heldCall(ask);
  const text = heldText(ask)?.proposed ?? (call && `${call.tool} ${JSON.stringify(call.args)}`) ?? ask.question;
  return oneLine(text, longestPreview);
}

/** A form that is sent without script has lines end as in mails. */
const withPlainLines = (text: string): string => text.replaceAll("\r\n", "\n");

/** What is proposed is accepted as it stands; another text is an edit. */
export function reviewedAs(ask: Proposing, content: string) {
  const isSame = withPlainLines(content) === withPlainLines(heldText(ask)?.proposed ?? "");
  return isSame ? ({ decision: "accept" } as const) : ({ decision: "edit", content: withPlainLines(content) } as const);
}

interface Decided {
  readonly decision?: string;
  readonly content?: string | undefined;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  readonly note?: string | undefined;
  readonly message?: string | undefined;
}

/** Checks arguments against a tool's JSON Schema: what is wrong, in words. */
export type CheckArguments = (
  tool: { readonly parameters: Readonly<Record<string, unknown>> },
  args: unknown,
) => readonly string[];

/** An approval with the very arguments that are proposed edits nothing. */
export function withoutSameArguments(ask: Proposing, answer: Answer): Answer {
  if (!("args" in answer) || canonicalJson(answer.args) !== canonicalJson(heldCall(ask)?.args)) return answer;
  const { args: _, ...rest } = answer;
  return rest;
}

/** A no, which a person gives a reason for. */
export function isRefusal(decision: string | undefined): boolean {
  return decision === "reject" || decision === "deny";
}

/** What an ask that was closed with this couldn't make good: a person's no without a why, and arguments that are none or don't fit. */
export function answerFaults(
  ask: Proposing,
  answer: Decided,
  by: ActorRecord,
  checkArguments: CheckArguments,
): readonly ProblemIssue[] {
  if (by.kind === "person" && isRefusal(answer.decision) && answer.note === undefined && answer.message === undefined)
    return [{ path: "message", message: "Say why: here for those who asked, or in the note for staff." }];
  const isCall = answer.decision === "edit" && heldText(ask)?.hook === "tool_call";
  if (isCall && !isRecord(readJson(answer.content ?? "").value))
    return [{ path: "content", message: "The arguments of a call are a JSON object." }];
  if (answer.args === undefined) return [];
  // What a tool is called with is a model's word, or a backend's.
  if (by.role === "user") return [{ path: "args", message: "An end user approves a call or denies it." }];
  const { parameters } = heldCall(ask) ?? {};
  const faults = parameters === undefined ? [] : checkArguments({ parameters }, answer.args);
  return faults.map((fault) => ({ path: `args${pathIn(fault)}`, message: fault }));
}

/** Of a fault's place in the arguments, as the checker writes it (`#/items/0: …`), its dotted path. */
function pathIn(fault: string): string {
  const [, place = ""] = /^#(\/[^:\s]{0,200})?:/.exec(fault) ?? [];
  return place.replaceAll("/", ".");
}
