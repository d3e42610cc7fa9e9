/** Experiments: for a share of end users another stored agent answers, until it is shown whether it is better. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { itemName } from "../../conversation/names.js";
import { ownValue } from "../../conversation/own-value.js";
import { problem } from "../../conversation/problem.js";
import {
  ended,
  newExperiment,
  newExperimentSchema,
  onlyRaises,
  raised,
  type StoredExperiment,
  started,
} from "../../evidence/experiment.js";
import { type ExperimentReport, experimentReport, experimentReportSchema } from "../../evidence/experiment-report.js";
import { newAddressId } from "../../platform/ids.js";
import type { ExperimentRecord } from "../../stores/experiment-store.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import type { Actor } from "../../tenancy/actor.js";
import { isOfKind } from "../../tenancy/resources.js";
import { act } from "../act.js";
import { readPut } from "../as-read.js";
import { doOnce } from "../creation.js";
import { listOf, pageInput, readPage } from "../page.js";
import { storeResource } from "../resources/put-resource.js";
import type { Services } from "../services.js";
import { named, pinsOf } from "../work-setup.js";
import { checkAgents, experimentViewSchema, find, put, viewOf } from "./experiment-records.js";

const tag = "Experiments";

const serverFields = [
  ...["status", "phases", "versions", "tripped", "startedAt", "endedAt", "winner"],
  ...["version", "updatedAt"],
];

export const putExperiment = act("putExperiment", {
  role: "operator",
  route: {
    method: "put",
    path: "/v1/experiments/{name}",
    tag,
    summary: "Store an experiment, or raise its shares while it runs (operators)",
    body: "experiment",
    bodyShape: () => newExperimentSchema(),
    shows: "experiment",
    answer: "It was changed",
    other: { when: "created", status: 201, answer: "It is new" },
  },
  input: () => z.object({ name: itemName, experiment: z.unknown() }),
  output: () => z.object({ created: z.boolean(), experiment: experimentViewSchema() }),
  run: async (actor, { name, experiment: sent }, services) => {
    const wanted = await readPut(newExperimentSchema(), sent, {
      ...{ name, place: "experiment", serverFields },
      current: async () => undefined,
    });
    await checkAgents(actor.tenantId, [wanted.agent, ...wanted.variants.map(({ agent }) => agent)], services);
    const store = async (claim?: WorkClaim): Promise<boolean> => {
      const known = await (await services.experiments()).get(actor.tenantId, name);
      const next = known === undefined ? newExperiment(wanted, newAddressId()) : changed(known.experiment, wanted);
      await put(actor, name, next, known?.version ?? 0, known === undefined ? "created" : "changed", services, claim);
      return known === undefined;
    };
    const created = await doOnce(actor, services, store, async (note) => note === "created");
    return { created, experiment: viewOf(await find(actor.tenantId, name, services)) };
  },
});

function changed(known: StoredExperiment, wanted: z.infer<ReturnType<typeof newExperimentSchema>>): StoredExperiment {
  const { agent, unit, variants, guards } = known;
  if (known.status === "draft") return { ...known, ...wanted };
  const before = { agent, unit, variants, guards };
  if (JSON.stringify(before) === JSON.stringify(wanted)) return known;
  if (known.status !== "running")
    throw problem("conflict", `The experiment is ${known.status}. Delete it, or store another under another name.`);
  if (!onlyRaises(before, wanted))
    throw problem(
      "conflict",
      "While an experiment runs its shares can be raised, and nothing else changes. Stop it and make another.",
    );
  return raised(known, wanted.variants);
}

export const listExperiments = act("listExperiments", {
  role: "operator",
  reviewers: true,
  route: {
    method: "get",
    path: "/v1/experiments",
    tag,
    summary: "The tenant's experiments, by name (operators)",
    answer: "A page of experiments",
  },
  input: () => z.object(pageInput()),
  output: () => listOf(experimentViewSchema()),
  run: async ({ tenantId }, page, services) => {
    const store = await services.experiments();
    const { items, nextCursor } = await readPage(
      page,
      (after, most) => store.list(tenantId, after, most),
      ({ name }) => name,
    );
    return { items: items.map(viewOf), nextCursor };
  },
});

export const readExperiment = act("readExperiment", {
  role: "operator",
  reviewers: true,
  route: {
    method: "get",
    path: "/v1/experiments/{name}",
    tag,
    summary: "One experiment (operators)",
    answer: "The experiment",
  },
  input: () => z.object({ name: itemName }),
  output: () => experimentViewSchema(),
  run: async ({ tenantId }, { name }, services) => viewOf(await find(tenantId, name, services)),
});

export const deleteExperiment = act("deleteExperiment", {
  role: "operator",
  route: {
    method: "delete",
    path: "/v1/experiments/{name}",
    tag,
    summary: "Delete an experiment and what was counted for it (operators)",
    answer: "It is gone",
  },
  input: () => z.object({ name: itemName }),
  run: async (actor, { name }, services) => {
    const remove = async (claim?: WorkClaim): Promise<void> => {
      const { experiment } = await find(actor.tenantId, name, services);
      const done = { by: recordOf(actor), at: services.now() };
      await (await services.experiments()).remove(actor.tenantId, name, experiment.seed, done, claim);
    };
    await doOnce(actor, services, remove, async () => {});
  },
});

type Step = (experiment: StoredExperiment, actor: Actor, services: Services, name: string) => Promise<StoredExperiment>;

/** Moves an experiment on, once under its key. */
async function move(actor: Actor, name: string, decision: string, step: Step, services: Services) {
  const go = async (claim?: WorkClaim): Promise<void> => {
    const { experiment, version } = await find(actor.tenantId, name, services);
    const next = await step(experiment, actor, services, name);
    await put(actor, name, next, version, decision, services, claim);
  };
  await doOnce(actor, services, go, async () => {});
  return viewOf(await find(actor.tenantId, name, services));
}

export const startExperiment = act("startExperiment", {
  role: "operator",
  route: {
    method: "post",
    path: "/v1/experiments/{name}/start",
    tag,
    summary: "Have an experiment run (operators)",
    description:
      "Sessions that begin from now on get their variant with their first turn, and keep it. The agents of variants are pinned to the versions that count now.",
    answer: "The experiment",
  },
  input: () => z.object({ name: itemName }),
  output: () => experimentViewSchema(),
  run: (actor, { name }, services) => move(actor, name, "started", start, services),
});

const start: Step = async (experiment, { tenantId }, services) => {
  if (experiment.status !== "draft")
    throw problem("conflict", `The experiment is ${experiment.status}: only a draft is started.`);
  const other = await (await services.experiments()).runningFor(tenantId, experiment.agent);
  if (other !== undefined)
    throw problem("conflict", `The experiment "${other}" runs for this agent. Only one does at a time: stop it first.`);
  const agents = experiment.variants.map(({ agent }) => agent);
  const pins = pinsOf("agents", await services.resources.pins(tenantId, named("agents", agents)));
  const versions = experiment.variants.flatMap(({ name, agent }) => {
    const pin = pins.find((one) => one.name === agent);
    return pin === undefined ? [] : [[name, pin.version] as const];
  });
  await checkAgents(tenantId, agents, services);
  return started(experiment, Object.fromEntries(versions), new Date(services.now()).toISOString());
};

export const stopExperiment = act("stopExperiment", {
  role: "operator",
  route: {
    method: "post",
    path: "/v1/experiments/{name}/stop",
    tag,
    summary: "End an experiment: sessions that are in it keep their variant (operators)",
    answer: "The experiment",
  },
  input: () => z.object({ name: itemName }),
  output: () => experimentViewSchema(),
  run: (actor, { name }, services) => move(actor, name, "stopped", stop, services),
});

const stop: Step = async (experiment, _actor, services) => {
  if (experiment.status !== "running")
    throw problem("conflict", `The experiment is ${experiment.status}: only one that runs is stopped.`);
  return ended(experiment, "stopped", new Date(services.now()).toISOString());
};

export const promoteExperiment = act("promoteExperiment", {
  role: "operator",
  route: {
    method: "post",
    path: "/v1/experiments/{name}/promote",
    tag,
    summary: "Make a variant the agent (operators)",
    description:
      "The variant's definition is stored as the agent's next version; what the experiment has shown stands in the audit beside it.",
    body: "winner",
    answer: "The experiment",
  },
  input: () => z.object({ name: itemName, winner: z.strictObject({ variant: itemName }) }),
  output: () => experimentViewSchema(),
  run: async (actor, { name, winner }, services) => {
    const promote: Step = async (experiment) => {
      const { agent, status } = experiment;
      const variant = experiment.variants.find((one) => one.name === winner.variant);
      const version = variant && ownValue(experiment.versions, variant.name);
      if (status === "draft" || status === "promoted")
        throw problem("conflict", `The experiment is ${status}: nothing of it can be promoted.`);
      if (variant === undefined || version === undefined)
        throw problem("invalid", "The experiment has no such variant.", {
          errors: [{ path: "variant", message: "isn't one of its variants" }],
        });
      const pin = { kind: "agents", name: variant.agent, version } as const;
      const [found] = await services.resources.versions(actor.tenantId, [pin]);
      if (found === undefined || !isOfKind("agents", found))
        throw problem("not_found", `There is no agent "${variant.agent}" any more.`);
      // The key of the request is the experiment's, whose change is the last one: what comes before is done again.
      const { command: _, ...plain } = actor;
      await storeResource(plain, { kind: "agents", name: agent, body: found.body }, services);
      return ended(experiment, "promoted", new Date(services.now()).toISOString(), winner.variant);
    };
    return move(actor, name, "promoted", promote, services);
  },
});

export const readExperimentReport = act("readExperimentReport", {
  role: "operator",
  reviewers: true,
  route: {
    method: "get",
    path: "/v1/experiments/{name}/comparison",
    tag,
    summary: "What an experiment has shown so far (operators)",
    description:
      "Units are counted, not turns: each once, however many of its turns were blocked, failed or degraded, or got a −1 (`negative`). It may be looked at at any time: the test's bar holds however often that is done.",
    answer: "Shares by variant, and in one sentence whether they differ",
  },
  input: () => z.object({ name: itemName }),
  output: () => experimentReportSchema(),
  run: async ({ tenantId }, { name }, services) => reportOf(await find(tenantId, name, services), services),
});

async function reportOf({ tenantId, experiment }: ExperimentRecord, services: Services): Promise<ExperimentReport> {
  return experimentReport(experiment, await (await services.experiments()).counts(tenantId, experiment.seed));
}
