/** A candidate as an eval keeps it: pinned to the version that counts when the eval begins, and known to be usable. */
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import { issuesOf } from "../../conversation/issues.js";
import { type ProblemIssue, problem } from "../../conversation/problem.js";
import {
  type Answerer,
  type Candidate,
  type NewEval,
  resourceOf,
  type Supervising,
} from "../../evidence/evaluation.js";
import { estimateTokens } from "../../model/estimate.js";
import { seatsOf } from "../../roundtable/panel.js";
import { modelsOf } from "../../supervision/kinds/table.js";
import type { Actor } from "../../tenancy/actor.js";
import { isOfKind, type ResourceKind } from "../../tenancy/resources.js";
import { noResource } from "../resources/read-resource.js";
import { checkResource } from "../resources/resource-checks.js";
import type { Services } from "../services.js";
import { type TriedSupervisor, triedSupervisors } from "../supervision/tried-supervisors.js";
import { pinTeams } from "../team-loader.js";
import type { Answering } from "../turn-setup.js";
import { named, pinsOf, tenantPolicies } from "../work-setup.js";
import { answeringOf } from "./try-turn.js";

interface SettledCandidate {
  readonly candidate: Candidate;
  /** Calls of models that an item usually leads to; 0 where it needs none. */
  readonly modelCalls: number;
  /** The same where every worker, seat and supervisor has a part in it. */
  readonly atMost: number;
  /** What each of them is asked with, in tokens, without the text. */
  readonly promptTokens: number;
}

/** All of an eval, and its judge. @param body what they stand in, for refusals */
export async function settledAll(
  { candidates, judge }: Pick<NewEval, "candidates" | "judge">,
  actor: Actor,
  services: Services,
  body: "eval" | "replay",
) {
  const all = await Promise.all(candidates.map((candidate, at) => settled(candidate, at, actor, services, body)));
  const answering = candidates.filter((candidate) => !("supervisors" in candidate));
  if (judge !== undefined && (answering.length < candidates.length || answering.length < 2)) {
    const message = "compares answers: at least two candidates, each an agent, a team or a panel";
    throw problem("invalid", "The judge has nothing to compare; see errors.", {
      errors: [{ path: `${body}.judge`, message }],
    });
  }
  const grader =
    judge &&
    (await settledAnswerer({ name: judge.agent, agent: judge.agent, version: judge.version }, "", actor, services));
  const pinnedJudge = judge && grader && { ...judge, version: versionOf(grader.candidate) };
  return {
    candidates: all.map(({ candidate }) => candidate),
    ...defined({ judge: pinnedJudge }),
    modelCalls: all.map(({ modelCalls }) => modelCalls),
    atMost: all.map(({ atMost }) => atMost),
    judgeCalls: grader?.modelCalls ?? 0,
    promptTokens: Math.max(grader?.promptTokens ?? 0, ...all.map(({ promptTokens }) => promptTokens)),
  };
}

function versionOf(candidate: Candidate): number | undefined {
  return "supervisors" in candidate ? undefined : candidate.version;
}

/** @param at its place among the candidates @param body what they stand in, for refusals */
function settled(
  candidate: Candidate,
  at: number,
  actor: Actor,
  services: Services,
  body: "eval" | "replay",
): Promise<SettledCandidate> {
  return "supervisors" in candidate
    ? settledSupervisors(candidate, actor, services)
    : settledAnswerer(candidate, `${body}.candidates.${at}.change`, actor, services);
}

async function settledSupervisors(
  { name, supervisors }: Supervising,
  actor: Actor,
  services: Services,
): Promise<SettledCandidate> {
  const tried = await triedSupervisors(supervisors, actor, services);
  const modelCalls = tried.filter(({ body }) => callsModel(body)).length;
  return {
    candidate: pinned(name, tried),
    ...{ modelCalls, atMost: modelCalls },
    promptTokens: Math.max(0, ...tried.map(({ body }) => promptOf(body.config))),
  };
}

function promptOf(body: unknown): number {
  return estimateTokens(JSON.stringify(body)) + 500;
}

/** As they count now: a later version of a supervisor is another candidate. */
function pinned(name: string, supervisors: readonly TriedSupervisor[]): Candidate {
  return {
    name,
    supervisors: supervisors.map(({ name: supervisor, version, body }) => {
      if (version !== undefined) return { name: supervisor, version };
      if (body.kind === "http")
        throw problem(
          "invalid",
          "A supervisor of kind http has a secret, which isn't kept in an eval. Store it as a shadow first and name it.",
          {
            errors: [{ path: "eval.candidates", message: `${supervisor}: store it, and name it here` }],
          },
        );
      return { ...body, name: supervisor };
    }),
  };
}

function callsModel(body: TriedSupervisor["body"]): boolean {
  return [modelsOf(body)].flat().length > 0;
}

async function settledAnswerer(
  candidate: Answerer,
  path: string,
  { tenantId }: Actor,
  services: Services,
): Promise<SettledCandidate> {
  const { kind, name } = resourceOf(candidate);
  const { resources } = services;
  const pins =
    candidate.version === undefined
      ? pinsOf(kind, await resources.pins(tenantId, named(kind, [name])))
      : [{ kind, name, version: candidate.version }];
  const [stored] = await resources.versions(tenantId, pins);
  if (stored === undefined) throw noResource(kind, name);
  const answering = changed(candidate, path, stored.body);
  const body = bodyOf(answering);
  if (candidate.change !== undefined && typeof body === "object")
    await checkResource(tenantId, kind, name, body, services);
  return {
    candidate: { ...candidate, version: stored.version },
    modelCalls: usualCalls(answering),
    atMost: await callsAtMost(tenantId, answering, services),
    promptTokens: promptOf(body),
  };
}

function changed(candidate: Answerer, path: string, stored: object): Answering {
  const refused = (errors: readonly ProblemIssue[]) =>
    problem("invalid", "What the candidate changes doesn't fit; see errors.", { errors: [...errors] });
  try {
    const answering = answeringOf(candidate, stored);
    const { change = {} } = candidate;
    if ("workers" in change && answering.kind === "team" && JSON.stringify(change).includes('"http":'))
      throw refused([{ path, message: "a worker at an address has secrets: store the team, and name it here" }]);
    return answering;
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw refused(issuesOf(error).map((issue) => ({ ...issue, path: `${path}.${issue.path}` })));
  }
}

/** The definition that is changed. */
function bodyOf(answering: Answering) {
  switch (answering.kind) {
    case "model":
      return answering;
    case "team":
      return answering.team;
    case "panel":
      return answering.panel;
  }
}

/** With every worker and seat, and with each hook of each supervisor that calls a model. */
async function callsAtMost(tenantId: string, answering: Answering, services: Services): Promise<number> {
  const { resources } = services;
  const tenant = await tenantPolicies(tenantId, services);
  const bodies = async (kind: ResourceKind, names: readonly string[]) =>
    resources.versions(tenantId, pinsOf(kind, await resources.pins(tenantId, named(kind, names))));
  const team = answering.kind === "team" ? await pinTeams(resources, tenantId, answering.team) : undefined;
  const chosen = answering.kind === "panel" ? answering.panel : undefined;
  const panels = typeof chosen === "string" ? await bodies("panels", [chosen]) : [];
  const panel = typeof chosen === "object" ? chosen : panels.find((one) => isOfKind("panels", one))?.body;
  const inner = await resources.versions(tenantId, team === undefined ? [] : pinsOf("teams", team.pins));
  const teams = [
    ...(answering.kind === "team" && typeof answering.team === "object" ? [answering.team] : []),
    ...inner.flatMap((one) => (isOfKind("teams", one) ? [one.body] : [])),
  ];
  const workers = teams.flatMap((one) => one.workers).filter(({ http }) => http === undefined);
  const members =
    panel !== undefined
      ? seatsOf(panel).length * panel.rounds * callsOf(panel.tools) + 1
      : workers.reduce((sum, { tools }) => sum + callsOf(tools), usualCalls(answering));
  const names = [
    ...new Set([
      ...tenant.supervisors,
      ...answering.supervisors,
      ...(team?.ownSupervisors ?? []),
      ...(team?.supervisors ?? []),
      ...(panel?.supervisors ?? []),
    ]),
  ];
  const judging = names.length === 0 ? [] : await bodies("supervisors", names);
  return judging.reduce(
    (sum, one) => (isOfKind("supervisors", one) && callsModel(one.body) ? sum + one.body.hooks.length : sum),
    members,
  );
}

/** A model that has tools is called again with what they return. */
function callsOf(tools: readonly unknown[]): number {
  return tools.length === 0 ? 1 : 2;
}

/** A model that has tools is called again with what they return; a team's supervisor before and after its workers. */
function usualCalls(answering: Answering): number {
  switch (answering.kind) {
    case "model":
      return callsOf(answering.tools);
    case "team":
      return 3;
    case "panel":
      return typeof answering.panel === "string" ? 9 : seatsOf(answering.panel).length * answering.panel.rounds + 1;
  }
}
