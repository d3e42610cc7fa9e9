/** Shadows that ask a model or an endpoint: nobody waits for them. What they judge is kept, and their verdict is a pass of its own. */
import { z } from "zod";
import { defined } from "../conversation/defined.js";
import { lazily } from "../text/lazily.js";
import { conversationAround } from "./environment.js";
import { evaluate, type PassPorts, whySkipped } from "./evaluation.js";
import { passSubject, stepOf } from "./pass-record.js";
import { changesOf, type SupervisionState } from "./state.js";
import { type Subject, saysTheSame, subjectSchema } from "./subject.js";
import type { Supervisor } from "./supervisor.js";

/** What a shadow is to judge, as it was when its turn came. A contract with what is stored. */
export const shadowedSchema = lazily(() => {
  const call = z.object({
    ref: z.object({ server: z.string(), tool: z.string() }),
    args: z.string(),
    result: z.string(),
  });
  const message = z.object({
    role: z.enum(["user", "assistant"]),
    content: z.string(),
    rounds: z.array(z.object({ message: z.string(), calls: z.array(call) })).optional(),
  });
  return z.object({
    subject: subjectSchema,
    hash: z.string(),
    conversation: z.array(message),
    statistics: z.record(z.string(), z.number()),
    ownerId: z.string().optional(),
    workId: z.string().optional(),
    replyId: z.string().optional(),
    strict: z.boolean(),
  });
});
export type Shadowed = z.infer<ReturnType<typeof shadowedSchema>>;

export interface PendingShadow {
  readonly supervisor: Supervisor;
  /** The rules that its reasons have to pass. */
  readonly rules: readonly Supervisor[];
  readonly shadowed: Shadowed;
}

/** The shadow for later; nothing where it is as well judged at once: it asks nobody, or isn't asked itself. */
export async function pendingShadow(
  supervisor: Supervisor,
  subject: Subject,
  pass: Parameters<typeof whySkipped>[2],
): Promise<PendingShadow | undefined> {
  const { hash, environment = {}, strict } = pass.ports;
  // What has no stored version can't be made again by whoever goes on with it.
  if (supervisor.pure || supervisor.version === undefined) return undefined;
  if ((await whySkipped(supervisor, subject, pass)) !== undefined) return undefined;
  const { ownerId, workId, replyId } = environment;
  const shadowed = shadowedSchema().parse({
    ...{ subject, hash: await hash(subject), conversation: conversationAround(subject, environment), strict },
    statistics: environment.statistics?.() ?? {},
    ...defined({ ownerId, workId, replyId }),
  });
  return { supervisor, rules: pass.rules, shadowed };
}

/** What the shadow says, as a pass without effect. */
export async function judgeShadow(
  { supervisor, rules, shadowed }: PendingShadow,
  ports: Pick<PassPorts, "now" | "withDeadline" | "journal"> & { readonly digest: (text: string) => Promise<string> },
): Promise<SupervisionState> {
  const { subject, conversation, statistics, strict, ownerId, workId, replyId } = shadowed;
  // Whether it was to be asked was found out when its turn came.
  const asked = { ...supervisor, condition: undefined };
  const hash = async (text: Subject): Promise<string> =>
    saysTheSame(text, subject) ? shadowed.hash : ports.digest(shadowed.hash + JSON.stringify(text));
  const evaluation = await evaluate(asked, subject, {
    active: [asked],
    rules,
    ports: {
      ...ports,
      ...{ hash, strict },
      environment: {
        ...defined({ ownerId, workId }),
        ...{ replyId, transcript: () => conversation, statistics: () => statistics },
      },
    },
  });
  const { inDoubt } = supervisor.condition ?? {};
  const isReply = subject.hook === "response" && replyId !== undefined;
  return {
    hook: subject.hook,
    decision: "allow",
    reasons: [],
    contextChanges: changesOf([]),
    steps: [await stepOf({ ...evaluation, ...defined({ inDoubt }) }, { hash })],
    degraded: [],
    beside: true,
    subject: isReply ? { messageId: replyId } : passSubject(subject),
  };
}
