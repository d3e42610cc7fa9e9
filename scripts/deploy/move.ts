/** A tenant goes to another database: copied by the Worker, made known by a deployment, and taken away where it was. Again goes on. */
import { z } from "zod";
import { deploy } from "./deploy.js";
import { openAccount } from "./open-account.js";
import { type Options, Refusal } from "./options.js";
import { addressOf } from "./plan.js";
import type { Ports } from "./ports.js";
import { readSecrets } from "./secrets-file.js";
import type { Target } from "./target.js";

export interface Removal {
  readonly tenantId: string;
  /** The number of the database. */
  readonly to: number;
}

const answerSchema = z.object({
  status: z.enum(["copying", "copied", "settling", "removing", "moved"]),
  rows: z.int().optional(),
  retryAfterSeconds: z.int().optional(),
});
const refusalSchema = z.object({ detail: z.string() });

/** How often a version that was just deployed may not have answered yet, and what lies between. */
const mostAsked = 20;
const askedAgainMs = 3_000;

/** @throws {Refusal} when it can't go on; run again it goes on there */
export async function moveTenant(removal: Removal, target: Target, options: Options, ports: Ports): Promise<void> {
  const { values, file } = readSecrets(target.environment, options.secretsFile, ports.folder);
  const secret = values["ADMIN_SECRET"];
  if (secret === undefined) throw new Refusal(`ADMIN_SECRET isn't known here: ${file} has to have it.`);
  const state = await (await openAccount(ports)).look(target);
  const wanted = { target, options, secrets: { file, isGiven: false, isNew: false, names: [] } };
  const url = `${addressOf(state, wanted)}/v1/admin/tenants/${encodeURIComponent(removal.tenantId)}/move`;
  if (options.dryRun) return ports.print(`It would be copied by ${url}, and deployed. Nothing was sent.`);
  let isDeployed = false;
  let asked = 0;
  for (;;) {
    const { status, rows = 0, retryAfterSeconds = 0 } = await step({ url, secret, to: removal.to }, ports);
    if (status === "moved") return ports.print(`${removal.tenantId} lives in database ${removal.to}.`);
    ports.print(status === "copied" ? `${status}: ${rows} rows.` : `${status} … ${rows > 0 ? `${rows} rows` : ""}`);
    if (status === "copied" && !isDeployed) {
      await deploy(target, options, Date.now(), ports);
      isDeployed = true;
    } else if (status === "copied") {
      if (++asked > mostAsked) throw new Refusal("the version that was deployed doesn't know of it. Run it again.");
      await ports.wait(askedAgainMs);
    }
    await ports.wait(retryAfterSeconds * 1_000);
  }
}

async function step({ url, secret, to }: { url: string; secret: string; to: number }, ports: Ports) {
  const response = await ports.fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ to }),
    signal: AbortSignal.timeout(120_000),
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answerSchema.parse(body);
  const { data } = refusalSchema.safeParse(body);
  throw new Refusal(`the Worker refused it (${response.status}): ${data?.detail ?? "it gave no reason"}`);
}
