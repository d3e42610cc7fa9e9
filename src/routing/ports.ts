/** A team with everything that it names, and the ports that it works with. */
import type { AgentPorts, CallObserver } from "../agent/ports.js";
import type { PromptParts } from "../agent/prompt.js";
import type { AgentTool, ToolRef } from "../agent/tools.js";
import type { Ask, AskRequest } from "../asks/ask.js";
import type { CancelSignal } from "../model/port.js";
import type { DebateKeeper } from "../roundtable/nested.js";
import type { DebateEntry, LoadedPanel } from "../roundtable/ports.js";
import type { NoteDegraded } from "../supervision/exchange.js";
import type { SupervisePorts } from "../supervision/supervise.js";
import type { Supervisor } from "../supervision/supervisor.js";
import type { ToolApprovals, ToolGuardPorts } from "../supervision/tool-guard.js";
import type { ExampleClassifier } from "../text/example-classifier.js";
import type { HttpWorker, Team, Worker } from "./team.js";
import type { TeamState } from "./team-state.js";
import type { TraceEntry } from "./trace.js";

/** A team, with everything that it names looked up. */
export interface LoadedTeam {
  /** Under which its state over all runs is kept. */
  readonly key: string;
  readonly definition: Team;
  /** Tells its workers apart by their examples; prepared once for the stored version. */
  readonly examples: () => ExampleClassifier;
  /** How like in meaning a text is to each worker's examples, where the tenant has an embedding provider. */
  readonly meaning?: (text: string) => Promise<ReadonlyMap<string, number> | undefined>;
  /** The tools that one of its agents names (`ask_human`, `server/tool`); those that don't exist are left out. */
  readonly tools: (agent: ToolNames) => readonly AgentTool[];
  /** Whether a tool may be used now; checked anew each time. */
  readonly allows: (tool: ToolRef) => boolean;
  /** The supervisors that the team itself names. */
  readonly supervisors: readonly Supervisor[];
  /** The rules and references that a worker names. */
  readonly items?: (worker: Pick<Worker, "rules" | "references">) => Pick<PromptParts, "rules" | "references">;
  /** The supervisors of the stored agent that a worker is. */
  readonly supervisorsOf?: (workerId: string) => readonly Supervisor[];
  /** The team that a worker is. */
  readonly nested: (workerId: string) => LoadedTeam | undefined;
  /** The panel that a worker is, or why it can't debate. */
  readonly panel: (workerId: string) => LoadedWorkerPanel;
}

export type LoadedWorkerPanel =
  | { readonly ok: true; readonly panel: LoadedPanel; readonly supervisors: readonly Supervisor[] }
  | { readonly ok: false; readonly detail: string };

/** What an agent of a team holds, by name. */
export interface ToolNames {
  readonly tools: readonly string[];
  /** Which memories it may search, beside those of the team and of the work. */
  readonly memories?: readonly string[];
}

export interface HttpWorkerCall {
  readonly http: HttpWorker;
  /** The worker's id. */
  readonly worker: string;
  /** The same over redos of this call, and of no other. */
  readonly key: string;
  /** Sent as JSON. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface HttpWorkerAnswer {
  readonly status: number;
  readonly text: string;
}

export interface TeamObserver extends CallObserver {
  /** Called for what happens in a debate of one of its panels. */
  readonly debated: (entry: DebateEntry) => void;
  /** Called once for each entry, in the same write as the step that it is of. */
  readonly traced: (entry: TraceEntry) => void;
  /** Whether entries are stored and displayed with their texts: then these are supervised first. */
  readonly keepsTexts: boolean;
}

export interface TeamPorts extends Omit<AgentPorts, "guard" | "observer"> {
  readonly supervise: SupervisePorts;
  readonly approvals: ToolApprovals;
  readonly approval?: ToolGuardPorts["approval"];
  /** Everybody who supervises what this team does. */
  readonly supervisors: readonly Supervisor[];
  /** Supervisors whose failure let something through. */
  readonly noteDegraded: NoteDegraded;
  /** All asks of the work that this team is part of, of all its agents. */
  readonly asks: () => readonly Ask[];
  /** Opens an ask of that work under an id, or finds the one that was opened under it; waits for nothing. */
  readonly raise: (id: string, request: AskRequest) => Ask;
  /** Keeps what its panels debate. */
  readonly debates: DebateKeeper;
  readonly state: TeamState;
  /** The run or turn that this team works in. */
  readonly work: string;
  /** @throws with a message that may be shown. */
  readonly callWorker: (call: HttpWorkerCall, signal: CancelSignal) => Promise<HttpWorkerAnswer>;
  readonly observer: TeamObserver;
}
