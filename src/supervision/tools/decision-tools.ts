/** The tools by which a supervising agent decides. Each of them ends its work; several calls in one reply apply in order. */
import { z } from "zod";
import type { ToolOutput } from "../../agent/tools.js";
import { editOperationsSchema, editReply } from "../structural-edit.js";
import { applyChange, type Subject } from "../subject.js";
import { mayModifyMessages, type Permissions } from "../supervisor.js";
import type { Action, Hook } from "../verdict.js";
import { type PassToolkit, problem, type ReasonSchema, type SupervisionTool, supervisionTool } from "./toolkit.js";

const content = z.string().max(200_000);

export function decisionTools(
  kit: PassToolkit,
  hash: (subject: Subject) => Promise<string>,
  reason: ReasonSchema,
  /** Whether a review may come with another text. */
  mayPropose: boolean,
): SupervisionTool[] {
  const { hook } = kit.text;
  const tools = [
    supervisionTool(kit, {
      name: "allow_message",
      description: "Let the supervised text pass as it is.",
      schema: z.object({ reason: z.string().max(2_000).optional() }),
      run: async (args) => settled(kit, "allow", args.reason),
    }),
    supervisionTool(kit, {
      name: "block_message",
      description: "Stop the supervised text: nobody gets to see it.",
      schema: z.object({ reason }),
      run: async (args) => settled(kit, "block", args.reason),
    }),
    ...(hook === "response" ? responseTools(kit, hash, reason) : [modifyMessage(kit, hook, reason)]),
    reviewTool(kit, reason, mayPropose),
  ];
  return tools;
}

/** What a call of a decision tool asks for; nothing of other tools. */
export function actionWanted(tool: string): Action | undefined {
  switch (tool) {
    case "allow_message":
      return "allow";
    case "block_message":
      return "block";
    case "request_review":
      return "review";
    case "modify_message":
    case "modify_response":
    case "edit_response":
      return "modify";
    default:
      return undefined;
  }
}

/** Which decision tools there are: the ones that alone are left in the last round. */
export function decisionNames(hook: Hook, permission: Permissions): string[] {
  const modify = hook === "response" ? ["modify_response", "edit_response"] : ["modify_message"];
  return ["allow_message", "block_message", ...(mayModifyMessages(permission) ? modify : []), "request_review"];
}

function modifyMessage(kit: PassToolkit, hook: Hook, reason: ReasonSchema): SupervisionTool {
  const what = hook === "tool_call" ? "The arguments, as a JSON object" : "The whole text as it shall be";
  return supervisionTool(kit, {
    name: "modify_message",
    description: "Put another text in the place of the supervised one.",
    schema: z.object({ content: content.describe(what), reason }),
    permitted: mayModifyMessages,
    run: async (args) => modified(kit, args.content, "modify", args.reason),
  });
}

function responseTools(
  kit: PassToolkit,
  hash: (subject: Subject) => Promise<string>,
  reason: ReasonSchema,
): SupervisionTool[] {
  return [
    supervisionTool(kit, {
      name: "modify_response",
      description:
        "Put one text in the place of everything the reply says. Tool calls, their results and pending calls stay.",
      schema: z.object({ content, reason }),
      permitted: mayModifyMessages,
      run: async (args) => modified(kit, args.content, "modify", args.reason),
    }),
    supervisionTool(kit, {
      name: "edit_response",
      description:
        "Edit the reply by the ids in <structure>: all operations are done in order, or none. baseHash is the one given in <structure>, or the one that the last edit gave.",
      schema: z.object({ operations: editOperationsSchema(), baseHash: z.string().max(200), reason }),
      permitted: mayModifyMessages,
      run: async (args) => {
        const current = kit.text;
        if (current.hook !== "response") return problem("Only a reply can be edited; use modify_message.");
        // The edits of one reply are one batch: each may name the reply as it was shown.
        const base = await hash(current);
        if (args.baseHash !== base && args.baseHash !== (await hash(kit.subject))) {
          return problem(
            `Nothing was changed: the reply isn't what baseHash says any more. Its hash is "${base}" now.`,
          );
        }
        const edited = editReply(current.reply, args.operations);
        if (!edited.ok) return problem(`Nothing was changed: operation ${edited.at} can't be done. ${edited.problem}.`);
        const next: Subject = { ...current, reply: edited.reply };
        const output = settled(kit, "modify", args.reason, next);
        return { ...output, content: `${output.content} Its hash is "${await hash(next)}" now.` };
      },
    }),
  ];
}

function reviewTool(kit: PassToolkit, reason: ReasonSchema, mayPropose: boolean): SupervisionTool {
  const proposed = { content: content.optional().describe("What you propose instead; left out: the text as it is") };
  return supervisionTool(kit, {
    name: "request_review",
    description: "Hold the supervised text until a person has accepted, edited or rejected it.",
    schema: z.object({ reason, ...(mayPropose ? proposed : {}) }),
    run: async (args) => {
      const given = "content" in args && typeof args.content === "string" ? args.content : undefined;
      return given === undefined ? settled(kit, "review", args.reason) : modified(kit, given, "review", args.reason);
    },
  });
}

function modified(kit: PassToolkit, text: string, action: "modify" | "review", why: string): ToolOutput {
  if (text.trim() === "") {
    return problem(
      "Not done: the new text is empty. Give the whole text as it shall be, or call block_message to stop it.",
    );
  }
  try {
    return settled(kit, action, why, applyChange(kit.text, { kind: "content", content: text }));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return problem(`Not done: ${error.message}.`);
  }
}

function settled(kit: PassToolkit, action: Action, why: string | undefined, change?: Subject): ToolOutput {
  const counts = kit.decide(action, why, change);
  const noted =
    counts === action ? `Noted: ${action}.` : `Noted; what counts stays "${counts}": a decision only gets stricter.`;
  return { content: noted, endsRun: true };
}
