/**
 * What a routing strategy is: one file in this folder, registered in `table.ts`. A strategy knows its input and these ports, and
 * nothing else of the team, so that it can be tested with plain data.
 */

import type { Effect } from "../../agent/effects.js";
import type { ModelMessage } from "../../model/port.js";
import type { ExampleClassifier } from "../../text/example-classifier.js";
import type { Clarification } from "../clarifications.js";
import type { Finding, RoutingInput, StrategyOutcome } from "../routing-input.js";
import type { ClaimId, TeamState } from "../team-state.js";
import type { RoutingRule } from "./routing-rule.js";

/** What a team's supervisor says that strategies read. */
export interface StrategySettings {
  readonly rules: readonly RoutingRule[];
  readonly fallbackWorker?: string | undefined;
}

/** @throws {MeaningUnavailableError} where the provider fails */
export type Meaning = (text: string) => Promise<ReadonlyMap<string, number> | undefined>;

export interface StrategyPorts {
  readonly settings: StrategySettings;
  /** The ids of all workers of the team, so that one that can't work now differs from one that doesn't exist. */
  readonly known: readonly string[];
  /** Under which the team's state over all runs is kept. */
  readonly teamKey: string;
  readonly state: TeamState;
  /** Names this decision among all of the team; the same over replays. */
  readonly decisionId: string;
  /** The claim of the decision's first worker. */
  readonly claim: ClaimId;
  /** Tells the workers apart by their examples; prepared when it is first asked for. */
  readonly examples: () => ExampleClassifier;
  /** How like in meaning a text is to each worker's examples, where the tenant has an embedding provider. */
  readonly meaning?: Meaning | undefined;
  /** The team's supervisor, as a model with tools. */
  readonly askSupervisor: () => Promise<SupervisorDecision>;
}

export interface SupervisorDecision {
  readonly outcome: StrategyOutcome;
  readonly clarifications: readonly Clarification[];
  /** What was wrong with answers that couldn't be used. */
  readonly problems: readonly string[];
  /** Of the supervisor as a model: its tool calls so far with their results, what it found by them, and what it did. */
  readonly exchange?: readonly ModelMessage[];
  readonly findings?: readonly Finding[];
  readonly effects?: readonly Effect[];
}

interface StrategyBase<Name extends string> {
  /** As a team names it. */
  readonly name: Name;
  /** The strategy goes by how busy workers are, so it has to be counted. */
  readonly tracksLoad?: boolean;
  /** Why a team with these settings can't be routed by this strategy. */
  readonly settingsProblem?: (
    settings: StrategySettings,
  ) => { readonly setting: keyof StrategySettings; readonly message: string } | undefined;
}

/** `step`: the whole decision is one step of the journal, which may be redone. `durable`: it journals its own steps, and may park. */
export type Strategy<Name extends string = string> = StrategyBase<Name> &
  (
    | {
        readonly execution: "step";
        readonly decide: (input: RoutingInput, ports: StrategyPorts) => Promise<StrategyOutcome>;
      }
    | {
        readonly execution: "durable";
        readonly decide: (input: RoutingInput, ports: StrategyPorts) => Promise<SupervisorDecision>;
      }
  );
