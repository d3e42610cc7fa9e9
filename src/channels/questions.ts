/** Asks as they appear in a chat: what is shown, which buttons there are, and what a button or a reply answers. */
import { answerInWords } from "../asks/answer-in-words.js";
import type { Ask } from "../asks/ask.js";
import { heldCall, heldText, reviewedAs } from "../asks/proposal.js";
import { defined } from "../conversation/defined.js";
import type { Button, Post } from "./adapter.js";

const codes = ["accept", "edit", "reject", "once", "session", "deny", "take", "return"] as const;

/** The most buttons that any of the platforms shows well; the question lists further suggestions. */
const maxButtons = 10;
const longestLabel = 70;
const longestExcerpt = 1_200;

/** A button of a question: the short name of its ask, and which choice it is. Fits into 64 bytes. */
export function buttonValue(token: string, choice: string): string {
  return `${token}:${choice}`;
}

export function readButton(value: string): { readonly token: string; readonly choice: string } | undefined {
  const [, token, choice] = /^([a-z0-9]{8,40}):([a-z0-9]{1,12})$/.exec(value) ?? [];
  return token === undefined || choice === undefined ? undefined : { token, choice };
}

export function isEditButton(value: string): boolean {
  return readButton(value)?.choice === "edit";
}

/** What an open ask looks like. @param origin where the console is, which has a page of what staff is asked */
export function questionPost(ask: Ask, token: string, origin?: string): Post {
  const page = ask.audience === "staff" && origin ? `\n\n${origin}/console/inbox/${ask.askId}` : "";
  return {
    kind: "question",
    text: questionText(ask) + page,
    buttons: buttonsOf(ask).map(({ choice, label, style }) => ({ value: buttonValue(token, choice), label, style })),
    ask: forPrograms(ask),
  };
}

/**
 * What is left of it in the chat once it is closed: no buttons, and what became of it.
 * @param name what the person is called who closed it
 */
export function closedPost(ask: Ask, name?: string): Post {
  return { kind: "question", text: `${headOf(ask)}\n\n${outcomeOf(ask, name)}`, ask: forPrograms(ask) };
}

function forPrograms({ askId, question, suggestions, status }: Ask): Post["ask"] {
  return { askId, question, status, ...defined({ suggestions }) };
}

function headOf({ kind, question, from }: Ask): string {
  const about = from.subject === undefined ? "" : ` (${from.subject})`;
  return kind === "review" || kind === "approval" ? `**${question}**${about}` : question;
}

function questionText(ask: Ask): string {
  const { context, reason, suggestions = [], from } = ask;
  const shown = suggestions.length > maxButtons ? suggestions.map((suggestion) => `- ${suggestion}`) : [];
  const about =
    ask.audience === "staff" && from.about.message !== undefined ? [`About: ${quoted(from.about.message)}`] : [];
  return [
    headOf(ask),
    ...about,
    ...(reason ? [`Why: ${reason}`] : []),
    ...(context ? [context] : []),
    ...proposalOf(ask),
    shown.join("\n"),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function proposalOf(ask: Ask): string[] {
  const text = heldText(ask);
  if (text !== undefined) {
    const { original, proposed, diff } = text;
    if (original === proposed) return [fenced(proposed)];
    const changed = diff?.map(
      ({ same, added, removed }) => same ?? (added === undefined ? `[-${removed}-]` : `{+${added}+}`),
    );
    return changed === undefined
      ? ["Before:", fenced(original), "Proposed:", fenced(proposed)]
      : [fenced(changed.join(""))];
  }
  const call = heldCall(ask);
  return call === undefined ? [] : [fenced(JSON.stringify(call.args, undefined, 2))];
}

/** The text that a reviewer would edit. */
export function proposedText(ask: Ask): string {
  return heldText(ask)?.proposed ?? "";
}

function fenced(text: string): string {
  return `\`\`\`\n${excerpt(text).replaceAll("```", "'''")}\n\`\`\``;
}

function quoted(text: string): string {
  return excerpt(text, 300).replaceAll("\n", " ");
}

function excerpt(text: string, most = longestExcerpt): string {
  return text.length <= most ? text : `${text.slice(0, most)} …`;
}

interface Choice {
  readonly choice: string;
  readonly label: string;
  readonly style?: Button["style"];
}

function buttonsOf(ask: Ask): readonly Choice[] {
  switch (ask.kind) {
    case "human": {
      const suggestions = ask.accepts === "yes_no" ? ["yes", "no"] : (ask.suggestions ?? []);
      return suggestions
        .slice(0, maxButtons)
        .map((label, at) => ({ choice: `s${at}`, label: label.slice(0, longestLabel) }));
    }
    case "context":
      return [];
    case "review":
      return [
        { choice: "accept", label: "Accept", style: "primary" },
        { choice: "edit", label: "Edit" },
        { choice: "reject", label: "Reject", style: "danger" },
      ];
    case "approval":
      return [
        { choice: "once", label: "Allow once", style: "primary" },
        { choice: "session", label: "Allow in this session" },
        { choice: "deny", label: "Deny", style: "danger" },
      ];
    case "handover":
      return [
        { choice: "take", label: "Take over", style: "primary" },
        { choice: "return", label: "Give back to the bot" },
      ];
  }
}

/** The answer that a button stands for; nothing for one that this ask doesn't have. */
export function answerOfButton(ask: Ask, choice: string): unknown {
  const [, index] = /^s(\d+)$/.exec(choice) ?? [];
  if (index !== undefined) {
    const response = (ask.accepts === "yes_no" ? ["yes", "no"] : (ask.suggestions ?? []))[Number(index)];
    return response === undefined ? undefined : { response };
  }
  const code = codes.find((known) => known === choice);
  return code === undefined || !buttonsOf(ask).some((button) => button.choice === code)
    ? undefined
    : { decision: code };
}

/** The answer that a reply stands for. Of a review any text that decides nothing is what shall stand in place of the proposed one. */
export function answerOfText(ask: Ask, text: string): unknown {
  return answerInWords(ask, text) ?? (ask.kind === "review" ? reviewedAs(ask, text) : undefined);
}

function outcomeOf({ status, answer, closedBy, audience }: Ask, name: string | undefined): string {
  const by = closedBy === undefined || closedBy.kind === "deadline" ? "" : ` by ${name ?? closedBy.id}`;
  const what =
    answer === undefined ? "" : "decision" in answer ? answer.decision : "response" in answer ? answer.response : "";
  switch (status) {
    case "open":
      return "";
    case "answered":
      // In the reviewers' channel what was decided is enough; an edited text is where it was sent.
      return audience === "staff" || what !== "" ? `Answered${by}: ${excerpt(what, 300)}` : `Answered${by}.`;
    case "expired":
      return what === ""
        ? "Nobody answered in time."
        : `Nobody answered in time; the default counts: ${excerpt(what, 300)}`;
    case "cancelled":
      return `Cancelled${by}.`;
  }
}
