/**
 * Stores what models cost in a deployment, as `@pydantic/genai-prices` knows it.
 *
 *     npm run prices                                     prints the table
 *     ADMIN_SECRET=… npm run prices -- --url https://…   stores it, and says what changed
 *
 * `--as acme=mistral` (again for others) prices the models of the tenants' provider `acme` as those of Mistral; `--from 2026-12-01T00:00:00Z`
 * is when the table begins to hold; `--dry-run` stores nothing. Prices of other providers' models, which somebody has stored by hand, stay.
 * It ends with 1 where it can't. Models that were used in the last 30 days and have no price are named at the end.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import { defined } from "../src/conversation/defined.js";
import { type NewPriceTable, priceTableSchema } from "../src/model/prices.js";
import { canonicalJson } from "../src/text/json.js";
import { deploymentSources, pricesFrom } from "./prices/from-genai-prices.js";

const { values } = parseArgs({
  options: {
    url: { type: "string" },
    as: { type: "string", multiple: true, default: [] },
    from: { type: "string" },
    "dry-run": { type: "boolean", default: false },
  },
});
const dayMs = 86_400_000;
const readPrices = z.object({ version: z.int(), models: priceTableSchema().shape.models });
const readUsage = z.object({ items: z.array(z.object({ group: z.string(), modelCalls: z.number() })) });

const given = values.as.map((one) => one.split("="));
const sources = { ...deploymentSources, ...Object.fromEntries(given) };
if (given.some((pair) => pair.length !== 2)) fail("--as takes a provider of tenants and one of the list: acme=mistral");

if (values.url === undefined) {
  console.log(JSON.stringify(tableOf(pricesFrom(sources, [], new Date())), undefined, 2));
} else {
  await store(values.url);
}

async function store(url: string): Promise<void> {
  const before = await call(url, "GET", "/v1/admin/prices");
  const known = before.status === 404 ? undefined : readPrices.parse(await answerOf(before));
  const since = new Date(Date.now() - 30 * dayMs).toISOString();
  const usage = await call(url, "GET", `/v1/admin/usage?groupBy=model&from=${since}`);
  const used = readUsage.parse(await answerOf(usage)).items.map(({ group }) => group);
  const kept = Object.entries(known?.models ?? {}).filter(
    ([name]) => !Object.hasOwn(sources, name.split("/")[0] ?? ""),
  );
  const models = { ...Object.fromEntries(kept), ...pricesFrom(sources, used, new Date()) };
  for (const line of differences(known?.models ?? {}, models)) console.log(line);
  if (values["dry-run"]) {
    console.log("Nothing was stored.");
  } else {
    const stored = await call(url, "PUT", "/v1/admin/prices", tableOf(models));
    const { version } = readPrices.parse(await answerOf(stored));
    console.log(
      `${stored.status === 201 ? "Stored" : "Nothing to store: it is the same"} as version ${version}, ${Object.keys(models).length} models.`,
    );
  }
  const missing = used.filter((name) => name !== "" && name !== "offline" && !Object.hasOwn(models, name));
  if (missing.length > 0) console.log(`Used in the last 30 days, and without a price: ${missing.join(", ")}`);
}

function tableOf(models: NewPriceTable["models"]): NewPriceTable {
  return priceTableSchema().parse({ currency: "USD", models, ...defined({ from: values.from }) });
}

function differences(before: NewPriceTable["models"], after: NewPriceTable["models"]): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) => {
    const [old, next] = [before[name], after[name]].map((prices) => prices && canonicalJson(prices));
    if (old === next) return [];
    if (next === undefined) return [`- ${name}`];
    return [old === undefined ? `+ ${name} ${next}` : `~ ${name} ${old} → ${next}`];
  });
}

async function call(url: string, method: string, path: string, body?: unknown): Promise<Response> {
  const { hostname } = new URL(url);
  if (hostname === "localhost" && process.env.ADMIN_SECRET === undefined && existsSync(".dev.vars"))
    process.loadEnvFile(".dev.vars");
  const secret = process.env.ADMIN_SECRET ?? fail("set ADMIN_SECRET to the deployment's secret");
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  return fetch(new URL(path, url), { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
}

async function answerOf(response: Response): Promise<unknown> {
  if (response.ok) return response.json();
  return fail(`${response.url} answered ${response.status}: ${await response.text()}`);
}

function fail(why: string): never {
  console.error(why);
  process.exit(1);
}
