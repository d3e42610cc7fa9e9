/**
 * The gate a streamed reply passes: text is released only as far as every response supervisor has cleared it. What the gate
 * released is never the last word: the pass over the whole reply is.
 */
import type { Supervisor, SupervisorStream } from "./supervisor.js";

export interface StreamGate {
  /** The next piece of the reply; gives what may be seen. */
  push(delta: string): string;
}

export function openStreamGate(supervisors: readonly Supervisor[]): StreamGate {
  const standing = supervisors
    .filter((supervisor) => supervisor.mode === "enforce" && supervisor.hooks.has("response"))
    // Those that judge only stand behind those that modify, as in the pass.
    .sort((a, b) => Number(b.mayModify) - Number(a.mayModify) || a.order - b.order || (a.name < b.name ? -1 : 1));
  const streams: SupervisorStream[] = [];
  for (const supervisor of standing) {
    const stream = supervisor.openStream?.();
    if (stream === undefined) return { push: () => "" };
    streams.push(stream);
  }

  let closed = false;
  return {
    push(delta) {
      let current = delta;
      for (const stream of streams) {
        if (closed || current === "") return "";
        const step = stream.push(current);
        closed = step.action === "review" || step.action === "block";
        current = step.release;
      }
      return closed ? "" : current;
    },
  };
}
