/** What is recorded of a pass: what was judged, and what each supervisor said of it. */
import { defined } from "../conversation/defined.js";
import type { Evaluation } from "./evaluation.js";
import type { PassSubject, SupervisionState, SupervisionStep } from "./state.js";
import { readableText, type Subject } from "./subject.js";

/** What a record says of the subject. Which message a reply is, knows who keeps it. */
export function passSubject(subject: Subject): PassSubject {
  switch (subject.hook) {
    case "request":
      return { messageId: subject.message.messageId };
    case "tool_call":
    case "tool_result": {
      const { server, tool, toolCallId } = subject.call;
      return { toolCallId, tool: `${server}/${tool}` };
    }
    case "hop":
      return { from: subject.from, to: subject.to };
    case "response":
      return {};
  }
}

/** The texts of what isn't a message: messages keep their own. */
export function restrictedTexts(before: Subject, after: Subject): Pick<SupervisionState, "texts"> {
  if (before.hook === "request" || before.hook === "response") return {};
  return { texts: { before: readableText(before), after: readableText(after) } };
}

export async function stepOf(
  { name, before, after, verdict, wholeReasons, calls, ...about }: Evaluation,
  ports: { readonly hash: (subject: Subject) => Promise<string> },
): Promise<SupervisionStep> {
  const { mode, version, model, latencyMs, failed, skipped, inDoubt } = about;
  const beforeHash = await ports.hash(before);
  return {
    supervisor: name,
    ...defined({ version, model }),
    action: verdict.action,
    reasons: [...verdict.reasons],
    ...defined({
      wholeReasons: wholeReasons && [...wholeReasons],
      rules: verdict.rules && [...verdict.rules],
      faults: verdict.faults && [...verdict.faults],
    }),
    ...(calls.length === 0 ? {} : { calls: [...calls] }),
    beforeHash,
    afterHash: after === before ? beforeHash : await ports.hash(after),
    latencyMs,
    mode,
    ...defined({ usage: verdict.usage, failed, skipped, inDoubt }),
  };
}
