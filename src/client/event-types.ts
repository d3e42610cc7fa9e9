/** The events that the client knows the data of; a test holds them against the API's catalogue. */
import type { RoundtableEventData } from "./roundtable-types.js";
import type { Ask, Run, Turn, WaitsFor } from "./types.js";

interface OfTurn {
  readonly turnId: string;
}

/** A further piece of a text: its place in the text of this attempt. */
export interface Delta {
  readonly text: string;
  readonly attempt: number;
  readonly offset: number;
}

/** The events that the client knows the data of; a new type of event may come at any time. */
export interface EventData extends RoundtableEventData {
  /** Its message was taken, and waits: told again when that for which it waits changes. */
  "turn.queued": OfTurn & { readonly waitsFor: WaitsFor; readonly userMessage: string };
  "turn.started": OfTurn;
  "turn.waiting": OfTurn & {
    readonly reply?: string | undefined;
    readonly waitsFor?: WaitsFor | undefined;
    readonly userMessage?: string | undefined;
  };
  "turn.completed": Turn;
  "reply.delta": OfTurn & Delta;
  "reply.retracted": OfTurn & { readonly attempt: number };
  "tool.called": { readonly toolCallId: string; readonly server: string; readonly tool: string };
  /** How far a tool says it is, in units of its own. Live: it isn't in the log. */
  "tool.progress": {
    readonly toolCallId: string;
    readonly server: string;
    readonly tool: string;
    readonly progress: number;
    readonly total?: number | undefined;
  };
  "tool.returned": {
    readonly toolCallId: string;
    readonly server: string;
    readonly tool: string;
    readonly isError: boolean;
    readonly elapsedMs: number;
  };
  "ask.opened": Ask;
  "ask.closed": Ask;
  "run.started": { readonly runId: string };
  "run.waiting": { readonly runId: string };
  "run.delta": { readonly runId: string } & Delta;
  "run.retracted": { readonly runId: string; readonly attempt: number };
  "run.completed": Run;
}

export type KnownEvent = {
  readonly [Type in keyof EventData]: {
    readonly event: Type;
    /** Its number in the log; live events have none. */
    readonly id?: number;
    readonly data: EventData[Type];
  };
}[keyof EventData];

/** An event of another type: what it says stands in the API's document. */
export interface OtherEvent {
  readonly event: "other";
  readonly type: string;
  readonly id?: number;
  readonly data: unknown;
}

export type ConclaveEvent = KnownEvent | OtherEvent;
