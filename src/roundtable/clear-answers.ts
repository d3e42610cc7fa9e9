/** Answers to context requests come in like messages: supervised before any seat reads them. */
import { supervise } from "../supervision/supervise.js";
import type { ContextRequest } from "./context-request.js";
import type { DebatePorts } from "./ports.js";
import { joinParts, splitParts } from "./supervised-parts.js";

/**
 * Has every answer supervised that came since the last time. One that is blocked resolves its request all the same: it can't be had.
 * @throws {Parked} while a person reviews one
 */
export async function clearAnswers(ports: DebatePorts): Promise<void> {
  for (const request of ports.book.uncleared()) {
    await clearAnswer(request, { ...ports, journal: ports.journal.scope(`answer/${request.requestId}`) });
  }
}

async function clearAnswer({ requestId, result = "", source = "" }: ContextRequest, ports: DebatePorts): Promise<void> {
  const texts = [result, source];
  const passed = await supervise(
    { hook: "request", message: { messageId: requestId, role: "user", content: joinParts(texts) } },
    ports.supervisors,
    ports.journal,
    ports.supervise,
  );
  ports.noteDegraded(passed.degraded);
  if (passed.action === "block") {
    const error = `Its answer was blocked: ${passed.reasons.join("; ")}`;
    ports.book.clear(requestId, { status: "unavailable", error });
    return;
  }
  const { content } = passed.subject.message;
  const [text = "", from = ""] = passed.action === "allow" ? texts : (splitParts(content, 2) ?? [content, ""]);
  ports.book.clear(requestId, { status: "answered", result: text, ...(from === "" ? {} : { source: from }) });
}
