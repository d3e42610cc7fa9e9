/**
 * The exchange of SEALING_SECRET, step by step. Where it is, is read of /health and of the file of secrets, so that it can be stopped
 * anywhere and run again.
 */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { sealingKeyId } from "../../src/platform/secrets.js";
import { Refusal } from "./options.js";
import type { Ports } from "./ports.js";
import { writePrivately } from "./private-file.js";
import { readSecrets, withSecretsIn } from "./secrets-file.js";

export interface Rotation {
  /** An environment of wrangler.toml, or `local`. */
  readonly environment: string;
  /** Without a slash at its end. */
  readonly address: string;
  readonly secretsFile?: string | undefined;
  /** The old secret goes as soon as nothing needs it, and not a day later. */
  readonly now: boolean;
}

const healthSchema = z.object({
  sealing: z
    .object({
      key: z.string(),
      otherKey: z.string(),
      reseal: z.object({ status: z.string(), otherKeyUntil: z.iso.datetime() }).optional(),
    })
    .optional(),
});
const resealingSchema = z.object({ status: z.string(), resealed: z.int(), unopened: z.int() });

/** How often /health has to say the same, one time after another, and how long is waited between, in milliseconds. */
const agreeing = 10;
const lookMs = 1_000;
/** Looks until it is given up. */
const mostLooks = 300;

const next = "SEALING_SECRET_NEXT";
const previous = "SEALING_SECRET_PREVIOUS";

/**
 * Does what is next until nothing is, or something has to be waited for.
 * @param at now, in milliseconds since the epoch
 * @returns whether the exchange is over
 * @throws {Refusal} where the file and the deployment don't fit, or something failed: run it again then
 */
export async function rotate(rotation: Rotation, at: number, ports: Ports): Promise<boolean> {
  const file = new SecretsFile(rotation, ports);
  const deployment = new Deployment(rotation, file, ports);
  const { SEALING_SECRET: current, ...others } = file.values();
  if (current === undefined)
    throw new Refusal(`${file.path} has no SEALING_SECRET: name the file that has (--secrets-file).`);
  if (file.values()["ADMIN_SECRET"] === undefined)
    throw new Refusal(`${file.path} has no ADMIN_SECRET, which seals anew.`);
  if (others[previous] === undefined) {
    if (!(await begin(current, others[next], file, deployment, rotation))) return false;
  } else if ((await deployment.sealing()) === undefined && !rotation.environment.startsWith("local")) {
    // The old secret was taken away, and the file was not told.
    file.keep({ [previous]: undefined });
    ports.print("The exchange is over.");
    return true;
  }
  return end(at, file, deployment, rotation, ports);
}

/** Makes the next secret known everywhere, and then the one in force. @returns whether the deployment has it */
async function begin(
  current: string,
  known: string | undefined,
  file: SecretsFile,
  deployment: Deployment,
  { environment }: Rotation,
): Promise<boolean> {
  const fresh = known ?? randomBytes(32).toString("base64url");
  const said = await deployment.sealing();
  const keys = [await sealingKeyId(current), await sealingKeyId(fresh)];
  if (said?.otherKey !== undefined && !(said.key === keys[0] && said.otherKey === keys[1])) {
    throw new Refusal(
      "Another exchange is under way there: use the file of secrets that has it, or look at --address.",
    );
  }
  if (environment === "local") {
    file.keep({ SEALING_SECRET: fresh, [previous]: current });
    deployment.print(`Made a new SEALING_SECRET in ${file.path}. Start \`npm start\` anew, then run this again.`);
    return false;
  }
  if (known === undefined) {
    file.keep({ [next]: fresh });
    deployment.print(`Made the next secret and kept it in ${file.path} as ${next}. Put a copy into a safe.`);
  }
  await deployment.put({ [previous]: fresh });
  await deployment.says(current, fresh);
  file.keep({ SEALING_SECRET: fresh, [previous]: current, [next]: undefined });
  return true;
}

/** Exchanges the two, has everything sealed anew, and takes the old one away when its time has come. */
async function end(
  at: number,
  file: SecretsFile,
  deployment: Deployment,
  { environment, now }: Rotation,
  ports: Ports,
): Promise<boolean> {
  const { SEALING_SECRET: current = "", [previous]: old = "" } = file.values();
  const key = await sealingKeyId(current);
  if ((await deployment.sealing())?.key !== key) {
    if (environment === "local")
      throw new Refusal("the Worker doesn't know the new secret: start `npm start` anew first.");
    await deployment.put({ SEALING_SECRET: current, [previous]: old });
    await deployment.says(current, old);
  }
  await deployment.reseal();
  const until = (await deployment.sealing())?.reseal?.otherKeyUntil ?? "";
  if (!now && !(at >= Date.parse(until))) {
    ports.print(
      `Everything is sealed under the new secret. The old one counts until ${until}: run this again then, or now with --now.`,
    );
    return false;
  }
  if (environment === "local") {
    file.keep({ [previous]: undefined });
    ports.print("The exchange is over. The Worker forgets the old secret when `npm start` is started anew.");
    return true;
  }
  await deployment.remove();
  await deployment.says(current, undefined);
  file.keep({ [previous]: undefined });
  ports.print("The exchange is over: the old secret opens nothing any more.");
  return true;
}

/** The deployment, as its address and wrangler reach it. */
class Deployment {
  constructor(
    private readonly rotation: Rotation,
    private readonly file: SecretsFile,
    private readonly ports: Ports,
  ) {}

  print(line: string): void {
    this.ports.print(line);
  }

  async sealing(): Promise<z.infer<typeof healthSchema>["sealing"]> {
    const { address } = this.rotation;
    const answer = await this.ports.fetch(`${address}/health`).catch(() => undefined);
    if (answer === undefined) throw new Refusal(`${address}/health doesn't answer.`);
    return healthSchema.parse(await answer.json()).sealing;
  }

  /** Waits until each isolate that answers has these secrets. @throws {Refusal} when another secret than the file's is in force */
  async says(current: string, other: string | undefined): Promise<void> {
    const wanted = other === undefined ? undefined : `${await sealingKeyId(current)} ${await sealingKeyId(other)}`;
    let agreed = 0;
    for (let looks = 0; looks < mostLooks; looks++) {
      const said = await this.sealing();
      agreed = (said && `${said.key} ${said.otherKey}`) === wanted ? agreed + 1 : 0;
      if (agreed === agreeing) return;
      await this.ports.wait(lookMs);
    }
    throw new Refusal(
      `${this.rotation.address}/health doesn't say that it has the secrets of ${this.file.path}. If they are another deployment's, take ${previous} away again: wrangler secret delete ${previous} --env ${this.rotation.environment}`,
    );
  }

  /** All of them in one change. */
  async put(values: Readonly<Record<string, string>>): Promise<void> {
    const { environment } = this.rotation;
    const file = join(this.ports.folder, `.wrangler/rotation-${environment}.json`);
    await withSecretsIn(file, values, () => this.wrangler(["secret", "bulk", file, "--env", environment]));
  }

  async remove(): Promise<void> {
    await this.wrangler(["secret", "delete", previous, "--env", this.rotation.environment]);
  }

  /** Slice by slice, until everything was looked at. */
  async reseal(): Promise<void> {
    const { address } = this.rotation;
    for (;;) {
      const answer = await this.ports.fetch(`${address}/v1/admin/reseal`, {
        method: "POST",
        headers: { authorization: `Bearer ${this.file.values()["ADMIN_SECRET"] ?? ""}` },
      });
      if (!answer.ok) throw new Refusal(`POST /v1/admin/reseal: ${answer.status} ${await answer.text()}`);
      const { status, resealed, unopened } = resealingSchema.parse(await answer.json());
      this.print(
        `sealed anew: ${resealed}${unopened > 0 ? `; ${unopened} that no secret opens have to be stored again` : ""}`,
      );
      if (status === "finished") return;
    }
  }

  private async wrangler(args: readonly string[]): Promise<void> {
    this.print(`wrangler ${args.slice(0, 2).join(" ")} …`);
    const { status, output } = await this.ports.wrangler(args);
    if (status !== 0)
      throw new Refusal(`wrangler ${args.slice(0, 2).join(" ")} failed:\n${output.trim()}\nRun this again.`);
  }
}

/** The file that keeps the secrets, of mode 600. */
class SecretsFile {
  readonly path: string;

  constructor({ environment, secretsFile }: Rotation, ports: Ports) {
    const local = environment === "local" ? join(ports.folder, ".dev.vars") : undefined;
    this.path = readSecrets(environment, secretsFile ?? local, ports.folder).file;
  }

  values(): Readonly<Record<string, string | undefined>> {
    return existsSync(this.path) ? readSecrets("", this.path, "").values : {};
  }

  /** Changes these lines and no other; what is undefined goes. The file is whole at any time. */
  keep(values: Readonly<Record<string, string | undefined>>): void {
    const text = readFileSync(this.path, "utf8");
    if (text.trimStart().startsWith("{")) throw new Refusal(`${this.path} is JSON: write it as lines NAME=value.`);
    const lines = text.split("\n").filter((line) => !Object.keys(values).includes(line.split("=")[0]?.trim() ?? ""));
    const kept = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
    writePrivately(this.path, `${[...lines.filter((line) => line !== ""), ...kept].join("\n")}\n`);
  }
}
