/** The deployment itself: look, plan, ask once, and do each step of the plan, in an order in which any of them may be the last. */
import { join } from "node:path";
import type { Account, AccountState } from "./account.js";
import { consent } from "./consent.js";
import { ensureFirstTenant, inviteFirstPerson, noteShown, sendFirstMessage, waitForHealth } from "./first-tenant.js";
import { openAccount } from "./open-account.js";
import { type Options, Refusal, readPlacement } from "./options.js";
import {
  addressOf,
  databaseJurisdictions,
  domainOf,
  movedTenants,
  openQuestions,
  planDeployment,
  renderPlan,
  type Step,
  secretsToSend,
  type Wanted,
} from "./plan.js";
import { type Ports, runWrangler } from "./ports.js";
import { generateSecrets, readSecrets, withSecretsIn } from "./secrets-file.js";
import type { Target } from "./target.js";

/**
 * Deploys a target, or says what that would be.
 * @throws {Refusal} when it can't go on; what is done stays, and the next run goes on from there
 */
export async function deploy(target: Target, options: Options, now: number, ports: Ports): Promise<void> {
  const account = await openAccount(ports);
  const state = await account.look(target);
  const read = wantedOf(state, target, options, ports);
  if (options.dryRun) {
    ports.print(`What would be done for ${target.environment}:\n\n${renderPlan(planDeployment(state, read.wanted))}\n`);
    for (const question of openQuestions(state, read.wanted)) ports.print(`Asked before: ${questions[question].asked}`);
    return ports.print("Nothing was sent: this was a dry run.");
  }
  // What can't work is refused before anybody is asked.
  planDeployment(state, read.wanted);
  const wanted = await answerQuestions(state, read.wanted, options, ports);
  const plan = planDeployment(state, wanted);
  const email = options.email ?? (await askForPerson(plan, options, ports));
  ports.print(`For ${target.environment}:\n\n${renderPlan(plan)}\n`);
  await consent(options, ports);
  await makeResources(account, plan, wanted);
  const secrets = { ...read.values, ...(wanted.secrets.isNew && makeSecretsFile(wanted, ports)) };
  await migrate(target, account.id, ports);
  await upload({ account, state, wanted }, secrets, ports);
  const address = addressOf(state, wanted);
  ports.print(`Waiting for ${address}/health …`);
  await waitForHealth(address, target.version, ports);
  await welcome({ address, adminSecret: secrets.ADMIN_SECRET, wanted, email }, now, ports);
}

function wantedOf(state: AccountState, target: Target, options: Options, ports: Ports) {
  const { file, isGiven, values } = readSecrets(target.environment, options.secretsFile, ports.folder);
  const lacking = target.secrets.filter((name) => !state.worker?.secrets.includes(name));
  const isNew = !isGiven && Object.keys(values).length === 0 && lacking.length > 0;
  const secrets = { file, isGiven, isNew, names: isNew ? lacking : Object.keys(values) };
  return { wanted: { target, options, secrets } satisfies Wanted, values };
}

const questions = {
  placement: {
    asked:
      "where the database lies, for good: eu, us or fedramp bind it; weur, eeur, enam, wnam, apac or oc advise; auto is near you",
    argument: "--jurisdiction eu, --location weur or --location auto",
  },
  subdomain: {
    asked: "the account's name below workers.dev, which it has none of yet",
    argument: "--subdomain <name>, or --domain <host name> for a domain of your own",
  },
} as const;

async function askFor(what: string, ports: Ports): Promise<string | undefined> {
  return (await ports.ask(`${what.charAt(0).toUpperCase()}${what.slice(1)}: `))?.trim();
}

async function answerQuestions(state: AccountState, wanted: Wanted, options: Options, ports: Ports): Promise<Wanted> {
  let answered = wanted;
  for (const question of openQuestions(state, wanted)) {
    const { asked, argument } = questions[question];
    const answer = options.yes ? undefined : await askFor(asked, ports);
    if (!answer) throw new Refusal(`it has to be said ${asked}. Give ${argument}.`);
    const value = question === "placement" ? { placement: readPlacement(answer) } : { subdomain: answer };
    answered = { ...answered, options: { ...answered.options, ...value } };
  }
  return answered;
}

/** Whom the first tenant's console is for; nobody has to be. */
async function askForPerson(plan: readonly Step[], { yes }: Options, ports: Ports): Promise<string | undefined> {
  const isFirst = plan.some(({ action, what }) => action === "create" && what === "tenant");
  return isFirst && !yes ? askFor("whose e-mail address signs in first (none: a key is printed)", ports) : undefined;
}

async function makeResources(account: Account, plan: readonly Step[], { options, target }: Wanted): Promise<void> {
  for (const { action, what, name } of plan) {
    if (action !== "create") continue;
    if (what === "queue") await account.createQueue(name);
    if (what === "bucket" && target.bucket !== undefined) await account.createBucket(target.bucket);
    if (what === "address" && options.subdomain !== undefined) await account.createSubdomain(options.subdomain);
    if (what === "database" && options.placement !== undefined) await account.createDatabase(name, options.placement);
  }
}

function makeSecretsFile({ secrets: { file, names } }: Wanted, ports: Ports): Record<string, string> {
  const values = generateSecrets(file, names);
  ports.print(`Made ${names.join(" and ")}, and kept them in ${file} (mode 600). Put a copy into a safe.`);
  return values;
}

interface Looked {
  readonly account: Account;
  readonly state: AccountState;
  readonly wanted: Wanted;
}

/** Of the secrets only what has to be sent; of the version its number, by which a rollback finds it. */
async function upload({ account, state, wanted }: Looked, values: Record<string, string>, ports: Ports): Promise<void> {
  const { target } = wanted;
  const domain = domainOf(state, wanted);
  const args = [
    ...["deploy", "--minify", "--env", target.environment, "--tag", target.tag],
    ...(domain === undefined ? [] : ["--domain", domain]),
    ...variableArgs(state, wanted),
  ];
  const sent = Object.fromEntries(secretsToSend(state, wanted).map((name) => [name, values[name] ?? ""]));
  if (Object.keys(sent).length === 0) return runWrangler(args, account.id, ports);
  const file = join(ports.folder, `.wrangler/sent-${target.environment}.json`);
  await withSecretsIn(file, sent, () => runWrangler([...args, "--secrets-file", file], account.id, ports));
}

/** Every database, before code comes that reads what they make. */
export async function migrate({ databases, environment }: Target, accountId: string, ports: Ports): Promise<void> {
  for (const name of databases)
    await runWrangler(["d1", "migrations", "apply", name, "--remote", "--env", environment], accountId, ports);
}

/** What tells the Worker where its databases lie, and which tenants have gone to another. */
export function variableArgs(state: AccountState, { options }: Wanted): string[] {
  const laws = databaseJurisdictions(state, options.placement);
  const moved = movedTenants(state);
  return [
    ...(laws === "" ? [] : ["--var", `DATABASE_JURISDICTIONS:${laws}`]),
    ...(moved === "" ? [] : ["--var", `MOVED_TENANTS:${moved}`]),
  ];
}

interface Welcomed {
  readonly address: string;
  readonly adminSecret: string | undefined;
  readonly wanted: Wanted;
  readonly email: string | undefined;
}

async function welcome({ address, adminSecret, wanted, email }: Welcomed, now: number, ports: Ports): Promise<void> {
  const { target, options, secrets } = wanted;
  if (adminSecret === undefined) {
    return ports.print(
      `\n${address} runs version ${target.version}. Tenants were left alone: no ADMIN_SECRET is known here (${secrets.file}).`,
    );
  }
  const deployed = { address, adminSecret, name: options.tenant, environment: target.environment };
  const tenant = await ensureFirstTenant(deployed, now, ports);
  if (tenant === undefined) {
    return ports.print(`\n${address} runs version ${target.version}. Its tenants were left as they are.`);
  }
  const { shown, answer } = await sendFirstMessage(address, tenant.key, ports);
  ports.print(`\nA message went through supervision. The model was shown: ${shown}\nIt answered: ${answer}`);
  ports.print(`\n${address} runs version ${target.version}.`);
  const link = email && (await inviteFirstPerson({ address, adminSecret, tenantId: tenant.tenantId, email }, ports));
  if (link) ports.print(`\nSign in, once and within three days:\n${link}`);
  else if (tenant.isShown) ports.print(`The key of tenant ${tenant.tenantId} is in ${tenant.file}.`);
  else ports.print(`\nThe key of tenant ${tenant.tenantId}, an admin's:\n${tenant.key}`);
  noteShown(tenant.file);
}
