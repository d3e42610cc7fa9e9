/**
 * The response while it is written. Only where it is certain who writes it: the one worker whose result will be the response, or
 * the model that makes one of several. What is written passes, on its way out, every gate that the whole is going to pass.
 */
import type { AgentObserver } from "../agent/ports.js";
import type { ModelListener } from "../model/port.js";
import { openStreamGate } from "../supervision/stream-gate.js";
import type { Supervisor } from "../supervision/supervisor.js";

/** Receives the response as it is written; `retract` voids all of it. */
export type Draft = ModelListener;

/** A draft that receives what the supervisors of hops release; a supervisor that has to see the whole holds the whole. */
export function draftThroughHop(draft: Draft | undefined, supervisors: readonly Supervisor[]): Draft | undefined {
  if (draft === undefined) return undefined;
  let gate = openStreamGate(supervisors, "hop");
  return {
    delta(text) {
      const released = gate.push(text);
      if (released !== "") draft.delta(released);
    },
    retract() {
      gate = openStreamGate(supervisors, "hop");
      draft.retract();
    },
    isEnough: () => gate.isBlocked() || draft.isEnough?.() === true,
    isFollowed: () => draft.isFollowed?.() ?? true,
  };
}

/**
 * Has an agent write the draft: each of its calls begins it anew, and text beside tool calls is no response. An answer that
 * was not streamed while it was written, on a replay above all, is taken up whole: what is taken back later has to be known.
 */
export function writingDraft(draft: Draft | undefined): Pick<AgentObserver, "listen" | "roundText"> {
  if (draft === undefined) return {};
  let written = "";
  const retract = (): void => {
    written = "";
    draft.retract();
  };
  const delta = (text: string): void => {
    written += text;
    draft.delta(text);
  };
  return {
    listen: () => {
      retract();
      const isEnough = () => draft.isEnough?.() === true;
      return { delta, retract, isEnough, isFollowed: () => draft.isFollowed?.() ?? true };
    },
    roundText: (_round, text, isAnswer) => {
      if (!isAnswer || !text.startsWith(written)) retract();
      if (isAnswer && text !== written) delta(text.slice(written.length));
    },
  };
}
