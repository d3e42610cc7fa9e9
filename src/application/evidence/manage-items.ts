/** The items of a dataset: imported as lines of JSON, labelled, erased, and read. */
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import { itemName } from "../../conversation/names.js";
import { need, problem } from "../../conversation/problem.js";
import { addedSchema } from "../../evidence/dataset.js";
import { contentOf, expectedSchema, type Item, itemSchema, type NewItem, readLines } from "../../evidence/item.js";
import type { ItemToAdd } from "../../gateways/dataset-gateway.js";
import { sha256Hex } from "../../platform/digest.js";
import { type Actor, authorOf, commandOf } from "../../tenancy/actor.js";
import { act } from "../act.js";
import { recordRead } from "../audit/record-read.js";
import { listOf, pageInput, readNumberedPage } from "../page.js";
import type { Services } from "../services.js";

const tag = "Datasets and evals";
const itemInput = () => ({ name: itemName, itemId: z.string().max(100) });

export const addItems = act("addItems", {
  role: "operator",
  input: () => z.object({ name: itemName, lines: z.string() }),
  output: () =>
    addedSchema().extend({
      /** Lines that were left out, with why; the others were added. */
      invalid: z.array(z.object({ line: z.int(), detail: z.string() })),
    }),
  run: async (actor, { name, lines }, services) => {
    const { items, invalid } = readLines(lines);
    const added = await addToDataset(actor, name, items, "import", services);
    return { ...added, invalid: [...invalid] };
  },
});

/** Adds items under the digests of their contents: what is there already stays as it is. */
export async function addToDataset(
  actor: Actor,
  name: string,
  items: readonly NewItem[],
  source: Item["source"],
  services: Services,
) {
  const labelledBy = authorOf(actor);
  const placed = await Promise.all(
    items.map(async (item): Promise<ItemToAdd> => {
      const itemId = `itm_${(await sha256Hex(contentOf(item))).slice(0, 26)}`;
      return { ...item, itemId, source, ...defined({ labelledBy: item.expected && labelledBy }) };
    }),
  );
  return need(await (await services.datasets()).addItems(actor.tenantId, name, placed, commandOf(actor)));
}

export const listItems = act("listItems", {
  role: "operator",
  route: {
    method: "get",
    path: "/v1/datasets/{name}/items",
    tag,
    summary: "The items of a dataset, in their order (operators)",
    description: "Reading them is on record, as reading originals is.",
    answer: "A page of items",
  },
  input: () => z.object({ name: itemName, version: z.coerce.number<string>().int().min(1).optional(), ...pageInput() }),
  output: () => listOf(itemSchema()),
  run: async (actor, { name, version, ...page }, services) => {
    const datasets = await services.datasets();
    need(await datasets.describe(actor.tenantId, name));
    await recordRead(actor, services, { type: "originals.read", ownerId: `dataset/${name}`, subject: {} });
    return readNumberedPage(page, async (after, most) =>
      need(await datasets.items(actor.tenantId, name, version, after, most)),
    );
  },
});

export const labelItem = act("labelItem", {
  role: "operator",
  route: {
    method: "put",
    path: "/v1/datasets/{name}/items/{itemId}/label",
    tag,
    summary: "Say what should come of an item (operators)",
    description: "Makes a version of the dataset, unless it said so before.",
    body: "label",
    answer: "The item",
  },
  input: () => z.object({ ...itemInput(), label: z.strictObject({ expected: expectedSchema() }) }),
  output: () => itemSchema(),
  run: async (actor, { name, itemId, label }, services) =>
    need(
      await (await services.datasets()).labelItem(
        { tenantId: actor.tenantId, name, itemId },
        label.expected,
        authorOf(actor),
        commandOf(actor),
      ),
    ),
});

export const eraseItem = act("eraseItem", {
  role: "operator",
  route: {
    method: "delete",
    path: "/v1/datasets/{name}/items/{itemId}",
    tag,
    summary: "Erase an item from every version, and its results (operators)",
    answer: "It is gone",
  },
  input: () => z.object(itemInput()),
  run: async (actor, path, services) => {
    need(await (await services.datasets()).eraseItem({ ...path, tenantId: actor.tenantId }, commandOf(actor)));
  },
});

/** Lines of a body that isn't JSON as a whole. */
export function linesOf(text: string | undefined): string {
  if (text !== undefined && text.trim() !== "") return text;
  throw problem("invalid", 'The body has no lines. Send one item a line, such as {"input": "Hello."}.', {
    errors: [{ path: "body", message: "has no lines" }],
  });
}
