/** Receivers of webhooks in tests: scripted upstreams, and subscriptions to them. */
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { z } from "zod";
import type { Fields, TestTenant } from "./conclave.js";
import { type ScriptedReply, type SeenRequest, type UpstreamModel, upstreamFor } from "./upstream-client.js";

/** A receiver that answers as told. */
export async function receiver(...answers: readonly ScriptedReply[]): Promise<UpstreamModel> {
  const upstream = upstreamFor(env.TEST_UPSTREAM);
  await upstream.reply(...answers);
  return upstream;
}

export const taken: ScriptedReply = { status: 204, body: "", repeat: true };
export const down: ScriptedReply = { status: 503, body: "down" };

const bodySchema = z.object({ type: z.string(), timestamp: z.iso.datetime(), data: z.looseObject({}) });
export const bodyOf = ({ body }: SeenRequest) => bodySchema.parse(body);
export const received = async (upstream: UpstreamModel) => (await upstream.requests()).map(bodyOf);

/** @returns the secret that was made for it */
export async function subscribe(
  tenant: TestTenant,
  to: UpstreamModel,
  fields: Fields = {},
  name = "crm",
): Promise<string> {
  const body = { url: to.hookURL, events: ["turn.completed"], ...fields };
  const answer = await tenant.call("PUT", `/v1/webhooks/${name}`, body);
  expect(answer.status).toBe(201);
  return answer.body.secret;
}
