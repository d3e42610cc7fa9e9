/** Every face under a key, killed with -9 where the tool server has noted the charge and the Worker hasn't heard of it: one charge each. */
import { openSync } from "node:fs";
import { expect, it } from "vitest";
import { killAtTheCharge } from "../../tools/kills/at-the-charge.js";
import { Client } from "../../tools/kills/client.js";
import { faces } from "../../tools/kills/faces.js";
import { Load, newRecord } from "../../tools/kills/load.js";
import { startUpstream } from "../../tools/kills/upstream.js";
import { randomFrom } from "../support/random.js";
import { WorkerProcess } from "./worker.js";

it("charges once for each face, whoever died in between", async () => {
  const random = randomFrom(7);
  const upstream = await startUpstream(random);
  const worker = new WorkerProcess(upstream.url, {}, openSync("/dev/null", "a"));
  try {
    await worker.start();
    const client = new Client(worker, await worker.tenantKey());
    const load = new Load(client, newRecord(), random);
    await load.prepare(upstream.url);
    const { places, next } = load.ofFaces;
    expect(await killAtTheCharge(client, places, { upstream, worker, first: next(faces.length) })).toEqual([]);
    // All of them came as far as that, and none further.
    expect(upstream.calls.filter(({ tool }) => tool === "charge")).toHaveLength(faces.length);
  } finally {
    await worker.end();
    upstream.stop();
  }
});
