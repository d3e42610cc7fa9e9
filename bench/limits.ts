/**
 * What becomes of a limit of money under many turns at once, counted three ways: after the call, reserved each, and reserved from leases of
 * shards. `tsx bench/limits.ts` prints it beside the figures of the design. Times are simulated milliseconds; money is millionths.
 */
import {
  countCall,
  hotCallsPerSecond,
  leaseFor,
  leaseMs,
  leftOf,
  quietMs,
  shardCount,
  shardOf,
  spreadMs,
} from "../src/tenancy/limits/leases.js";
import { type Counter, emptyCounter, hasRoom, taken } from "../src/tenancy/limits/room.js";

interface Way {
  /** @returns whether a turn may begin */
  begin(session: number, worst: number, now: number): boolean;
  end(session: number, worst: number, cost: number): void;
  readonly calls: () => number;
}

/** Turns cost 0.4 to 1.6 cents and take 2 to 6 seconds; the most that one can cost is known before. */
const [cheapest, dearest] = [4_000, 16_000];
const worst = dearest;

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function afterTheCall(max: number): Way {
  let [used, calls] = [0, 0];
  return {
    begin: () => {
      calls++;
      return used < max;
    },
    end: (_session, _worst, cost) => {
      used += cost;
    },
    calls: () => calls,
  };
}

function reservedEach(max: number): Way {
  let counter: Counter = emptyCounter;
  let calls = 0;
  return {
    begin: (_session, amount) => {
      calls++;
      if (!hasRoom({ amount, max }, counter)) return false;
      counter = taken(counter, amount, true);
      return true;
    },
    end: (_session, amount, cost) => {
      counter = { ...counter, reserved: counter.reserved - amount, used: counter.used + cost };
    },
    calls: () => calls,
  };
}

/** As the objects do it: the root by `countCall` and `leaseFor`, each shard by `leftOf` and the quiet after a refusal. */
function leased(max: number): Way {
  let root: Counter = emptyCounter;
  let calls = 0;
  let rate = { second: 0, calls: 0 };
  let hotUntil = 0;
  const all = Array.from({ length: shardCount }, () => ({
    ...{ leased: 0, until: 0, used: 0, reserved: 0, told: { used: 0, kept: 0 }, quietUntil: 0 },
  }));
  type Shard = (typeof all)[number];
  /** Where each turn was reserved. */
  const places = new Map<number, (Shard | undefined)[]>();
  const report = (shard: Shard, left: number): void => {
    calls++;
    const kept = shard.reserved + left;
    root = {
      ...root,
      used: root.used + shard.used - shard.told.used,
      reserved: root.reserved + kept - shard.told.kept,
    };
    shard.told = { used: shard.used, kept };
    shard.leased = shard.used + kept;
  };
  const take = (shard: Shard, amount: number, now: number): boolean => {
    if (leftOf(shard, shard, now) < amount) {
      if (shard.quietUntil > now) return false;
      report(shard, 0);
      const lease = leaseFor({ amount, max, isEnforced: true }, root);
      if (lease === undefined) {
        shard.quietUntil = now + quietMs;
        return false;
      }
      root = taken(root, lease, true);
      shard.told = { ...shard.told, kept: shard.told.kept + lease };
      shard.leased += lease;
      shard.until = now + leaseMs;
    }
    shard.reserved += amount;
    return true;
  };
  return {
    begin: (session, amount, now) => {
      for (const shard of all) if (shard.until <= now && shard.leased > shard.used + shard.reserved) report(shard, 0);
      const shard = hotUntil > now ? all[shardOf(`ses_${session}`)] : undefined;
      let isTaken: boolean;
      if (shard !== undefined) isTaken = take(shard, amount, now);
      else {
        calls++;
        rate = countCall(rate, now);
        isTaken = hasRoom({ amount, max }, root);
        if (isTaken) root = taken(root, amount, true);
      }
      // A shard says the same of its part: as long as it is busy, callers stay.
      if (rate.calls > hotCallsPerSecond || shard !== undefined) hotUntil = now + spreadMs;
      if (isTaken) places.set(session, [...(places.get(session) ?? []), shard]);
      return isTaken;
    },
    end: (session, amount, cost) => {
      const shard = places.get(session)?.shift();
      if (shard === undefined) root = { ...root, reserved: root.reserved - amount, used: root.used + cost };
      else {
        shard.reserved -= amount;
        shard.used += cost;
      }
    },
    calls: () => calls,
  };
}

function simulate(way: Way, perSecond: number, max: number) {
  const next = random(7);
  const under: { at: number; session: number; cost: number }[] = [];
  let [billed, refusedAt, now] = [0, 0, 0];
  let spentAtRefusal = 0;
  const seconds = Math.ceil(((max / (cheapest + dearest)) * 2) / perSecond) * 2 + 20;
  for (let turn = 0; turn < perSecond * seconds; turn++) {
    now = (turn * 1_000) / perSecond;
    under.sort((a, b) => a.at - b.at);
    while (under[0] !== undefined && under[0].at <= now) {
      const done = under.shift();
      if (done === undefined) break;
      way.end(done.session, worst, done.cost);
      billed += done.cost;
    }
    const session = Math.floor(next() * 4_096);
    const cost = Math.round(cheapest + next() * (dearest - cheapest));
    if (way.begin(session, worst, now)) under.push({ at: now + 2_000 + next() * 4_000, session, cost });
    else if (refusedAt === 0) {
      refusedAt = now;
      spentAtRefusal = billed + under.reduce((sum, one) => sum + one.cost, 0);
    }
  }
  billed += under.reduce((sum, one) => sum + one.cost, 0);
  return {
    overshoot: `${(((billed - max) / max) * 100).toFixed(1)} %`,
    firstRefusalAt: `${((spentAtRefusal / max) * 100).toFixed(1)} %`,
    callsPerSecond: (way.calls() / (now / 1_000)).toFixed(0),
  };
}

const design: Readonly<Record<string, readonly [string, string, string]>> = {
  "after the call": ["+4.3 %", "+40.6 %", "1,000/s"],
  "reserved each": ["−0.2 %", "−4.0 %", "1,000/s"],
  "16 leased shards": ["−0.2 %", "−4.3 %", "18/s"],
};
const ways = { "after the call": afterTheCall, "reserved each": reservedEach, "16 leased shards": leased };
console.log(
  "| way | 10/s, $10 | in the design | 1,000/s, $100 | in the design | first refused at | calls to the root at 1,000/s | in the design |",
);
console.log("|---|---|---|---|---|---|---|---|");
for (const [name, way] of Object.entries(ways)) {
  const slow = simulate(way(10_000_000), 10, 10_000_000);
  const fast = simulate(way(100_000_000), 1_000, 100_000_000);
  const [ten, thousand, calls] = design[name] ?? ["", "", ""];
  console.log(
    `| ${name} | ${slow.overshoot} | ${ten} | ${fast.overshoot} | ${thousand} | ${fast.firstRefusalAt} | ${fast.callsPerSecond}/s | ${calls} |`,
  );
}
