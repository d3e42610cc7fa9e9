/** Teams in tests: a supervisor and workers whose models are scripted, each under a name of its own. */
import { env } from "cloudflare:workers";
import type { Run } from "../../src/routing/run.js";
import { runSchema } from "../../src/routing/run.js";
import type { Answer, Fields, TestTenant } from "./conclave.js";
import { type ScriptedReply, type SeenRequest, type UpstreamModel, upstreamFor } from "./upstream-client.js";

export interface TestTeam {
  readonly supervisor: UpstreamModel;
  readonly workers: Readonly<Record<string, UpstreamModel>>;
  /** The team as it is stored or sent along. */
  readonly definition: { readonly workers: readonly Fields[] } & Fields;
}

/** @param workers ids, each with fields of its own. */
export function newTeam(
  workers: Readonly<Record<string, Fields>>,
  supervisor: Fields = {},
  fields: Fields = {},
): TestTeam {
  const routing = upstreamFor(env.TEST_UPSTREAM);
  const models = Object.fromEntries(Object.keys(workers).map((id) => [id, upstreamFor(env.TEST_UPSTREAM)]));
  return {
    supervisor: routing,
    workers: models,
    definition: {
      supervisor: { strategy: "llm-based", model: `openai/${routing.model}`, ...supervisor },
      workers: Object.entries(workers).map(([id, own]) => ({
        id,
        description: `Knows about ${id}`,
        ...("team" in own || "http" in own || "panel" in own ? {} : { model: `openai/${models[id]?.model}` }),
        ...own,
      })),
      ...fields,
    },
  };
}

export function modelOf(team: TestTeam, worker: string): UpstreamModel {
  const model = team.workers[worker];
  if (model === undefined) throw new Error(`no worker ${worker}`);
  return model;
}

/** A model's decision, as a call of `route_to`. */
export function routesTo(target: string | readonly string[], more: Fields = {}): ScriptedReply {
  const to = typeof target === "string" ? { targetAgent: target } : { targetAgents: target };
  return { toolCalls: [{ name: "route_to", arguments: { ...to, reasoning: "It fits.", confidence: 0.9, ...more } }] };
}

export function asksHuman(question: string, more: Fields = {}): ScriptedReply {
  return { toolCalls: [{ name: "ask_human", arguments: { question, ...more } }] };
}

export async function startRun(
  tenant: TestTenant,
  team: unknown,
  input: string,
  fields: Fields = {},
  headers: Record<string, string> = {},
): Promise<Run> {
  const answer = await tenant.call("POST", "/v1/runs", { team, input, ...fields }, headers);
  return readRun(answer);
}

export async function getRun(tenant: TestTenant, runId: string, waitMs = 30_000): Promise<Run> {
  return readRun(await tenant.call("GET", `/v1/runs/${runId}?waitMs=${waitMs}`));
}

function readRun(answer: Answer): Run {
  if (answer.status >= 300) throw new Error(`run: ${answer.status} ${JSON.stringify(answer.body)}`);
  return runSchema.parse(answer.body);
}

export function runObject(tenant: TestTenant, runId: string) {
  return env.ROUTING_RUN.getByName(`${tenant.tenantId}/${runId}`);
}

/** Answers the run's only open ask (or the one with this question), and gives the run once it has gone on. */
export async function answerOpen(tenant: TestTenant, run: Run, response: string, question?: string): Promise<Run> {
  const ask = run.asks.find((open) => open.status === "open" && (question === undefined || open.question === question));
  if (ask === undefined) throw new Error(`no open ask in ${JSON.stringify(run)}`);
  const answer = await tenant.call("POST", `/v1/asks/${ask.askId}/answer`, { response });
  if (answer.status !== 200) throw new Error(`answer: ${answer.status} ${JSON.stringify(answer.body)}`);
  return getRun(tenant, run.runId);
}

/** All that a model was sent in one request, as one text. */
export function promptText(request: SeenRequest | undefined): string {
  return JSON.stringify(request?.body ?? null);
}
