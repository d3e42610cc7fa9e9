/** What a deployment does: decided from what the account has and what is wanted, without asking anybody. */
import type { AccountState } from "./account.js";
import { type Options, type Placement, Refusal } from "./options.js";
import { compareVersions } from "./releases.js";
import type { Target } from "./target.js";

export interface Step {
  readonly action: "create" | "keep" | "change";
  readonly what:
    | "address"
    | "queue"
    | "bucket"
    | "database"
    | "migrations"
    | "secrets"
    | "worker"
    | "domain"
    | "tenant";
  readonly name: string;
  readonly detail?: string;
  /** What Cloudflare bills for it, beyond what the plan includes. */
  readonly cost?: string;
}

export interface Wanted {
  readonly target: Target;
  readonly options: Pick<Options, "domain" | "subdomain" | "placement" | "address" | "tenant">;
  readonly secrets: {
    readonly file: string;
    /** Of those that the file has, or will have when it is made. */
    readonly names: readonly string[];
    /** Whether the caller has named the file. */
    readonly isGiven: boolean;
    /** Whether the file is still to be made. */
    readonly isNew: boolean;
  };
}

/** What has to be known and can't be guessed: it is asked, or the argument named. */
export type Question = "placement" | "subdomain";

/**
 * @returns the questions that are open before anything can be made
 * @example openQuestions({ databases: [undefined], queues: [], subdomain: "acme" }, { … }) // ["placement"]: there is no database yet
 */
export function openQuestions(state: AccountState, wanted: Wanted): Question[] {
  const { placement, subdomain } = wanted.options;
  return [
    ...(state.databases.includes(undefined) && placement === undefined ? (["placement"] as const) : []),
    ...(state.subdomain === undefined && subdomain === undefined && domainOf(state, wanted) === undefined
      ? (["subdomain"] as const)
      : []),
  ];
}

/**
 * In the order in which it is done. What is there is kept, so that a deployment that was stopped anywhere goes on when it is run again.
 * @throws {Refusal} where what is there can't become what is wanted
 */
export function planDeployment(state: AccountState, wanted: Wanted): Step[] {
  const { target, options } = wanted;
  demandNotOlder(state, target);
  return [
    ...addressSteps(state, wanted),
    ...target.queues.map(
      (name): Step =>
        state.queues.includes(name)
          ? { action: "keep", what: "queue", name }
          : { action: "create", what: "queue", name, cost: "$0.40 a million operations" },
    ),
    ...bucketSteps(state, wanted),
    ...target.databases.map((_, number) => databaseStep(state, wanted, number)),
    ...target.databases.map((_, number) => migrationsStep(state, target, number)),
    secretsStep(state, wanted),
    {
      action: state.worker === undefined ? "create" : "change",
      what: "worker",
      name: target.worker,
      detail: `version ${target.tag}${runningVersion(state)}`,
      ...(state.worker === undefined && { cost: "the paid plan of Workers, $5 a month, then by use" }),
    },
    tenantsOf(state) > 0
      ? { action: "keep", what: "tenant", name: `${tenantsOf(state)} there` }
      : { action: "create", what: "tenant", name: options.tenant, detail: "with a key, guardrails and an agent" },
  ];
}

/** The custom domain that is wanted, or that an earlier deployment has made. */
export function domainOf(state: AccountState, { target, options }: Wanted): string | undefined {
  return options.domain ?? state.domains.find(({ service }) => service === target.worker)?.hostname;
}

/** Where the deployment is reached. */
export function addressOf(state: AccountState, wanted: Wanted): string {
  const { address, subdomain } = wanted.options;
  if (address !== undefined) return address;
  const domain = domainOf(state, wanted);
  return `https://${domain ?? `${wanted.target.worker}.${state.subdomain ?? subdomain}.workers.dev`}`;
}

function addressSteps(state: AccountState, wanted: Wanted): Step[] {
  const { target, options } = wanted;
  const domain = domainOf(state, wanted);
  if (domain !== undefined) {
    const leadsTo = state.domains.find(({ hostname }) => hostname === domain)?.service;
    if (leadsTo !== undefined && leadsTo !== target.worker) {
      throw new Refusal(
        `${domain} leads to the Worker "${leadsTo}". Take it away there first, or deploy to another domain.`,
      );
    }
    return [{ action: leadsTo === undefined ? "create" : "keep", what: "domain", name: domain }];
  }
  const name = state.subdomain ?? options.subdomain;
  return [
    {
      action: state.subdomain === undefined ? "create" : "keep",
      what: "address",
      name: `${name ?? "<asked>"}.workers.dev`,
    },
  ];
}

/** @throws {Refusal} where it can't be made, can't be found any more, or would lie under another law than the database that it takes rows of */
function bucketSteps(state: AccountState, { target, options: { placement } }: Wanted): Step[] {
  const { bucket, environment } = target;
  if (bucket === undefined) return [];
  const { name, jurisdiction } = bucket;
  const section = `[[env.${environment}.r2_buckets]] of wrangler.toml`;
  const [first] = state.databases;
  const made = placement !== undefined && "jurisdiction" in placement ? placement.jurisdiction : undefined;
  const law = first === undefined ? made : first.jurisdiction;
  if (law !== jurisdiction && (first !== undefined || placement !== undefined)) {
    const line = law === undefined ? "leave jurisdiction away" : `write jurisdiction = "${law}"`;
    throw new Refusal(`the bucket ${name} has to lie where the database does: ${line} in ${section}.`);
  }
  if (state.bucket === "refused") {
    throw new Refusal(
      `this account has no R2 yet: enable it in Cloudflare's dashboard (10 GB cost nothing), or take ${section} out. Then the audit's old rows stay in the database.`,
    );
  }
  if (state.bucket === "gone") {
    throw new Refusal(
      `the bucket ${name} isn't there any more, and what runs keeps old rows of the audit in it. Bring it back, or name the right one in ${section}.`,
    );
  }
  const where = jurisdiction === undefined ? {} : { detail: `bound to ${jurisdiction}` };
  const isThere = state.bucket === "there";
  return [
    isThere
      ? { action: "keep", what: "bucket", name, ...where }
      : { action: "create", what: "bucket", name, ...where, cost: "$0.015 a GB and month beyond 10 GB" },
  ];
}

function tenantsOf({ databases }: AccountState): number {
  return databases.reduce((sum, database) => sum + (database?.tenants ?? 0), 0);
}

/**
 * The laws that databases lie under, as the Worker reads them: `0=eu,1=us`. A database that is made now lies where it is wanted.
 * @example databaseJurisdictions({ databases: [{ jurisdiction: "eu", … }, undefined], … }, { jurisdiction: "us" }) // "0=eu,1=us"
 */
export function databaseJurisdictions(
  { databases }: Pick<AccountState, "databases">,
  placement: Placement | undefined,
): string {
  const made = placement !== undefined && "jurisdiction" in placement ? placement.jurisdiction : undefined;
  return databases
    .flatMap((database, number) => {
      const law = database === undefined ? made : database.jurisdiction;
      return law === undefined ? [] : [`${number}=${law}`];
    })
    .join(",");
}

/**
 * What the Worker is told of tenants that live elsewhere than their ids say; the last of a tenant's moves counts.
 * @example movedTenants({ databases: [{ moves: [{ tenant_id: "ten_01k", to_database: 1, at: 5 }], … }, …] }) // "ten_01k=1"
 */
export function movedTenants({ databases }: Pick<AccountState, "databases">): string {
  const moves = databases.flatMap((database) => database?.moves ?? []).toSorted((a, b) => a.at - b.at);
  const homes = new Map(moves.map(({ tenant_id, to_database }) => [tenant_id, to_database]));
  return [...homes].map(([id, home]) => `${id}=${home}`).join(",");
}

function databaseStep({ databases }: AccountState, { target, options: { placement } }: Wanted, number: number): Step {
  const database = databases[number];
  const name = target.databases[number] ?? "";
  if (database === undefined) {
    return {
      action: "create",
      what: "database",
      name,
      detail: `${placement === undefined ? "where: asked" : placementText(placement)}; this can't be changed later`,
      cost: "$0.75 a GB and month beyond 5 GB, rows by use",
    };
  }
  // What is said of a place is said of those that are made.
  const isSaidOfOthers = databases.includes(undefined);
  if (
    !isSaidOfOthers &&
    placement !== undefined &&
    "jurisdiction" in placement &&
    placement.jurisdiction !== database.jurisdiction
  ) {
    throw new Refusal(
      `the database ${name} lies in ${database.jurisdiction === undefined ? "no jurisdiction" : `the jurisdiction ${database.jurisdiction}`} and can't move to ${placement.jurisdiction}. Leave --jurisdiction away, or deploy an environment of another name.`,
    );
  }
  return { action: "keep", what: "database", name, ...(database.jurisdiction && { detail: database.jurisdiction }) };
}

function placementText(placement: Placement): string {
  if ("jurisdiction" in placement) return `bound to ${placement.jurisdiction}`;
  return placement.location === "auto" ? "near you" : `near ${placement.location}`;
}

function migrationsStep({ databases }: AccountState, { migrations, databases: names }: Target, number: number): Step {
  const database = databases[number];
  const name = names[number] ?? "";
  const missing = migrations.filter((file) => !database?.migrations.includes(file));
  return missing.length === 0
    ? { action: "keep", what: "migrations", name, detail: `all ${migrations.length}` }
    : {
        action: "change",
        what: "migrations",
        name,
        detail: `${missing.length} of ${migrations.length}, before the upload`,
      };
}

/**
 * Secrets that the Worker has are left alone, unless a file was named: what they read can't be compared, and what was sealed under
 * another `SEALING_SECRET` can't be read.
 */
export function secretsToSend(state: AccountState, { target, secrets }: Wanted): string[] {
  const there = state.worker?.secrets ?? [];
  const absent = target.secrets.filter((name) => !there.includes(name) && !secrets.names.includes(name));
  if (absent.length > 0) {
    throw new Refusal(`${secrets.file} has no ${absent.join(" and no ")}, nor has the Worker. Add what is missing.`);
  }
  if (secrets.isNew && tenantsOf(state) > 0 && !there.includes("SEALING_SECRET")) {
    throw new Refusal(
      "the database has tenants, and the Worker that knew the SEALING_SECRET of what they sealed is gone. Give the file that has it: --secrets-file <file>.",
    );
  }
  // The exchange of the sealing secret (`rotation.ts`) brings what it needs itself; a Worker that is made anew needs both that count.
  const isDue = (name: string): boolean =>
    name !== "SEALING_SECRET_NEXT" &&
    (name !== "SEALING_SECRET_PREVIOUS" || secrets.isGiven || !there.includes("SEALING_SECRET"));
  return secrets.names.filter((name) => isDue(name) && (secrets.isGiven || !there.includes(name)));
}

function secretsStep(state: AccountState, wanted: Wanted): Step {
  const sent = secretsToSend(state, wanted);
  const { file } = wanted.secrets;
  if (sent.length === 0) return { action: "keep", what: "secrets", name: wanted.target.secrets.join(", ") };
  const there = state.worker?.secrets ?? [];
  const isSealing = sent.includes("SEALING_SECRET") && there.includes("SEALING_SECRET");
  const from = `from ${file}${isSealing ? "; what was sealed under another SEALING_SECRET can't be read then" : ""}`;
  return {
    action: sent.some((name) => there.includes(name)) ? "change" : "create",
    what: "secrets",
    name: sent.join(", "),
    detail: wanted.secrets.isNew ? `generated into ${file}, which only you can read` : from,
  };
}

function runningTags({ worker }: AccountState): string[] {
  return worker?.deployments[0]?.versions.flatMap(({ tag }) => tag ?? []) ?? [];
}

function runningVersion(state: AccountState): string {
  const running = runningTags(state);
  return running.length === 0 ? "" : `, in place of ${running.join(" and ")}`;
}

/** What a newer version has stored an older one may not read: that is what a rollback looks at. */
function demandNotOlder(state: AccountState, { tag, environment }: Target): void {
  const newer = runningTags(state).find((running) => compareVersions(running, tag) > 0);
  if (newer === undefined) return;
  throw new Refusal(
    `${environment} runs ${newer}, which is newer than ${tag}. To go back: npm run deploy -- --env ${environment} --rollback, from a checkout of ${newer}.`,
  );
}

/** @returns a line a step, for a person */
export function renderPlan(steps: readonly Step[]): string {
  const width = Math.max(...steps.map(({ name }) => name.length));
  return steps
    .map(({ action, what, name, detail, cost }) =>
      `  ${action.padEnd(6)}  ${what.padEnd(10)}  ${name.padEnd(width)}  ${[detail, cost && `(${cost})`].filter(Boolean).join(" ")}`.trimEnd(),
    )
    .join("\n");
}
