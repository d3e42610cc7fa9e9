/** Read a tenant's last day at a glance. What it reads doesn't grow with the tenant. */
import { z } from "zod";
import { quantile } from "../../asks/report.js";
import type { WebhookView } from "../../catalogues/webhooks.js";
import type { Channel } from "../../channels/connection.js";
import { defined } from "../../conversation/defined.js";
import { parkedOutboxes } from "../../stores/parked-outboxes.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { demandOf, type LimitFacts, scopeOf } from "../../tenancy/limits/demand.js";
import type { LimitState, LimitView } from "../../tenancy/limits/limit.js";
import { busyKeys, endedIn, mostLines, type Overview, overviewSchema, takenBy } from "../../tenancy/overview.js";
import { mostRecent } from "../../tenancy/usage.js";
import { act } from "../act.js";
import { listChannels } from "../channels/read-channels.js";
import type { Services } from "../services.js";
import { listWebhooks } from "../webhooks/manage-webhooks.js";
import { readUsage } from "./read-usage.js";

type Usage = NonNullable<Overview["usage"]>;
type LimitLine = NonNullable<Overview["limits"]>[number];

const dayMs = 86_400_000;
/** Closed asks that the median goes by; parked deliveries that are counted; limits whose state is asked for. */
const most = { closed: 1_000, parked: 1_000, states: 50 };

export const readOverview = act("readOverview", {
  role: "operator",
  route: {
    method: "get",
    path: "/v1/overview",
    tag: "A tenant's own administration",
    summary:
      "The last day: how work ended, what waits, what it took, limits and what could not be delivered (operators)",
    description:
      "Read from what is counted anyway: at most 5,000 rows of usage and 1,000 closed asks, by their indexes, however much there is; what else it says are counters. `usage` and `limits` are for admins.",
    answer: "The overview",
  },
  input: () => z.object({}),
  output: () => overviewSchema(),
  run: async (actor, _input, services) => {
    const { tenantId } = actor;
    const now = services.now();
    const begin = now - dayMs;
    const [{ parts, currency }, waiting, channels, webhooks, works] = await Promise.all([
      services.near.usage.recent(tenantId, begin),
      waitingNow(actor, begin, services),
      listChannels(actor, { limit: 100 }, services),
      listWebhooks(actor, { limit: 100 }, services),
      parkedOutboxes(services.near.db, tenantId),
    ]);
    const complete = parts.reduce((rows, part) => rows + part.rows, 0) < mostRecent;
    const from = complete ? begin : Math.min(...parts.map(({ since }) => since));
    const usage = { ...defined({ currency }), ...takenBy(parts) };
    const open = waiting.staff + waiting.user;
    const ofAdmins = authorize(actor, readUsage).ok
      ? { usage, limits: await limitsNow(actor, { ...usage, byKey: busyKeys(parts) }, open, services) }
      : {};
    const names = webhooks.items.map(({ name }) => name);
    const parked = await services.webhookDeliveries.parked(tenantId, names, most.parked);
    return {
      from: new Date(from).toISOString(),
      to: new Date(now).toISOString(),
      complete,
      ended: endedIn(parts),
      waiting,
      ...ofAdmins,
      records: { parked: works.reduce((sum, { parked: n }) => sum + n, 0), works: works.slice(0, mostLines) },
      channels: channels.items.map(channelHealth),
      webhooks: webhooks.items.map((webhook) => webhookHealth(webhook, parked.get(webhook.name) ?? 0)),
    };
  },
});

async function waitingNow(
  { tenantId, id }: Actor,
  begin: number,
  { near: { asks }, now }: Services,
): Promise<Overview["waiting"]> {
  const range = { from: new Date(begin).toISOString(), to: new Date(now()).toISOString() };
  const [counts, { overdue }, oldest, closed] = await Promise.all([
    asks.openCounts(tenantId),
    asks.furtherCounts(tenantId, id),
    asks.oldestOpen(tenantId, "staff"),
    asks.closed(tenantId, range, {}, most.closed),
  ]);
  const openOf = (who: string): number =>
    counts.reduce((total, { audience, open }) => (audience === who ? total + open : total), 0);
  const times = closed.filter(({ status }) => status === "answered").map(({ tookMs }) => tookMs);
  const medianMs = quantile(times, 0.5);
  return { staff: openOf("staff"), user: openOf("user"), overdue, ...defined({ oldest, medianMs }) };
}

/** The state of those that are counted for the tenant, and for the agents, users and keys that took most. */
async function limitsNow(
  { tenantId }: Actor,
  { byAgent, bySubject, byKey }: Usage & { readonly byKey: readonly string[] },
  openAsks: number,
  { limits, budgets, now }: Services,
): Promise<LimitLine[]> {
  const busy: Readonly<Partial<Record<LimitView["per"], readonly LimitFacts[]>>> = {
    tenant: [{ tenantId }],
    agent: byAgent.map(({ name: agent }) => ({ tenantId, agent })),
    subject: bySubject.map(({ name: subject }) => ({ tenantId, subject })),
    key: byKey.map((keyId) => ({ tenantId, keyId })),
  };
  const asked = (await limits.list(tenantId, "", most.states)).flatMap((limit) =>
    (busy[limit.per] ?? []).flatMap((facts) => {
      const scope = scopeOf(limit, { ...limit.match, ...facts });
      return scope === undefined || (limit.measure === "openAsks" && limit.per !== "tenant")
        ? []
        : [{ limit, scope, of: facts.agent ?? facts.subject ?? facts.keyId }];
    }),
  );
  const lines = await Promise.all(
    asked.slice(0, most.states).map(async ({ limit, scope, of }) => {
      const demand = demandOf({ ...limit, ofDeployment: false }, scope, 0, now());
      // They are counted where they are.
      const counted = { used: openAsks, reserved: 0, max: demand.max };
      const state = limit.measure === "openAsks" ? counted : await budgets.state(tenantId, demand);
      return lineOf(limit, of, state);
    }),
  );
  return lines.toSorted((a, b) => b.share - a.share || (a.limit < b.limit ? -1 : 1)).slice(0, 2 * mostLines);
}

function lineOf(
  { name: limit, measure, per, mode }: LimitView,
  of: string | undefined,
  { used, reserved, max, resetsAt }: Pick<LimitState, "used" | "reserved" | "max" | "resetsAt">,
): LimitLine {
  const share = max > 0 ? (used + reserved) / max : 1;
  const names = { limit, measure, per, enforced: mode === "enforce" };
  return { ...names, used, reserved, max, share, ...defined({ of, resetsAt }) };
}

function channelHealth({ name, kind, health }: Channel): Overview["channels"][number] {
  return { name, kind, ...health };
}

function webhookHealth(webhook: WebhookView, parked: number): Overview["webhooks"][number] {
  const { name, status, lastSuccessAt, lastFailureAt: at, lastFailure: detail } = webhook;
  const lastFailure = at === undefined ? undefined : { at, ...defined({ detail }) };
  return { name, status, parked, ...defined({ lastSuccessAt, lastFailure }) };
}
