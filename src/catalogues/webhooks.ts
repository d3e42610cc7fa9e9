/** Webhooks: which events a tenant wants to hear of, what is said of them, and how long a receiver that fails is tried. */
import { z } from "zod";
import { deliveryStatuses, type Waits } from "../conversation/delivery.js";
import { itemName, subjectSchema } from "../conversation/names.js";
import { secretText } from "../conversation/secret-text.js";
import { limitEventsRoot } from "../tenancy/limits/events.js";
import { lazily } from "../text/lazily.js";
import { dataVisibleTo, storedEventTypes } from "./events.js";

/** A subscription as a caller writes it. */
export const webhookSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).max(2_000),
  /** Signs what is sent, as Standard Webhooks say; without one it is made, and shown once. */
  secret: secretText(24, 500).optional(),
  events: z.array(z.enum(storedEventTypes)).min(1).max(100),
  /** Only what happens with this agent (of a run: this team), or with this end user. */
  filter: z.strictObject({ agent: itemName.optional(), subject: subjectSchema.optional() }).prefault({}),
  /** Texts too, as an application may read them; otherwise ids alone. */
  includeTexts: z.boolean().default(false),
});
export type NewWebhook = z.infer<typeof webhookSchema>;

export const webhookStatuses = ["active", "disabled"] as const;
/** A secret that was named, and not given. */
export const shownReference = lazily(() => z.object({ $secret: z.string() }));

/** A subscription as callers read it. */
export const webhookViewSchema = webhookSchema.omit({ secret: true }).extend({
  name: z.string(),
  /** Where it was named, and not given. */
  secret: shownReference().optional(),
  /** `disabled`: its receiver answered 410, or it came with an import. Another PUT switches it on again. */
  status: z.enum(webhookStatuses),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  lastSuccessAt: z.iso.datetime().optional(),
  lastFailureAt: z.iso.datetime().optional(),
  lastFailure: z.string().optional(),
});
export type WebhookView = z.infer<typeof webhookViewSchema>;

export const webhookDeliverySchema = z.object({
  /** The `webhook-id` that the receiver sees, the same over all tries. */
  deliveryId: z.string(),
  type: z.string(),
  status: z.enum(deliveryStatuses),
  attempts: z.int(),
  /** The session, run, roundtable or memory that it is about, and its event's number there. */
  sessionId: z.string().optional(),
  runId: z.string().optional(),
  roundtableId: z.string().optional(),
  memoryId: z.string().optional(),
  eventId: z.int(),
  /** When it is tried next, while it is pending. */
  nextAttemptAt: z.iso.datetime().optional(),
  failure: z.string().optional(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type WebhookDelivery = z.infer<typeof webhookDeliverySchema>;

/** Work of the queue: something happened in a session or run. */
export const webhookJobSchema = z.object({
  tenantId: z.string(),
  rootId: z.string(),
  /** One subscription alone; all of the tenant's if left out. */
  name: z.string().optional(),
});
export type WebhookJob = z.infer<typeof webhookJobSchema>;

/** A job whose time comes in so many milliseconds. */
export interface LaterJob extends WebhookJob {
  readonly inMs: number;
}

const minute = 60_000;
const hour = 60 * minute;
/**
 * How long to wait after each failure, in milliseconds: a little over a day in all. A receiver that was away for a minute is tried within the
 * next one.
 */
export const webhookWaits: Waits = [
  ...[5_000, 20_000, 30_000, minute, 5 * minute, 15 * minute, 30 * minute],
  ...[hour, 2 * hour, 4 * hour, 8 * hour, 10 * hour],
];

/** What the session or run that an event is of says about itself. */
export interface EventOwner {
  readonly rootId: string;
  readonly agent?: string | undefined;
  readonly subject?: string | undefined;
  readonly externalId?: string | undefined;
}

/** Whether a subscription wants to hear of what happens there. */
export function wants({ filter }: Pick<NewWebhook, "filter">, { agent, subject }: EventOwner): boolean {
  if (filter.agent !== undefined && filter.agent !== agent) return false;
  return filter.subject === undefined || filter.subject === subject;
}

/** Fields of events that say what happened and quote nobody. */
const plainFields = new Set([
  ...["turnId", "runId", "roundtableId", "messageId", "toolCallId", "askId", "agentId", "requestId"],
  ...["jobId", "pseudonym", "found", "left"],
  ...["size", "root", "checkpoint", "key"],
  ...["memoryId", "entryId", "threadId", "supersedes", "deadLetterId"],
  ...["status", "kind", "audience", "priority", "decision", "hook", "version", "round", "mode"],
  ...["server", "tool", "isError", "elapsedMs", "worker", "from", "to", "iteration", "attempts"],
  ...["createdAt", "endedAt", "openedAt", "closedAt", "deadline", "overdueAt", "oldestOpenedAt", "open", "sessionId"],
]);
export interface SeenEvent {
  readonly seq: number;
  readonly type: string;
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The body of a webhook, by Standard Webhooks: `{type, timestamp, data}`. */
export function webhookBody(event: SeenEvent, owner: EventOwner, includeTexts: boolean): Record<string, unknown> {
  const { rootId, agent, subject, externalId } = owner;
  const eventData = (includeTexts ? asApplicationsRead(event) : undefined) ?? plain(event.data);
  const data = { ...eventData, ...rootField(rootId), eventId: event.seq, agent, subject, externalId };
  return { type: event.type, timestamp: event.at, data };
}

/** The event as a stream shows it to a client's key; nothing of one that is for staff alone. */
function asApplicationsRead({ type, data }: SeenEvent): Record<string, unknown> | undefined {
  const visible = dataVisibleTo("client", type, () => JSON.stringify(data));
  return visible === undefined ? undefined : eventDataSchema.parse(JSON.parse(visible));
}

const eventDataSchema = z.record(z.string(), z.unknown());

function plain(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data).filter(
      ([name, value]) => plainFields.has(name) && (value === null || typeof value !== "object"),
    ),
  );
}

/** Under which name an id of a session, a run, a roundtable or a memory stands in bodies and lists. */
export function rootField(rootId: string): Pick<WebhookDelivery, "sessionId" | "runId" | "roundtableId" | "memoryId"> {
  // What happened to the tenant itself has no such id.
  if (rootId === limitEventsRoot) return {};
  if (rootId.startsWith("mem_")) return { memoryId: rootId };
  // What is told of the tenant itself.
  if (rootId.startsWith("lim_")) return {};
  if (rootId.startsWith("run_")) return { runId: rootId };
  return rootId.startsWith("rt_") ? { roundtableId: rootId } : { sessionId: rootId };
}
