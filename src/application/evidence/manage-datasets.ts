/** Datasets: texts with what should come of them, on which supervisors are tried before they count. */
import { z } from "zod";
import { itemName } from "../../conversation/names.js";
import { need } from "../../conversation/problem.js";
import { datasetViewSchema } from "../../evidence/dataset.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import { commandOf } from "../../tenancy/actor.js";
import { act } from "../act.js";
import { doOnce } from "../creation.js";
import { listOf, pageInput, readPage } from "../page.js";
import { removeDataset } from "../removal.js";

const tag = "Datasets and evals";

export const putDataset = act("putDataset", {
  role: "operator",
  route: {
    method: "put",
    path: "/v1/datasets/{name}",
    tag,
    summary: "Make a dataset, or describe it (operators)",
    body: "dataset",
    answer: "The dataset",
    shows: "view",
    other: { when: "created", status: 201, answer: "It was made" },
  },
  input: () => z.object({ name: itemName, dataset: z.strictObject({ description: z.string().max(2_000).optional() }) }),
  output: () => z.object({ view: datasetViewSchema(), created: z.boolean() }),
  run: async (actor, { name, dataset }, services) =>
    need(await (await services.datasets()).put(actor.tenantId, name, dataset.description, commandOf(actor))),
});

export const listDatasets = act("listDatasets", {
  role: "operator",
  reviewers: true,
  route: {
    method: "get",
    path: "/v1/datasets",
    tag,
    summary: "The tenant's datasets, by their names (operators)",
    answer: "A page of datasets",
  },
  input: () => z.object(pageInput()),
  output: () => listOf(datasetViewSchema()),
  run: async ({ tenantId }, page, services) => {
    const index = await services.evidence();
    return readPage(
      page,
      (after, most) => index.listed(tenantId, after, most),
      ({ name }) => name,
    );
  },
});

export const readDataset = act("readDataset", {
  role: "operator",
  reviewers: true,
  route: { method: "get", path: "/v1/datasets/{name}", tag, summary: "One dataset (operators)", answer: "The dataset" },
  input: () => z.object({ name: itemName }),
  output: () => datasetViewSchema(),
  run: async ({ tenantId }, { name }, services) => need(await (await services.datasets()).describe(tenantId, name)),
});

export const deleteDataset = act("deleteDataset", {
  role: "operator",
  route: {
    method: "delete",
    path: "/v1/datasets/{name}",
    tag,
    summary: "Delete a dataset, its items, evals and results (operators)",
    answer: "It is gone",
  },
  input: () => z.object({ name: itemName }),
  run: async (actor, { name }, services) => {
    const { tenantId } = actor;
    const datasets = await services.datasets();
    const remove = async (claim?: WorkClaim): Promise<void> => {
      const there = await datasets.describe(tenantId, name);
      // Also where it isn't there: who died over its deletion has left the copies that lists show.
      await removeDataset(tenantId, name, services, claim);
      need(there);
    };
    await doOnce(actor, services, remove, async () => {});
  },
});
