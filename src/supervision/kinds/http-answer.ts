/** What an endpoint may answer, and what a pass makes of it. */
import { z } from "zod";
import { contextChangeSchema } from "../../conversation/context-change.js";
import { readJson } from "../../text/json.js";
import { lazily } from "../../text/lazily.js";
import type { ContextChange } from "../environment.js";
import { editOperationsSchema, editReply } from "../structural-edit.js";
import type { Change, Subject } from "../subject.js";
import { NoDecisionError, RefusedCallError } from "../supervisor.js";
import { actions, type Verdict } from "../verdict.js";

const answerSchema = lazily(() =>
  z
    .strictObject({
      action: z.enum(actions),
      reasons: z.array(z.string().min(1).max(2_000)).max(20).default([]),
      /** The whole text as it shall be (modify), or what is proposed (review). */
      content: z.string().max(200_000).optional(),
      /** Of a reply, in place of `content`: edits by the ids of its parts, all or none. */
      operations: editOperationsSchema().optional(),
      /** What is to be in force in the session from now on; with any action. */
      context: contextChangeSchema.optional(),
    })
    .refine(({ content, operations }) => content === undefined || operations === undefined, {
      message: "give either content or operations",
      path: ["operations"],
    })
    .refine(
      ({ action, content, operations }) =>
        action !== "modify" || operations !== undefined || (content !== undefined && content.trim() !== ""),
      { message: 'the action "modify" needs content or, of a reply, operations', path: ["content"] },
    )
    .refine(
      ({ action, content, operations }) =>
        (content === undefined && operations === undefined) || action === "modify" || action === "review",
      { message: "content and operations go with modify or review only", path: ["content"] },
    ),
);
export type HttpAnswer = z.infer<ReturnType<typeof answerSchema>>;

/** @throws {RefusedCallError} where it is malformed: what it wanted counts then, however wrong the rest is. */
export function readAnswer(text: string): HttpAnswer {
  const { value, problem } = readJson(text);
  if (problem !== undefined) throw new NoDecisionError("its endpoint (setting config.url) didn't answer with JSON");
  const answer = answerSchema().safeParse(value);
  if (answer.success) return answer.data;
  const requested = z.object({ action: z.enum(actions) }).safeParse(value).data?.action;
  const [issue] = answer.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
  throw new RefusedCallError(
    `the answer of its endpoint (setting config.url) is malformed: ${where}${issue?.message ?? "wrong"}`,
    undefined,
    requested,
  );
}

/** @throws {RefusedCallError} where its operations can't be done. */
export function verdictOf({ action, reasons, content, operations }: HttpAnswer, subject: Subject): Verdict {
  const changedTo = (change: Change): Verdict => ({ action, reasons, change });
  if (content !== undefined) return changedTo({ kind: "content", content });
  if (operations === undefined) return { action, reasons };
  const refused = (detail: string): RefusedCallError => new RefusedCallError(detail, undefined, action);
  if (subject.hook !== "response") throw refused("its operations edit a reply; elsewhere it answers with content");
  const edited = editReply(subject.reply, operations);
  if (!edited.ok) throw refused(`operation ${edited.at} of its answer can't be done: ${edited.problem}`);
  return changedTo({ kind: "subject", subject: { ...subject, reply: edited.reply } });
}

/** What is removed comes first, so that what is added holds. */
export function contextChangesOf({ add, remove }: NonNullable<HttpAnswer["context"]>): ContextChange[] {
  return (
    [
      ["exclude", remove],
      ["include", add],
    ] as const
  ).flatMap(([act, items]) => [
    ...(["rules", "references"] as const).flatMap((kind) => items[kind].map((name) => ({ act, kind, name }))),
    ...items.tools.map(
      ({ server, tool }): ContextChange =>
        tool === "*" ? { act, kind: "toolServers", name: server } : { act, kind: "tools", name: `${server}/${tool}` },
    ),
  ]);
}
