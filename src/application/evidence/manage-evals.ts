/** Evals: candidates over the items of a dataset. Begun, followed, stopped, gone on with, and compared. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { itemName } from "../../conversation/names.js";
import { need, problem } from "../../conversation/problem.js";
import { comparisonSchema } from "../../evidence/comparison.js";
import { comparisonText } from "../../evidence/comparison-text.js";
import { replayTitle } from "../../evidence/dataset.js";
import {
  answererSchema,
  evalSchema,
  evalStatuses,
  itemResultSchema,
  newEvalSchema,
} from "../../evidence/evaluation.js";
import type { EvalCommand } from "../../gateways/dataset-gateway.js";
import { newEvalId } from "../../platform/ids.js";
import { keyOf } from "../../stores/reader-store.js";
import { type Actor, commandOf } from "../../tenancy/actor.js";
import { act } from "../act.js";
import { recordRead } from "../audit/record-read.js";
import { claimId } from "../creation.js";
import { listOf, pageInput, readNumberedPage, readPage } from "../page.js";
import type { Services } from "../services.js";
import { triedShape } from "../supervision/trial-schemas.js";
import { settledAll } from "./settle-candidate.js";

const tag = "Datasets and evals";
const evalInput = () => ({ evalId: z.string().max(200) });

const onlyEstimate = () => ({ estimate: z.boolean().default(false) });

/** As the document has it: a body of a supervisor is read by its kind's schema. */
export const candidatesShape = () =>
  z
    .array(
      z.union([z.strictObject({ name: itemName, supervisors: z.array(triedShape()).min(1).max(8) }), answererSchema()]),
    )
    .min(1)
    .max(8);
const newEvalShape = () => newEvalSchema().extend({ candidates: candidatesShape(), ...onlyEstimate() });

export const startEval = act("startEval", {
  role: "operator",
  route: {
    method: "post",
    path: "/v1/evals",
    tag,
    summary: "Hold supervisors, agents, teams or panels against a dataset (operators)",
    description:
      "Each candidate judges or answers each item, without any effect; it is pinned to the version that counts now. Agents, teams and panels answer as in a session, but no tool, person or endpoint is asked: what they would answer stands in the item's `tools`, and anything else ends the answer as `diverged`. It runs by itself, in slices, whatever dies. With `estimate` nothing is begun, and the answer says what it would come to. Where a model is called `maxTokens` has to be given, and is never passed.",
    body: "eval",
    bodyShape: newEvalShape,
    answer: "What it would come to",
    shows: "eval",
    other: { when: "begun", status: 202, answer: "It runs; read it at GET /v1/evals/{evalId}" },
  },
  input: () => z.object({ eval: newEvalSchema().extend(onlyEstimate()) }),
  output: () => z.object({ eval: evalSchema(), begun: z.boolean() }),
  run: async (actor, { eval: { dataset, estimate, ...wanted } }, services) => {
    const settled = await settledAll(wanted, actor, services, "eval");
    const ownId = newEvalId(dataset);
    const evalId = estimate ? ownId : await claimId(actor, ownId, { dataset, ...wanted }, services);
    const started = need(
      await (await services.datasets()).startEval(actor.tenantId, dataset, {
        ...wanted,
        evalId,
        ...settled,
        keyId: keyOf(actor),
        by: recordOf(actor),
        onlyEstimate: estimate,
      }),
    );
    return { eval: started, begun: !estimate };
  },
});

export const listEvals = act("listEvals", {
  role: "operator",
  reviewers: true,
  route: {
    method: "get",
    path: "/v1/evals",
    tag,
    summary: "The tenant's evals, newest first (operators)",
    answer: "A page of evals",
  },
  input: () => z.object({ ...pageInput(), dataset: itemName.optional(), status: z.enum(evalStatuses).optional() }),
  output: () => listOf(evalSchema()),
  run: async ({ tenantId }, { limit, cursor, ...filter }, services) => {
    const index = await services.evidence();
    const read = (before: string | undefined, most: number) => index.evals(tenantId, filter, before, most);
    return readPage({ limit, cursor }, read, ({ evalId }) => evalId);
  },
});

export const readEval = act("readEval", {
  role: "operator",
  reviewers: true,
  route: {
    method: "get",
    path: "/v1/evals/{evalId}",
    tag,
    summary: "How far an eval is (operators)",
    answer: "The eval",
  },
  input: () => z.object(evalInput()),
  output: () => evalSchema(),
  run: async (actor, { evalId }, services) => {
    const { datasets, dataset } = await datasetOf(evalId, services);
    return need(await datasets.evaluation(actor.tenantId, dataset, evalId));
  },
});

const flag = () =>
  z
    .enum(["true", "false"])
    .transform((value) => value === "true")
    .optional();

export const listEvalItems = act("listEvalItems", {
  role: "operator",
  route: {
    method: "get",
    path: "/v1/evals/{evalId}/items",
    tag,
    summary: "What each candidate said of each item (operators)",
    description:
      "A page has the results of whole items, and may be shorter where they are filtered. Reading them is on record.",
    answer: "A page of results",
  },
  input: () =>
    z.object({
      ...evalInput(),
      ...pageInput(),
      candidate: itemName.optional(),
      wrong: flag(),
      disagreement: flag(),
      failed: flag(),
    }),
  output: () => listOf(itemResultSchema()),
  run: async (actor, { evalId, limit, cursor, ...filter }, services) => {
    const { datasets, dataset } = await datasetOf(evalId, services);
    need(await datasets.evaluation(actor.tenantId, dataset, evalId));
    await recordRead(actor, services, {
      type: "originals.read",
      ownerId: `dataset/${dataset}`,
      workId: evalId,
      subject: {},
    });
    return readNumberedPage({ limit, cursor }, async (after, most) =>
      need(await datasets.results(actor.tenantId, dataset, evalId, filter, after, most)),
    );
  },
});

export const comparisonFormats = ["json", "markdown"] as const;

export const readComparison = act("readComparison", {
  role: "operator",
  reviewers: true,
  input: () => z.object(evalInput()),
  output: () => comparisonSchema(),
  run: async (actor, { evalId }, services) => {
    const { datasets, dataset } = await datasetOf(evalId, services);
    return need(await datasets.comparison(actor.tenantId, dataset, evalId));
  },
});

/** The same to be read. */
export async function comparisonMarkdown(actor: Actor, evalId: string, services: Services): Promise<string> {
  const comparison = await readComparison(actor, { evalId }, services);
  const { dataset, version, progress } = await readEval(actor, { evalId }, services);
  return comparisonText(comparison, replayTitle({ dataset, ...progress }) ?? `${dataset}, version ${version}`);
}

const command = (name: "cancelEval" | "retryEval", summary: string, given: EvalCommand) =>
  act(name, {
    role: "operator",
    route: { method: "post", path: `/v1/evals/{evalId}/${given.act}`, tag, summary, answer: "The eval" },
    input: () => z.object(evalInput()),
    output: () => evalSchema(),
    run: (actor, { evalId }, services) => commanded(actor, evalId, given, services),
  });

export const cancelEval = command("cancelEval", "Stop an eval for good (operators)", { act: "cancel" });
export const retryEval = command("retryEval", "Do again what failed in an eval (operators)", { act: "retry" });

export const resumeEval = act("resumeEval", {
  role: "operator",
  route: {
    method: "post",
    path: "/v1/evals/{evalId}/resume",
    tag,
    summary: "Go on with an eval that stopped, with more tokens (operators)",
    body: "budget",
    answer: "The eval",
  },
  input: () => z.object({ ...evalInput(), budget: z.strictObject({ maxTokens: z.int().min(1).max(1e9) }) }),
  output: () => evalSchema(),
  run: (actor, { evalId, budget }, services) => commanded(actor, evalId, { act: "resume", ...budget }, services),
});

async function commanded(actor: Actor, evalId: string, given: EvalCommand, services: Services) {
  const { datasets, dataset } = await datasetOf(evalId, services);
  return need(await datasets.command(actor.tenantId, dataset, evalId, given, commandOf(actor)));
}

/** An eval's id says which dataset it is over. */
async function datasetOf(evalId: string, services: Services) {
  const datasets = await services.datasets();
  const [prefix, , ...name] = evalId.split("_");
  const dataset = name.join("_");
  if (prefix !== "evl" || !itemName.safeParse(dataset).success) throw problem("not_found", "There is no such eval.");
  return { datasets, dataset };
}
