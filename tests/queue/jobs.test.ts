/** Jobs say what they are: queues may have any names, and carry what the version before put on them. */
import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import worker from "../../src/index.js";
import { newMemory } from "../support/memory.js";
import { received, receiver, subscribe, taken } from "../support/webhook-receivers.js";

async function deliver(queue: string, ...jobs: readonly object[]) {
  const messages = jobs.map((body) => ({ id: crypto.randomUUID(), timestamp: new Date(), attempts: 1, body }));
  const batch = createMessageBatch(queue, messages);
  await worker.queue(batch, env);
  return getQueueResult(batch, createExecutionContext());
}

it.each([
  ["that say their kind", { kind: "webhook" }, { kind: "flush" }],
  ["of the version before, which say none", {}, {}],
])("jobs %s are told apart, whatever their queue is called", async (_what, webhookKind, flushKind) => {
  const memory = await newMemory();
  const { tenant } = memory;
  const model = await tenant.agent("assistant");
  await model.reply({ text: "It is nine." });
  const sessionId = await tenant.session();
  await tenant.say(sessionId, "What time is it?");
  const hook = await receiver(taken);
  await subscribe(tenant, hook);
  // It was made after the turn: reading begins where it is told to.
  await env.DB.prepare("UPDATE webhooks SET created_at = 0 WHERE tenant_id = ?").bind(tenant.tenantId).run();
  const webhook = { ...webhookKind, tenantId: tenant.tenantId, rootId: sessionId };
  const flush = {
    ...flushKind,
    tenantId: tenant.tenantId,
    memoryId: memory.memoryId,
    threadId: "none",
    fromSeq: 1,
    toSeq: 1,
  };
  const unknown = { kind: "of a later version", tenantId: tenant.tenantId };
  const result = await deliver("acme-jobs-eu", flush, webhook, unknown);
  expect(result.explicitAcks).toHaveLength(3);
  await expect.poll(() => received(hook)).toHaveLength(1);
});
