// What the examples need of the API: store a team with its tools, run it, answer what it asks.
import { existsSync, readFileSync } from "node:fs";

/** What `npm start` left behind. */
const keyFile = ".wrangler/local-key.json";
const local: { key?: string; origin?: string } = existsSync(keyFile) ? JSON.parse(readFileSync(keyFile, "utf8")) : {};
const origin = process.env.CONCLAVE_URL ?? local.origin ?? "http://127.0.0.1:8787";
const key = process.env.CONCLAVE_KEY ?? local.key ?? "";
if (key === "") stop("There is no key.");

function stop(what: string): never {
  console.error(`${what} Start Conclave first (npm start), or set CONCLAVE_URL and CONCLAVE_KEY.`);
  process.exit(1);
}

/** A team, and the tools that it needs stored: bodies of `PUT /v1/teams/{name}` and, by name, of `PUT /v1/tools/{name}`. */
export interface Example {
  readonly name: string;
  readonly team: {
    readonly supervisor: Readonly<Record<string, unknown>>;
    readonly workers: readonly { readonly id: string; readonly description: string }[];
  };
  readonly tools?: Readonly<Record<string, object>>;
}

interface Run {
  readonly runId: string;
  readonly status: string;
  readonly decisions: readonly {
    readonly targetAgent?: string;
    readonly confidence: number;
    readonly reasoning: string;
  }[];
  readonly response?: string;
  readonly error?: { readonly detail: string };
  readonly asks: readonly { readonly askId: string; readonly question: string; readonly status: string }[];
}

export async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(origin + path, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => stop(`Nothing answers at ${origin}.`));
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

export async function store({ name, team, tools = {} }: Example): Promise<void> {
  for (const [tool, body] of Object.entries(tools)) await call("PUT", `/v1/tools/${tool}`, body);
  await call("PUT", `/v1/teams/${name}`, team);
}

/** Runs the team, answers its questions in their order, and prints what happened. */
export async function tell(system: Example, input: string, answers: readonly string[] = []): Promise<void> {
  console.log(`\n> ${input}`);
  let run = await call<Run>("POST", "/v1/runs", { team: system.name, input });
  for (const response of answers) {
    const ask = run.asks.find(({ status }) => status === "open");
    if (ask === undefined) break;
    console.log(`  asks: ${ask.question}\n  answer: ${response}`);
    await call("POST", `/v1/asks/${ask.askId}/answer`, { response });
    run = await call<Run>("GET", `/v1/runs/${run.runId}?waitMs=60000`);
  }
  for (const { targetAgent, confidence } of run.decisions) {
    console.log(`  routed to: ${targetAgent} (${Math.round(confidence * 100)} % sure)`);
  }
  console.log(`  ${run.status}: ${run.response ?? run.error?.detail ?? ""}`);
}
