import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readOptions } from "../../../scripts/deploy/options.js";
import { environmentsOf } from "../../../scripts/deploy/target.js";

const environments = environmentsOf(readFileSync("wrangler.toml", "utf8"));

describe("npm run deploy", () => {
  it("deploys nothing without an environment, and says so", () => {
    const env = { ...process.env, PATH: "/nowhere" };
    const args = ["--import", "tsx", "scripts/deploy.ts"];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", env });
    expect(status).toBe(1);
    expect(stderr).toContain("Not deployed: no environment is named. Say which");
  });

  it.each(["", "--dry-run", "--env", "--env="])("says how to name an environment: %j", (args) => {
    const read = () => readOptions(args.split(" ").filter(Boolean), environments);
    expect(read).toThrow("npm run deploy -- --env production");
  });

  it("refuses an environment that isn't there, and names those that are", () => {
    expect(() => readOptions(["--env", "prod"], environments)).toThrow("it has staging and production");
  });

  it.each([
    ["--env production --jurisdiction asia", "Jurisdictions: eu, us, fedramp"],
    ["--env production --location eu", "Locations: weur"],
    ["--env production --jurisdiction eu --location weur", "not both"],
    ["--env production --canary 0", "from 1 to 100"],
    ["--env production 0.1.0", "nothing that it takes"],
    ["--env production --force", "Unknown option '--force'"],
  ])("refuses what it can't follow: %s", (args, reason) => {
    expect(() => readOptions(args.split(" "), ["production"])).toThrow(reason);
  });
});

describe("wrangler.toml", () => {
  it("has no ids of anybody's databases: wrangler finds them by their names", () => {
    const deployed = readFileSync("wrangler.toml", "utf8").split("[env.staging]")[1];
    expect(deployed).not.toContain("database_id");
  });

  it("has every variable of the top level in each environment: wrangler warns of others at each deployment", () => {
    const config = readFileSync("wrangler.toml", "utf8");
    const variablesOf = (section: string): string[] => {
      const [, body = ""] = config.split(`[${section}]\n`);
      return [...(body.split("\n\n")[0] ?? "").matchAll(/^([A-Z_]+) =/gm)].map(([, name = ""]) => name);
    };
    expect(variablesOf("vars")).toContain("ENVIRONMENT");
    for (const environment of ["staging", "production"])
      expect(variablesOf(`env.${environment}.vars`)).toEqual(variablesOf("vars"));
  });
});
