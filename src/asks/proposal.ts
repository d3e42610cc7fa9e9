/** What an ask proposes: a text that a review holds, or a call that waits for an approval; and what an answer makes of it. */
import { z } from "zod";
import type { ActorRecord } from "../conversation/actor-record.js";
import type { ProblemIssue } from "../conversation/problem.js";
import { isRecord, readJson } from "../text/json.js";
import { lazily } from "../text/lazily.js";
import { diffPartSchema } from "../text/word-diff.js";
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
const callSchema = lazily(() => z.object({ server: z.string(), tool: z.string(), args: z.unknown() }));

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
  readonly note?: string | undefined;
  readonly message?: string | undefined;
}

/** What an ask that was closed with this couldn't make good: a person's no without a why, and arguments that are none. */
export function answerFault(ask: Proposing, answer: Decided, by: ActorRecord): ProblemIssue | undefined {
  const isNo = answer.decision === "reject" || answer.decision === "deny";
  if (by.kind === "person" && isNo && answer.note === undefined && answer.message === undefined)
    return { path: "message", message: "Say why: here for those who asked, or in the note for staff." };
  const isCall = answer.decision === "edit" && heldText(ask)?.hook === "tool_call";
  if (isCall && !isRecord(readJson(answer.content ?? "").value))
    return { path: "content", message: "The arguments of a call are a JSON object." };
  return undefined;
}
