/** What a kind of supervisor is: one file in this folder, registered in `table.ts`. */
import type { z } from "zod";
import type { Journal } from "../../agent/journal.js";
import type { AgentPorts } from "../../agent/ports.js";
import type { AgentTool } from "../../agent/tools.js";
import type { ToolName } from "../../conversation/names.js";
import type { CancelSignal, ModelPort } from "../../model/port.js";
import type { Permissions, Supervisor } from "../supervisor.js";

/** Sends one request to a safe address, within limits of time and size. Rejects when it can't be reached. */
export type SendPort = (request: {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  readonly signal: CancelSignal;
}) => Promise<{ readonly status: number; readonly text: string }>;

/** The tools and references that a supervising agent names for itself. */
export interface OwnNames {
  readonly ownTools?: readonly ToolName[] | undefined;
  readonly references?: readonly string[] | undefined;
}

export interface OwnParts {
  readonly tools: readonly AgentTool[];
  readonly references: readonly { readonly name: string; readonly text: string }[];
}

/** Loads them as they are stored now. Journalled under `journal`: entered again, the same versions hold. */
export type LoadOwnParts = (names: OwnNames, journal: Journal) => Promise<OwnParts>;

/** What the kinds need that reach out; each takes what it needs of it. */
export interface KindPorts extends Pick<AgentPorts, "now" | "validateArguments" | "withDeadline"> {
  readonly model: () => Promise<ModelPort>;
  readonly send: SendPort;
  /** As `send`, with what the receiver may know of the end user in signed headers. */
  readonly sendSigned: (
    request: Parameters<SendPort>[0],
    receiver: { readonly secret: string; readonly context?: readonly string[] | undefined },
  ) => ReturnType<SendPort>;
  /** The tools and references that a supervising agent names for itself. */
  readonly own: LoadOwnParts;
  /** HMAC-SHA256 in hex. */
  readonly sign: (secret: string, text: string) => Promise<string>;
  /** Where an OpenAI-compatible provider is, with its key; `undefined` when there is no such provider. */
  readonly provider: (name: string) => Promise<{ readonly baseUrl: string; readonly apiKey: string } | undefined>;
}

/** What is the same for every kind: the settings of a supervisor with their defaults, and the kind's own `config`. */
export interface KindSettings<Config>
  extends Pick<Supervisor, "name" | "hooks" | "order" | "mode" | "onFailure" | "timeoutMs" | "health"> {
  readonly permission: Permissions;
  readonly config: Config;
}

export interface SupervisorKind<
  Schema extends z.ZodType<{ readonly config: unknown }>,
  Config = z.infer<Schema>["config"],
> {
  /** What a tenant stores: the settings of all supervisors, the `kind`, which is its name in the table, and its `config`. */
  readonly schema: Schema;
  /** What a failure counts as, where the settings say nothing. */
  readonly onFailure: Supervisor["onFailure"];
  /** How long one judgement may take, where the settings say nothing; in milliseconds. */
  readonly timeoutMs: number;
  build(settings: KindSettings<Config>, ports: KindPorts): Supervisor;
  /** The models that it calls. */
  models?(config: Config): string | readonly string[];
  /** Whether it can be in doubt about a text, so that others may be asked for a second look. */
  hasDoubts?(config: Config): boolean;
}

/** Gives `build` the type of what the schema accepts. */
export function supervisorKind<Schema extends z.ZodType<{ readonly config: unknown }>>(
  kind: SupervisorKind<Schema>,
): SupervisorKind<Schema> {
  return kind;
}
