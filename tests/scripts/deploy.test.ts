import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** Runs the script of `npm run deploy`, with no wrangler within reach: whatever it refuses, it refuses before. */
function deploy(...args: readonly string[]): { code: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/deploy.mjs", ...args], {
    encoding: "utf8",
    env: { ...process.env, PATH: "/nowhere" },
  });
  return { code: status, said: stdout + stderr };
}

describe("npm run deploy", () => {
  it.each([[], ["--dry-run"], ["--env"], ["--env="]])(
    "refuses without an environment, and says how to name one: %j",
    (...args) => {
      const { code, said } = deploy(...args.flat());
      expect(code).toBe(1);
      expect(said).toContain("Nothing was deployed");
      expect(said).toContain("npm run deploy -- --env production");
    },
  );

  it("refuses an environment that isn't there, and names those that are", () => {
    const { code, said } = deploy("--env", "prod");
    expect(code).toBe(1);
    expect(said).toContain("it has staging and production");
  });

  it("refuses one whose database isn't filled in, and says where", () => {
    const { code, said } = deploy("--env=production");
    expect(code).toBe(1);
    expect(said).toContain("put the id of the database into wrangler.toml");
  });
});

describe("wrangler.toml", () => {
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
