/** Texts of a debate on their way to a reader: judged as one, and what a supervisor changes comes back part by part. */
import { defined } from "../conversation/defined.js";
import { activeAtHop } from "../supervision/as-hop.js";
import { type Supervised, supervise } from "../supervision/supervise.js";
import type { Hook } from "../supervision/verdict.js";
import { type DebatePorts, scoped } from "./ports.js";

/** Stands between the parts while they are judged, and in none of them. */
const separator = "\n\n⸻\n\n";

function joinParts(parts: readonly string[]): string {
  return parts.length === 1 ? (parts[0] ?? "") : parts.map((part) => part.replaceAll("⸻", "—")).join(separator);
}

/**
 * The parts of a judged text.
 * @returns the whole as the only part when they can't be told apart any more.
 */
export function splitParts(text: string, count: number): string[] {
  const parts = text.split(separator);
  return parts.length === count ? parts : [text];
}

export interface SupervisedTexts {
  readonly action: Supervised<never>["action"];
  /** The reasons, in one text. */
  readonly why: string;
  /** One a text; or all in the first alone, where a change lets nobody tell them apart. */
  readonly texts: readonly string[];
}

export interface Hop {
  readonly from: string;
  /** `panel`: the other seats. `caller`: it leaves the debate. */
  readonly to: "panel" | "caller";
  /** Whose supervisors judge it: those of replies too, because what is said in a debate is shown to its caller. */
  readonly hooks?: readonly Hook[];
}

/** Supervises what goes from one of a debate to others. @throws {Parked} while a person reviews it */
export async function superviseHop(
  texts: readonly string[],
  { from, to, hooks = ["response", "hop"] }: Hop,
  ports: DebatePorts,
): Promise<SupervisedTexts> {
  const subject = { hook: "hop" as const, from, to, content: joinParts(texts) };
  const passed = await supervise(subject, activeAtHop(ports.supervisors, hooks), ports.journal, ports.supervise);
  return resultOf(passed, passed.subject.content, texts.length, ports);
}

/** Supervises what comes in from outside, like a message. @throws {Parked} while a person reviews it */
export async function superviseMessage(
  messageId: string,
  texts: readonly string[],
  ports: DebatePorts,
): Promise<SupervisedTexts> {
  const message = { messageId, role: "user" as const, content: joinParts(texts) };
  const passed = await supervise(
    { hook: "request" as const, message },
    ports.supervisors,
    ports.journal,
    ports.supervise,
  );
  return resultOf(passed, passed.subject.message.content, texts.length, ports);
}

function resultOf(
  { action, reasons, degraded }: Omit<Supervised<never>, "subject">,
  content: string,
  count: number,
  ports: DebatePorts,
): SupervisedTexts {
  ports.noteDegraded(degraded);
  return { action, why: reasons.join("; "), texts: splitParts(content, count) };
}

/**
 * Answers to context requests come in like messages: has every one supervised that came since the last time. One that is blocked resolves
 * its request all the same: it can't be had.
 * @throws {Parked} while a person reviews one
 */
export async function clearAnswers(ports: DebatePorts): Promise<void> {
  for (const { requestId, result = "", source = "" } of ports.book.uncleared()) {
    const texts = [result, source];
    const passed = await superviseMessage(requestId, texts, scoped(ports, `answer/${requestId}`));
    if (passed.action === "block") {
      ports.book.clear(requestId, { status: "unavailable", error: `Its answer was blocked: ${passed.why}` });
      continue;
    }
    const [text = "", from = ""] = passed.action === "allow" ? texts : passed.texts;
    ports.book.clear(requestId, { status: "answered", result: text, ...defined({ source: from || undefined }) });
  }
}
