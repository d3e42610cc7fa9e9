/** The one way in which a text answers an ask, of whatever kind, on every face. */
import type { AskKind, Audience } from "./policy.js";

const approvals: ReadonlyMap<string, "once" | "session" | "deny"> = new Map([
  ...["once", "yes", "allow", "approve"].map((word) => [word, "once"] as const),
  ["session", "session"],
  ...["deny", "no"].map((word) => [word, "deny"] as const),
]);
const reviews: ReadonlyMap<string, "accept" | "reject"> = new Map([
  ...["accept", "accepted", "yes", "ok", "approve"].map((word) => [word, "accept"] as const),
  ...["reject", "no"].map((word) => [word, "reject"] as const),
]);

const handovers: ReadonlyMap<string, "take" | "return"> = new Map([
  ...["take", "yes", "ok"].map((word) => [word, "take"] as const),
  ...["return", "no"].map((word) => [word, "return"] as const),
]);

type WrittenAnswer =
  | { response: string }
  | { result: string }
  | { decision: "once" | "session" | "deny" }
  | { decision: "accept" | "reject" }
  | { decision: "take" | "return" };

/**
 * A text as the answer of the ask's kind: a question has it as its response, a request for context as its result; an approval or a
 * review is decided by one word. Undefined where the text decides nothing.
 * @example answerInWords({ kind: "approval" }, "Yes.") // { decision: "once" }
 */
export function answerInWords({ kind }: { readonly kind: AskKind }, text: string): WrittenAnswer | undefined {
  switch (kind) {
    case "human":
      return { response: text };
    case "context":
      return { result: text };
    case "approval": {
      const decision = approvals.get(wordOf(text));
      return decision === undefined ? undefined : { decision };
    }
    case "review": {
      const decision = reviews.get(wordOf(text));
      return decision === undefined ? undefined : { decision };
    }
    case "handover": {
      const decision = handovers.get(wordOf(text));
      return decision === undefined ? undefined : { decision };
    }
  }
}

/** Whether the end user's next message is its answer. */
export function isAnsweredByMessage({
  kind,
  audience,
}: {
  readonly kind: AskKind;
  readonly audience: Audience;
}): boolean {
  return audience === "user" && (kind === "human" || kind === "context");
}

/** One word, in lower case, without the full stop. */
function wordOf(text: string): string {
  const word = text.slice(0, 40).trim().toLowerCase();
  return word.endsWith(".") || word.endsWith("!") ? word.slice(0, -1) : word;
}
