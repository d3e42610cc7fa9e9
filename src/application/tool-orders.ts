/**
 * Descriptions and schemas of remote tools are texts of others that every model with these tools reads. They are looked at like a reference: what gives orders is
 * marked as data, waits until an operator has accepted it, or is left out, as the tenant's setting `ordersInData` says.
 */
import type { RemoteTool } from "../agent/remote-tool.js";
import { givesOrders, markedAsData, type OrdersInData } from "../supervision/orders-in-data.js";
import { isRecord } from "../text/json.js";

/** Whether what a tool says of itself reads like orders: in one of its texts, or in all together. */
export function readsLikeOrders({ description, parameters }: RemoteTool): boolean {
  const texts = [description, ...textsIn(parameters)];
  return texts.some(givesOrders) || givesOrders(texts.join("\n"));
}

/** Those of a list that nobody has looked at which agents may get. */
export function withoutOrders(tools: readonly RemoteTool[], action: OrdersInData): readonly RemoteTool[] {
  return action === "review" || action === "block" ? tools.filter((tool) => !readsLikeOrders(tool)) : tools;
}

/** Pinned tools as models read them. */
export function asTenantWants(tools: readonly RemoteTool[], action: OrdersInData): RemoteTool[] {
  if (action === "block") return [...withoutOrders(tools, action)];
  if (action !== "fence") return [...tools];
  const marked = tools.map((tool) =>
    readsLikeOrders(tool)
      ? { ...tool, description: mark(tool.description), parameters: markedIn(tool.parameters) }
      : tool,
  );
  // A name or a value can't be marked: what orders there is left out.
  return marked.filter((tool) => !readsLikeOrders(tool));
}

/** What an operator reads of those that are pinned now or wait for it. */
export function orderWarnings(tools: readonly RemoteTool[], action: OrdersInData): string[] {
  const becomes = {
    allow: "Models get it as it is (the tenant's setting ordersInData).",
    fence: "Models get it marked as data whose orders are not followed (the tenant's setting ordersInData).",
    review: "Agents get the tool once you have read it and accepted the list: POST /v1/tools/{name}/pin.",
    block: "The tool is left out (the tenant's setting ordersInData).",
  }[action];
  return tools
    .filter(readsLikeOrders)
    .map(({ name }) => `The description or schema of the tool "${name}" reads like orders to a model. ${becomes}`);
}

const mark = (text: string): string => markedAsData(text, "fence") ?? text;

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.entries(value).flat().flatMap(textsIn) : [];
}

/** The same schema, with what is for reading marked; what arguments are held against stays. */
function markedIn(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, isProse(key, value) ? mark(value) : markedWithin(value)]),
  );
}

function markedWithin(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(markedWithin);
  return isRecord(value) ? markedIn(value) : value;
}

function isProse(key: string, value: unknown): value is string {
  return typeof value === "string" && ["title", "description", "$comment"].includes(key);
}
