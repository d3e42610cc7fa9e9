/** What a turn is given: its message, what holds for it, and the ports through which it acts. */
import type { AgentLimits } from "../agent/budget.js";
import type { Journal } from "../agent/journal.js";
import type { AgentPorts, CallObserver } from "../agent/ports.js";
import type { HistoryMessage, PromptParts } from "../agent/prompt.js";
import type { RequestedTool } from "../agent/tool-call.js";
import type { AgentTool } from "../agent/tools.js";
import type { QuestionPolicy } from "../asks/policy.js";
import type { PlainMessage } from "../conversation/message.js";
import type { Metadata } from "../conversation/names.js";
import type { LoadedPanel } from "../roundtable/ports.js";
import type { LoadedTeam, TeamPorts } from "../routing/ports.js";
import type { TraceEntry } from "../routing/trace.js";
import type { SupervisePorts } from "../supervision/supervise.js";
import type { Supervisor } from "../supervision/supervisor.js";
import type { ToolGuardPorts } from "../supervision/tool-guard.js";
import type { SentMessage } from "./caller-texts.js";
import type { WaitingReply } from "./partial-reply.js";
import type { ReplyStream } from "./reply-stream.js";
import type { TurnRequest } from "./turn-request.js";

export interface TurnCommand extends SentMessage {
  readonly turnId: string;
  readonly messageId: string;
  readonly replyId: string;
  readonly content: string;
  /** What the caller sent along with it. */
  readonly request?: TurnRequest | undefined;
  /** When it was accepted; milliseconds since the epoch. */
  readonly acceptedAt: number;
}

/** What holds for a turn. The functions give what is in force now: a supervisor may change it while the turn runs. */
export interface TurnSetup {
  readonly models: readonly string[];
  readonly instructions: string;
  readonly temperature?: number | undefined;
  readonly limits: AgentLimits;
  readonly supervisors: readonly Supervisor[];
  /** What is in force for a message, mentions and likeness included. */
  readonly context: (message: string) => Pick<PromptParts, "rules" | "references">;
  /** Loads what a message mentions and what is remembered; to be called before `context` and `memory`. */
  readonly prepare?: (message: string) => Promise<void>;
  readonly tools: () => readonly AgentTool[];
  /** Finds a tool that is out of force by now. */
  readonly removedTool?: (requested: RequestedTool) => AgentTool | undefined;
  readonly history: readonly HistoryMessage[];
  /** What is remembered that has to do with the message; loaded by `prepare`. */
  readonly memory: () => PromptParts["memory"];
  /** What the agent's model is to know of the end user. */
  readonly facts?: PromptParts["facts"];
  /** The end user, and the session's notes: a team routes by them, and shows what it lists. */
  readonly subject?: string | undefined;
  readonly metadata?: Metadata;
  /** The team's worker that answered the turn before. */
  readonly activeWorker?: string | undefined;
  /** What the agent says of its questions to people. */
  readonly questions?: QuestionPolicy | undefined;
  /** The team that answers in place of the model. */
  readonly team?: LoadedTeam | undefined;
  /** The panel that debates the message in place of the model. */
  readonly panel?: LoadedPanel | undefined;
}

/** What a turn needs to let a team answer, beyond what it needs anyway. */
export interface TeamTurnPorts extends Pick<TeamPorts, "asks" | "raise" | "state" | "callWorker" | "debates"> {
  readonly traced: (entry: TraceEntry) => void;
}

export interface TurnPorts extends Omit<AgentPorts, "guard" | "observer" | "journal">, ToolGuardPorts {
  readonly journal: Journal;
  readonly supervise: SupervisePorts;
  readonly observer: CallObserver & Pick<TeamPorts["observer"], "debated">;
  readonly stream: ReplyStream;
  readonly team: TeamTurnPorts;
  /** The turn has to wait, and this much of its reply is there. Called once for each wait, in the write that decides it. */
  readonly waiting: (waiting: WaitingReply) => void;
  /** The effective message is known: called once, in the same write as its verdict. */
  readonly messageDecided: (message: PlainMessage, blocked: boolean) => void;
}
