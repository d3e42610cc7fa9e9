/**
 * The sharpest moment: the tool server has noted the charge, and the Worker dies before it hears of it. Every face sends its request, all are
 * killed there, and all send it again under their keys, after the next start.
 */
import type { Client } from "./client.js";
import { pause } from "./client.js";
import { faces, type Places } from "./faces.js";
import type { Upstream } from "./upstream.js";

/** How long all faces may take to come to their charge, in milliseconds. */
const chargeMs = 120_000;
/** How long may pass after the last answer until a charge that comes twice has come, in milliseconds. */
const afterwardsMs = 3_000;

export interface Killed {
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** @returns what went wrong, a line each @param first the number of the first request; they have to be new */
export async function killAtTheCharge(
  client: Client,
  places: Places,
  { upstream, worker, first }: { readonly upstream: Upstream; readonly worker: Killed; readonly first: number },
): Promise<string[]> {
  const charges = (n: number) => upstream.calls.filter((call) => call.n === n && call.tool === "charge");
  const numbered = faces.map((face, at) => ({ face, n: first + at }));
  // Debates begin before: what is killed is a round of theirs.
  await Promise.all(
    numbered.map(({ face, n }) => (face.name.startsWith("roundtable") ? places.tableId(n) : undefined)),
  );
  upstream.holdCharges(true);
  const answers = numbered.map(async ({ face, n }) => {
    try {
      const text = await face.send(client, places, n, "charge");
      return text === undefined || text.includes(`Reply ${n}`) ? [] : [`${face.name} (${n}): ${text.slice(0, 300)}`];
    } catch (error) {
      return [`${face.name} (${n}): ${String(error)}`];
    }
  });
  const end = Date.now() + chargeMs;
  while (numbered.some(({ n }) => charges(n).length === 0) && Date.now() < end) await pause(50);
  await worker.kill();
  upstream.holdCharges(false);
  await worker.start();
  const faults = (await Promise.all(answers)).flat();
  const channel = numbered.find(({ face }) => face.name === "chat channel");
  while (channel !== undefined && !upstream.posts.some(({ body }) => body.includes(`Reply ${channel.n}`))) {
    if (Date.now() > end + chargeMs) {
      faults.push(`${channel.face.name} (${channel.n}): no reply was posted`);
      break;
    }
    await pause(200);
  }
  await pause(afterwardsMs);
  for (const { face, n } of numbered) {
    const count = charges(n).length;
    if (count !== 1)
      faults.push(
        `${face.name} (${n}) charged ${count} times: ${charges(n)
          .map(({ key }) => key)
          .join(", ")}`,
      );
  }
  return faults;
}
