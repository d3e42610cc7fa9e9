/** A part of the requests for a new version, and the way back: of what is deployed only the shares of versions change. */
import type { Account, AccountState } from "./account.js";
import { consent } from "./consent.js";
import { migrate, variableArgs } from "./deploy.js";
import { waitForHealth } from "./first-tenant.js";
import { openAccount } from "./open-account.js";
import { type Options, Refusal } from "./options.js";
import { addressOf, movedTenants, planDeployment, type Wanted } from "./plan.js";
import { type Ports, runWrangler } from "./ports.js";
import type { Release } from "./releases.js";
import { bindingOf, type Target } from "./target.js";
import { decideCanary, decideRollback, type Split, splitBetween } from "./versions.js";

/**
 * Gives the version of this checkout a share of the requests. The first time it is uploaded, after its migrations; then only the share
 * moves. An object keeps to one version, so that a session isn't answered by two in turns.
 */
export async function deployCanary(
  target: Target,
  options: Options,
  releases: readonly Release[],
  ports: Ports,
): Promise<void> {
  const account = await openAccount(ports);
  const state = await account.look(target);
  if (state.worker === undefined) throw new Refusal("nothing is deployed yet: deploy once without --canary.");
  const share = options.canary ?? 100;
  const { deployments } = state.worker;
  const wanted = { target, options, secrets: { file: "", names: [], isGiven: false, isNew: false } };
  demandWhole(planDeployment(state, wanted));
  const decided = decideCanary(deployments, { tag: target.tag, share, objects: target.objects }, releases);
  const [before] = deployments[0]?.versions.filter(({ tag }) => tag !== target.tag) ?? [];
  if (before === undefined) return;
  ports.print(
    decided?.meaning ?? `${target.tag} is uploaded, after its migrations, and gets ${share} % of the requests.`,
  );
  if (options.dryRun) return ports.print("Nothing was sent: this was a dry run.");
  await consent(options, ports);
  const split =
    decided ?? splitBetween(before, { id: await upload(account, { state, wanted }, ports), tag: target.tag }, share);
  await account.deployVersions(target.worker, split.versions, split.meaning);
  await waitForVersion(split, { address: addressOf(state, wanted), version: target.version, target }, ports);
  ports.print(
    share === 100
      ? `${target.version} has all requests.`
      : `More: npm run deploy -- --env ${target.environment} --canary 100. Back: --rollback.`,
  );
}

/** @throws {Refusal} where something has to be made first */
function demandWhole(plan: ReturnType<typeof planDeployment>): void {
  const made = plan.filter(({ action, what }) => action === "create" && what !== "tenant");
  if (made.length > 0) {
    throw new Refusal(
      `a part of the requests needs a whole deployment first: ${made.map(({ what, name }) => `${what} ${name}`).join(", ")} is to be made. Deploy without --canary.`,
    );
  }
}

interface Looked {
  readonly state: AccountState;
  readonly wanted: Wanted;
}

/** @returns the id of the version, which gets no requests yet */
async function upload(account: Account, { state, wanted }: Looked, ports: Ports): Promise<string> {
  const { environment, worker, tag } = wanted.target;
  await migrate(wanted.target, account.id, ports);
  const args = ["versions", "upload", "--minify", "--env", environment, "--tag", tag];
  await runWrangler([...args, ...variableArgs(state, wanted)], account.id, ports);
  const uploaded = await account.newestVersion(worker);
  if (uploaded?.tag === tag) return uploaded.id;
  throw new Refusal(
    `somebody else has uploaded ${uploaded?.tag ?? "a version"} meanwhile. Look, then run the command again.`,
  );
}

/** Gives all requests to the version before, or to the one that was named. */
export async function rollBack(
  target: Target,
  options: Options,
  releases: readonly Release[],
  ports: Ports,
): Promise<void> {
  const account = await openAccount(ports);
  const state = await account.look(target);
  const split = decideRollback(state.worker?.deployments ?? [], releases, options.rollback?.to);
  await demandBound(account, { state, target }, split);
  ports.print(`${split.meaning}. The database and the objects stay as they are: it reads what was stored since.`);
  if (options.dryRun) return ports.print("Nothing was sent: this was a dry run.");
  await consent(options, ports);
  await account.deployVersions(target.worker, split.versions, split.meaning);
  const wanted: Wanted = { target, options, secrets: { file: "", names: [], isGiven: false, isNew: false } };
  await waitForVersion(split, { address: addressOf(state, wanted), version: split.tag, target }, ports);
  ports.print(`${split.tag} has all requests.`);
}

/** @throws {Refusal} where tenants live in a database that the version doesn't know */
async function demandBound(
  account: Account,
  { state, target }: { readonly state: AccountState; readonly target: Target },
  { versions }: Split,
): Promise<void> {
  const lived = state.databases.flatMap((database, number) => (number > 0 && database?.tenants ? [number] : []));
  const moved = movedTenants(state);
  if (lived.length === 0 && moved === "") return;
  for (const { id } of versions) {
    if ((await account.variableOf(target.worker, id, "MOVED_TENANTS")) !== moved)
      throw new Refusal(
        "tenants have moved to another database since that version was deployed: it would look for them where they were. Go back to one that was deployed behind the move.",
      );
    const bound = await account.databasesOf(target.worker, id);
    const lost = lived.find((number) => !bound.includes(bindingOf(number)));
    if (lost === undefined) continue;
    throw new Refusal(
      `${state.databases[lost]?.tenants} tenants live in ${target.databases[lost]}, which that version isn't bound to: it would know none of them. Go back to a version that was deployed after the database was added.`,
    );
  }
}

interface Awaited {
  readonly address: string;
  /** What its health says. */
  readonly version: string;
  readonly target: Target;
}

/** Asks the version itself, whatever its share: Cloudflare's header names it. */
async function waitForVersion({ versions }: Split, { address, version, target }: Awaited, ports: Ports): Promise<void> {
  const [first] = versions;
  const header = first && { "Cloudflare-Workers-Version-Overrides": `${target.worker}="${first.id}"` };
  ports.print(`Waiting for ${address}/health …`);
  await waitForHealth(address, version, ports, header);
}
