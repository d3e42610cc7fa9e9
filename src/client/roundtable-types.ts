/** Roundtables as the API sends and takes them: a panel's debate, round by round. */
import type { Ask, Metadata } from "./types.js";

export interface NewRoundtable {
  readonly topic: string;
  /** A stored panel's name; or `mode` and what follows it say what the panel is. */
  readonly panel?: string;
  readonly mode?: DebateMode;
  readonly agentCount?: number;
  /** Seats of one's own need a key of role `operator`. */
  readonly seats?: readonly { readonly id: string; readonly name?: string; readonly persona?: string }[];
  readonly rounds?: number;
  readonly exitOnConsensus?: boolean;
  readonly thresholds?: {
    readonly agreement?: number;
    readonly analyst?: number;
    readonly confidence?: number;
    readonly stableRounds?: number;
  };
  readonly waiting?: "all" | "asker";
  readonly supervisors?: readonly string[];
  /** The end user that it belongs to. */
  readonly subject?: string;
  /** What you call it yourself; unique in your tenant. */
  readonly externalId?: string;
  readonly metadata?: Metadata;
}

export type DebateMode =
  | "collaborative"
  | "adversarial"
  | "socratic"
  | "expert-panel"
  | "devils-advocate"
  | "delphi"
  | "red-team-blue-team";

/** What a seat holds in a round. */
export interface Position {
  readonly agentId: string;
  readonly name: string;
  readonly role?: string | undefined;
  readonly round: number;
  readonly stance?: string | undefined;
  readonly position: string;
  readonly reasoning: string;
  readonly confidence: number;
  readonly citedContext: readonly string[];
}

/** What a seat wants to know. It is an ask too, with the same id. */
export interface ContextRequest {
  readonly requestId: string;
  readonly agentIds: readonly string[];
  readonly query: string;
  readonly reason: string;
  readonly priority: string;
  readonly round: number;
  readonly status: string;
  readonly result?: string | undefined;
  readonly error?: string | undefined;
  readonly source?: string | undefined;
}

/** What you found of it: the result, or why there is none. */
export interface ContextResult {
  readonly requestId: string;
  readonly result?: string;
  readonly error?: string;
  readonly source?: string;
}

export interface Roundtable {
  /** The roundtable's id. */
  readonly sessionId: string;
  readonly status: "completed" | "needs_context" | "in_progress";
  readonly running: boolean;
  readonly paused?: true | undefined;
  /** Whether a required request is open. */
  readonly blocking?: boolean | undefined;
  /** What has happened, and what to do next. */
  readonly message: string;
  readonly topic?: string | undefined;
  readonly mode: DebateMode;
  readonly panel: string;
  readonly agents: readonly { readonly agentId: string; readonly name: string; readonly role?: string | undefined }[];
  /** The last complete round; 0 before the first. */
  readonly currentRound: number;
  readonly totalRounds: number;
  /** Of the last complete round. */
  readonly responses: readonly Position[];
  /** The open ones. */
  readonly contextRequests?: readonly ContextRequest[] | undefined;
  readonly failures?: readonly { readonly agentId: string; readonly error: string }[] | undefined;
  readonly exit?: { readonly reason: string; readonly round: number } | undefined;
  readonly synthesis?:
    | {
        readonly conclusion: string;
        readonly recommendation: string;
        readonly commonGround: readonly string[];
        readonly keyDifferences: readonly string[];
        readonly confidence: number;
      }
    | undefined;
  readonly error?: { readonly code: string; readonly detail: string } | undefined;
  readonly asks: readonly Ask[];
  readonly subject?: string | undefined;
  readonly externalId?: string | undefined;
  readonly metadata: Metadata;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface ContinueRoundtable {
  readonly focusQuestion?: string;
  readonly contextResults?: readonly ContextResult[];
  /** Goes on without what is required and still open. */
  readonly skipPending?: boolean;
  /** Asks those of the current round again who asked for something and have it by now. */
  readonly rerun?: "requesters";
}

interface OfRoundtable {
  readonly roundtableId: string;
}
interface OfRound extends OfRoundtable {
  readonly round: number;
  readonly kind: "round" | "rerun" | "closing";
}

/** The events of a roundtable. */
export interface RoundtableEventData {
  "roundtable.started": OfRoundtable;
  "round.started": OfRound;
  /** A panel's seat in a session or a run shows who, when and how sure, without the texts. */
  "position.taken": {
    readonly roundtableId?: string | undefined;
    readonly agentId: string;
    readonly round: number;
    readonly stance?: string | undefined;
    readonly confidence: number;
    readonly position?: string | undefined;
    readonly reasoning?: string | undefined;
  };
  "seat.failed": {
    readonly round: number;
    readonly agentId: string;
    readonly reason: string;
    readonly attempts: number;
  };
  "round.completed": Roundtable;
  "round.failed": OfRound & { readonly code: string };
  "synthesis.completed": Roundtable;
  "roundtable.completed": Roundtable;
}
