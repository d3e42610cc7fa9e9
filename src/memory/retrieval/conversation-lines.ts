/**
 * Which entries are lines of one conversation, and which stand alone. A thread says it of its messages. Of entries that were written
 * directly their order and their times say it: lines follow one another, within the time after which a session ends, and
 * somebody answers somebody.
 */
import { idleAfterMs } from "../control.js";
import { type Candidate, placeKey } from "./candidate.js";

/** Longer entries that were written directly are documents, unless an assistant said them. In terms. */
const maxLineTerms = 120;

const assistantRoles: ReadonlySet<string> = new Set(["assistant", "agent", "ai", "bot", "model"]);

export function isAssistant({ role }: Candidate): boolean {
  return role !== undefined && assistantRoles.has(role.toLowerCase());
}

/** Whether it is worth looking what stands around an entry: the rest are documents. */
export function mayBeLine(entry: Candidate): boolean {
  return entry.threadId !== "" || entry.length <= maxLineTerms || isAssistant(entry);
}

/** Whether two entries that follow one another belong to one conversation. */
function followsOn(a: Candidate, b: Candidate): boolean {
  if (a.threadId !== "") return a.sessionKey === b.sessionKey;
  if (!mayBeLine(a) || !mayBeLine(b)) return false;
  if (Math.abs(Date.parse(a.occurredAt) - Date.parse(b.occurredAt)) > idleAfterMs) return false;
  const bothNamed = a.speaker !== undefined && b.speaker !== undefined;
  return bothNamed || isAssistant(a) !== isAssistant(b);
}

/** The candidates of a search by their places. */
export class ConversationLines {
  private readonly places: ReadonlyMap<string, Candidate>;

  constructor(candidates: readonly Candidate[]) {
    this.places = new Map(candidates.map((entry) => [placeKey(entry.threadId, entry.seq), entry]));
  }

  /** The entry so many places on, if it was fetched and belongs to the same conversation. */
  neighbour(entry: Candidate, offset: number): Candidate | undefined {
    const { threadId, seq } = entry;
    const found = this.places.get(placeKey(threadId, seq + offset));
    if (found === undefined) return undefined;
    // A thread's session holds together; of other entries, each has to follow on the one before it.
    if (threadId !== "" || Math.abs(offset) <= 1) return followsOn(entry, found) ? found : undefined;
    const between = this.neighbour(entry, offset - Math.sign(offset));
    return between !== undefined && followsOn(between, found) ? found : undefined;
  }

  /** Whether an entry is a line of a conversation. The others stand beside one another by chance, and are as long as they are. */
  isLine(entry: Candidate): boolean {
    return entry.threadId !== "" || [-1, 1].some((offset) => this.neighbour(entry, offset) !== undefined);
  }
}
