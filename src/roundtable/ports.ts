/** A panel with everything that it names, and the ports that a debate works with. */
import type { Effect } from "../agent/effects.js";
import type { AgentPorts, CallObserver } from "../agent/ports.js";
import type { AgentTool } from "../agent/tools.js";
import type { NoteDegraded } from "../supervision/exchange.js";
import type { SupervisePorts } from "../supervision/supervise.js";
import type { Supervisor } from "../supervision/supervisor.js";
import type { ToolApprovals, ToolGuardPorts } from "../supervision/tool-guard.js";
import type { SeatFailure } from "./debate.js";
import type { Panel, SeatInfo } from "./panel.js";
import type { Position } from "./position.js";
import type { RequestBook } from "./request-book.js";

export interface LoadedSeat extends SeatInfo {
  readonly models: readonly string[];
  /** Of the stored agent that it is. */
  readonly instructions?: string | undefined;
  readonly temperature?: number | undefined;
  /** Those of the panel and of its agent. */
  readonly tools: readonly AgentTool[];
}

/** A panel, with everything that it names looked up. */
export interface LoadedPanel
  extends Readonly<
    Pick<Panel, "mode" | "exitOnConsensus" | "thresholds" | "analysis" | "limits" | "requests" | "waiting">
  > {
  /** The stored panel's, or `inline`. */
  readonly name: string;
  readonly seats: readonly LoadedSeat[];
  readonly totalRounds: number;
  readonly models: { readonly analyst: readonly string[]; readonly synthesis: readonly string[] };
}

/** What happens in a debate, as its observers hear it: each once, in the write of the step that it is of. */
export type DebateEntry =
  | { readonly type: "position.taken"; readonly position: Position; readonly debateId?: string }
  | { readonly type: "seat.failed"; readonly round: number; readonly failure: SeatFailure; readonly debateId?: string };

export interface DebateObserver extends CallObserver {
  readonly recorded: (entry: DebateEntry) => void;
  /**
   * What a seat's call may have changed: `unknown` once it is begun, then what came of it, or nothing if it changed nothing after all. For
   * the next caller where the round itself comes to no end. On replays too.
   */
  readonly effect?: (toolCallId: string, effect: Effect | undefined) => void;
}

export interface DebatePorts extends Omit<AgentPorts, "guard" | "observer"> {
  readonly supervise: SupervisePorts;
  readonly approvals: ToolApprovals;
  readonly approval?: ToolGuardPorts["approval"];
  /** Everybody who supervises the debate. */
  readonly supervisors: readonly Supervisor[];
  readonly noteDegraded: NoteDegraded;
  readonly book: RequestBook;
  /** What became meanwhile of what was asked for: brings the book up to date. */
  readonly syncRequests: () => void;
  readonly observer: DebateObserver;
}

/** The ports with a journal of their own for a part of the work. */
export function scoped(ports: DebatePorts, scope: string): DebatePorts {
  return { ...ports, journal: ports.journal.scope(scope) };
}

/** The ports as one of the debate has them: asks that come of supervision name it. */
export function speakingAs(agent: string, ports: DebatePorts): DebatePorts {
  return { ...ports, supervise: { ...ports.supervise, source: { ...ports.supervise.source, agent } } };
}
