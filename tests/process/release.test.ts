import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, readFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { expect, it } from "vitest";
import { runScript } from "./run-script.js";

it("a release is a row of the table, a number everywhere, a commit and a tag with its notes; twice it is refused", async () => {
  const copy = mkdtempSync(join(tmpdir(), "conclave-release-"));
  const git = (...args: readonly string[]) => execFileSync("git", ["-C", copy, ...args], { encoding: "utf8" }).trim();
  const left = ["node_modules", ".git", ".wrangler", "dist", "coverage"];
  cpSync(".", copy, { recursive: true, filter: (path) => !left.includes(basename(path)) });
  symlinkSync(resolve("node_modules"), join(copy, "node_modules"));
  git("init", "--quiet");
  appendFileSync(join(copy, ".git/info/exclude"), "node_modules\n");
  git("config", "user.name", "Test");
  git("config", "user.email", "test@example.com");
  git("add", "--all");
  git("commit", "--quiet", "--message", "All of it");
  const release = (...args: readonly string[]) =>
    runScript("sh", ["-c", `cd ${copy} && tsx scripts/release.ts ${args.join(" ")}`], {
      PATH: `${resolve("node_modules/.bin")}:${process.env.PATH}`,
    });

  expect((await release("0.99.0")).said).toContain("Not released: give a number and what callers have to do");
  const { code, said } = await release("99.0.0", "--callers", "nothing");
  expect(said).toContain("Made the commit and the tag v99.0.0");
  expect(code).toBe(0);
  expect(git("status", "--porcelain")).toBe("");
  expect(git("log", "-1", "--format=%s")).toBe("Release 99.0.0");
  expect(git("tag", "--list", "--format=%(contents)", "v99.0.0")).toContain("Conclave 99.0.0");
  const changelog = readFileSync(join(copy, "CHANGELOG.md"), "utf8");
  expect(changelog).toMatch(/^\| 99\.0\.0 \| \d{4}-\d\d-\d\d \| \d+ \| \d+ \| \d+ \| [\d.]+ \| nothing \|$/m);
  for (const file of ["package.json", "src/client/package.json", "src/conversation/version.ts"])
    expect(readFileSync(join(copy, file), "utf8")).toContain('"99.0.0"');

  expect((await release("99.0.0", "--callers", "nothing")).said).toContain("99.0.0 is not newer than 99.0.0");
});
