/** The bare state of an object: a session that was created and is idle, whose kit tables a test may use as its own. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Kit } from "../../../durable-objects/kit/kit.js";
import type { KitPorts } from "../../../durable-objects/kit/kit-ports.js";
import { applySchema, kitSchema } from "../../../durable-objects/kit/schema.js";
import type { SlicedWork } from "../../../durable-objects/kit/work-loop.js";

/** Runs a test inside an object that nobody else uses, with the kit's tables and nothing else. */
export function inObject<R>(test: (state: DurableObjectState) => R | Promise<R>): Promise<R> {
  const stub = env.CHAT_SESSION.getByName(`test/${crypto.randomUUID()}`);
  return runInDurableObject(stub, async (_instance, state) => {
    try {
      return await test(state);
    } finally {
      await state.storage.deleteAlarm();
    }
  });
}

export function withKitTables<R>(test: (state: DurableObjectState) => R | Promise<R>): Promise<R> {
  return inObject((state) => {
    applySchema(state.storage, kitSchema);
    return test(state);
  });
}

/** A clock that a test moves by hand. */
export class Clock {
  at = Date.UTC(2030, 0, 1);
  readonly now = (): number => this.at;
}

type Ports = Partial<KitPorts> & { readonly slice?: SlicedWork["slice"] };

/** A kit with ports that do nothing unless the test says otherwise; `slice` is what it does whenever it looks. */
export function kitIn(state: DurableObjectState, clock: Clock, { slice, ...ports }: Ports = {}): Kit {
  return new Kit(state, {
    now: clock.now,
    owner: () => ({ tenantId: "ten_test", id: "ses_01k00000000000000000000000" }),
    deliver: async () => {},
    next: () => slice && { slice },
    present: (_type, data) => data,
    askClosed: () => {},
    ...ports,
  });
}

/** A promise that is settled from outside: a step that is under way. */
export function deferred<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  const { promise, resolve } = Promise.withResolvers<T>();
  return { promise, resolve };
}

/** Lets everything run that waits for nothing but its turn. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}
