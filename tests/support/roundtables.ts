/** Roundtables in tests: seats whose models are scripted, each under a name of its own. */
import { env } from "cloudflare:workers";
import type { Roundtable } from "../../src/roundtable/roundtable.js";
import { roundtableSchema } from "../../src/roundtable/roundtable.js";
import type { Answer, Fields, TestTenant } from "./conclave.js";
import { type ScriptedReply, type UpstreamModel, upstreamFor } from "./upstream-client.js";

export interface TestPanel {
  readonly models: Readonly<Record<string, UpstreamModel>>;
  readonly analyst: UpstreamModel;
  /** What a start says of the panel: nobody analyses it, and nothing ends it before its rounds. */
  readonly fields: Fields;
}

export function newPanel(seats: readonly string[], fields: Fields = {}): TestPanel {
  const models = Object.fromEntries(seats.map((id) => [id, upstreamFor(env.TEST_UPSTREAM)]));
  const analyst = upstreamFor(env.TEST_UPSTREAM);
  const model = `openai/${analyst.model}`;
  return {
    models,
    analyst,
    fields: {
      mode: "collaborative",
      seats: seats.map((id) => ({ id, name: id.toUpperCase(), model: `openai/${models[id]?.model}` })),
      models: { analyst: model, synthesis: model },
      analysis: false,
      exitOnConsensus: false,
      ...fields,
    },
  };
}

export function seat(panel: TestPanel, id: string): UpstreamModel {
  const model = panel.models[id];
  if (model === undefined) throw new Error(`no seat ${id}`);
  return model;
}

/** A model's position, as a call of `take_position`. */
export function takes(position: string, more: Fields = {}): ScriptedReply {
  return {
    toolCalls: [
      { name: "take_position", arguments: { position, reasoning: `Because ${position}`, confidence: 0.6, ...more } },
    ],
  };
}

/** A model's request, after which it is asked again. */
export function requests(query: string, more: Fields = {}): ScriptedReply {
  return { toolCalls: [{ name: "request_context", arguments: { query, reason: "It decides.", ...more } }] };
}

/** Every seat takes positions of its own in as many rounds. */
export async function everybodySpeaks(panel: TestPanel, rounds = 1): Promise<void> {
  for (const [id, model] of Object.entries(panel.models)) {
    for (let round = 1; round <= rounds; round++) await model.reply(takes(`${id} holds view ${round}.`));
  }
}

export async function startTable(tenant: TestTenant, panel: TestPanel, fields: Fields = {}): Promise<Roundtable> {
  return readTable(await tenant.call("POST", "/v1/roundtables", { topic: "Do we ship?", ...panel.fields, ...fields }));
}

export async function goOn(
  tenant: TestTenant,
  table: Pick<Roundtable, "sessionId">,
  fields: Fields = {},
): Promise<Roundtable> {
  return readTable(await tenant.call("POST", `/v1/roundtables/${table.sessionId}/continue`, fields));
}

export async function getTable(
  tenant: TestTenant,
  { sessionId }: Pick<Roundtable, "sessionId">,
  waitMs = 30_000,
): Promise<Roundtable> {
  return readTable(await tenant.call("GET", `/v1/roundtables/${sessionId}?waitMs=${waitMs}`));
}

export function readTable(answer: Answer): Roundtable {
  if (answer.status >= 300) throw new Error(`roundtable: ${answer.status} ${JSON.stringify(answer.body)}`);
  return roundtableSchema.parse(answer.body);
}

export function tableObject(tenant: TestTenant, { sessionId }: Pick<Roundtable, "sessionId">) {
  return env.ROUNDTABLE.getByName(`${tenant.tenantId}/${sessionId}`);
}

/** Who held what, by the seats' ids. */
export function held({ responses }: Roundtable): Record<string, string> {
  return Object.fromEntries(responses.map(({ agentId, position }) => [agentId, position]));
}

/** The only open request. */
export function openRequest({ contextRequests = [] }: Roundtable) {
  const [request] = contextRequests;
  if (request === undefined || contextRequests.length > 1)
    throw new Error(`not one request: ${JSON.stringify(contextRequests)}`);
  return request;
}
