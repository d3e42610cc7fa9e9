/** A panel with everything that it names, and the ports that a debate works with. */
import type { Effect } from "../agent/effects.js";
import type { AgentPorts, CallObserver } from "../agent/ports.js";
import type { AgentTool } from "../agent/tools.js";
import type { NoteDegraded } from "../supervision/exchange.js";
import type { SupervisePorts } from "../supervision/supervise.js";
import type { Supervisor } from "../supervision/supervisor.js";
import type { ToolApprovals, ToolGuardPorts } from "../supervision/tool-guard.js";
import type { SeatFailure } from "./debate.js";
import type { ModeName } from "./modes/table.js";
import type { ExitThresholds, PanelLimits, SeatInfo } from "./panel.js";
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
export interface LoadedPanel {
  readonly mode: ModeName;
  readonly seats: readonly LoadedSeat[];
  readonly totalRounds: number;
  readonly exitOnConsensus: boolean;
  readonly thresholds: ExitThresholds;
  readonly analysis: boolean;
  readonly models: { readonly analyst: readonly string[]; readonly synthesis: readonly string[] };
  readonly limits: PanelLimits;
}

/** What happens in a debate, as its observers hear it: each once, in the write of the step that it is of. */
export type DebateEntry =
  | { readonly type: "position.taken"; readonly position: Position; readonly debateId?: string }
  | { readonly type: "seat.failed"; readonly round: number; readonly failure: SeatFailure; readonly debateId?: string };

export interface DebateObserver extends CallObserver {
  readonly recorded: (entry: DebateEntry) => void;
  /**
   * What a seat's call may have changed: `unknown` once it is begun, then what came of it, or nothing if it changed nothing after all. For
   * whoever goes on where the round itself comes to no end. On replays too.
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
