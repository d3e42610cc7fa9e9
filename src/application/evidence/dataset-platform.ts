/** What the object of a dataset needs of the platform. */
import type { IsolateLoad } from "../../platform/isolate-load.js";
import type { Delivery } from "../../stores/deliveries.js";
import type { LimitedWork } from "../limits/work-limits.js";
import type { RootPlatform } from "../root-platform.js";
import type { Services } from "../services.js";

export interface DatasetPlatform extends Pick<LimitedWork, "limitsOfWork"> {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly services: Services;
  /** What agents that are tried are made of. */
  readonly work: RootPlatform["at"];
  /** What all objects of the isolate have at work. */
  readonly load: IsolateLoad;
  /** Brings an outbox's messages to D1; all or throws. */
  readonly deliver: (delivery: Delivery) => Promise<void>;
}
