/** What an object gives the kit, and what it says of work that ends. */
import type { EndedStatus } from "../../src/agent/work.js";
import type { Ask } from "../../src/asks/ask.js";
import type { AskWork } from "../../src/asks/origin.js";
import type { ActorRecord } from "../../src/conversation/actor-record.js";
import type { IsolateLoad } from "../../src/platform/isolate-load.js";
import type { EventSpans } from "./events.js";
import type { OutboxMessage } from "./outbox-rows.js";
import type { ShadowPorts } from "./shadows.js";
import type { WorkItem } from "./work-loop.js";

export interface ObjectOwner {
  readonly tenantId: string;
  readonly id: string;
}

export interface KitPorts {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Whose the object is, and its id: `ses_…`, `run_…`. Only asked for once it exists. */
  readonly owner: () => ObjectOwner;
  /** Brings outbox messages where they belong; all or throws. */
  readonly deliver: (messages: readonly OutboxMessage[], owner: ObjectOwner) => Promise<void>;
  /** What can be done now, the oldest first, and how it is done. */
  readonly next: () => WorkItem | undefined;
  /** What is shown of a stored event of the object's own: the log stores ids and no texts. */
  readonly present: (type: string, data: unknown) => unknown;
  /** What an ask of this work says of where it comes from. */
  readonly describeWork?: (work: string) => AskWork;
  /** Whether this work may do nothing new for now, whatever it waits for: its steps wait. `next` leaves it out once it was parked. */
  readonly isPaused?: (work: string) => boolean;
  /** An ask of this work was closed, in this very write: let it go on. */
  readonly askClosed: (work: string) => void;
  /** An ask was opened or closed, in this very write. */
  readonly askChanged?: (ask: Ask) => void;
  /** What becomes of an exception that a slice threw; without this it is logged as `driver.crashed`. */
  readonly crashed?: (error: unknown) => void;
  /** A deadline of the object's own has passed. */
  readonly deadlinePassed?: (name: string) => void;
  /**
   * Whether work is left that goes on without anybody doing anything. An object that has this is asked when an instance wakes up
   * (`resume`): that somebody drives or delivers needn't be stored, the alarm alone stands for it.
   */
  readonly active?: () => boolean;
  /** A write was rolled back, or everything was erased: what was read is to be read anew. */
  readonly onRollback?: () => void;
  /** Where the events of each of its works lie, for an object that has many. */
  readonly eventSpans?: EventSpans;
  /**
   * When the first try of some work began, while it is under way or died under way: of work whose own row says so since the write that made
   * it, so that the try needs no row. Milliseconds since the epoch.
   */
  readonly firstTry?: (work: string) => number | undefined;
  /** For supervisors that judge beside its work; without this there are none. */
  readonly shadows?: ShadowPorts;
  /** What all objects of the isolate have at work; without it the object counts as alone there. */
  readonly load?: IsolateLoad;
}

/** How work ended, as it is logged. */
export interface WorkEnd {
  /** What the object calls it: the log line is `<kind>.ended`. */
  readonly kind: string;
  readonly outcome: EndedStatus;
  /** When it was accepted; milliseconds since the epoch. */
  readonly since: number;
  /** Who ended it before its time, if somebody did. */
  readonly by?: ActorRecord | undefined;
  /** For the tenant's usage: who did the work, for whom, and by which key it was begun. */
  readonly agent: string;
  readonly subject?: string | undefined;
  readonly keyId?: string | undefined;
  /** Supervisors whose failure let something through in it. */
  readonly degraded?: readonly string[] | undefined;
}
