/**
 * The gate a streamed reply passes: text is released only as far as every response supervisor has cleared it. What the gate
 * released is never the last word: the pass over the whole reply is.
 */
import { streamUntilDoubt } from "./in-doubt.js";
import { inOrder, modifiesAt, type Supervisor, type SupervisorStream } from "./supervisor.js";
import type { Hook } from "./verdict.js";

export interface StreamGate {
  /** The next piece of the reply; returns what may be seen. */
  push(delta: string): string;
  /** Whether what was pushed will be blocked, whatever follows. */
  isBlocked(): boolean;
}

/**
 * @param hook where the whole is going to be judged: a reply at `response`, what will be one at each `hop` on its way.
 * @param sampledId by which samples take the reply or leave it, where that is known: who isn't going to be asked holds nothing.
 */
export function openStreamGate(
  supervisors: readonly Supervisor[],
  hook: Hook = "response",
  sampledId?: string,
): StreamGate {
  const active = supervisors
    .filter((supervisor) => supervisor.mode === "enforce" && supervisor.hooks.has(hook))
    .filter(({ condition }) => sampledId === undefined || condition?.includes(sampledId) !== false)
    .sort(inOrder);
  const modifiers = active.filter((supervisor) => modifiesAt(supervisor, hook));
  const streams: SupervisorStream[] = [];
  // Those that judge only stand behind those that modify, as in the pass.
  for (const supervisor of [...modifiers, ...active.filter((other) => !modifiesAt(other, hook))]) {
    const isSecondLook = supervisor.condition?.inDoubt !== undefined;
    const stream = isSecondLook ? streamUntilDoubt(supervisor, active) : supervisor.openStream?.();
    if (isSecondLook && stream === undefined) continue;
    if (stream === undefined) return { push: () => "", isBlocked: () => false };
    streams.push(stream);
  }
  // As in the pass, too, all but the last look again at what later ones made of the text.
  const again = modifiers.slice(0, -1).flatMap((supervisor) => supervisor.openStream?.(false) ?? []);
  streams.splice(modifiers.length, 0, ...again.map(unchanged));

  const secondLooks = new Set(streams.slice(modifiers.length, modifiers.length + again.length));
  let closed = false;
  let blocked = false;
  return {
    isBlocked: () => blocked,
    push(delta) {
      let current = delta;
      for (const stream of streams) {
        if (closed || current === "") return "";
        const step = stream.push(current);
        closed = step.action === "review" || step.action === "block";
        // A second look that would change the text blocks the stream, not the reply.
        blocked = step.action === "block" && !secondLooks.has(stream);
        current = step.release;
      }
      return closed ? "" : current;
    },
  };
}

/** A second look: what it would change isn't released at all, and comes out of the pass over the whole. */
function unchanged(stream: SupervisorStream): SupervisorStream {
  let pending = "";
  return {
    push(delta) {
      pending += delta;
      const { release, action } = stream.push(delta);
      if (!pending.startsWith(release)) return { release: "", action: "block" };
      pending = pending.slice(release.length);
      return { release, action };
    },
  };
}
