import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { notesOf, withRelease } from "../../../scripts/deploy/changelog.js";
import {
  compareVersions,
  nextRelease,
  type Release,
  readCodeFacts,
  readReleases,
  tagOf,
} from "../../../scripts/deploy/releases.js";
import { version } from "../../../src/conversation/version.js";
import { deployerTo, production } from "../../support/deployments.js";
import { FakeCloudflare } from "../../support/fake-cloudflare.js";

const objects = production.objects;
const release = (number: string, more: Partial<Release> = {}): Release => ({
  version: number,
  date: "2026-11-24",
  objects: [...objects],
  migrations: 30,
  steps: [],
  readableFrom: "0.2.0",
  callers: "nothing",
  ...more,
});

describe("a release", () => {
  const facts = {
    objects,
    migrations: 31,
    steps: [{ name: "kit" }, { name: "turns" }, { name: "moved turns", readableFrom: "0.3.0" }],
  };
  const said = { version: "0.4.0", date: "2026-12-01", callers: "nothing" };

  it("has the steps that no release before it had, and the oldest version that reads all of them", () => {
    const releases = [release("0.2.0", { steps: ["kit"] }), release("0.3.0", { steps: ["turns"] })];
    expect(nextRelease(facts, releases, said)).toMatchObject({ steps: ["moved turns"], readableFrom: "0.3.0" });
  });

  it("is read by the first release where it has only added, and the first one only by itself", () => {
    const added = { ...facts, steps: [{ name: "kit" }, { name: "more" }] };
    expect(nextRelease(added, [release("0.2.0", { steps: ["kit"] })], said).readableFrom).toBe("0.2.0");
    expect(nextRelease(added, [], said).readableFrom).toBe("0.4.0");
  });

  it("is read by no older one than its author says, whatever its steps are", () => {
    const releases = [release("0.2.0", { steps: ["kit", "turns"] })];
    expect(nextRelease(facts, releases, { ...said, readableFrom: "0.4.0" }).readableFrom).toBe("0.4.0");
    expect(nextRelease(facts, releases, { ...said, readableFrom: "0.2.0" }).readableFrom).toBe("0.3.0");
  });

  it("is told from what is deployed between releases", () => {
    const known = release("0.4.0", { migrations: 31, steps: ["kit", "turns", "moved turns"] });
    expect(tagOf("0.4.0", facts, [known])).toBe("0.4.0");
    expect(tagOf("0.4.0", { ...facts, steps: [...facts.steps, { name: "newer" }] }, [known])).toBe("0.4.0+next");
    expect(tagOf("0.4.0", { ...facts, migrations: 32 }, [known])).toBe("0.4.0+next");
    expect(["0.10.0", "0.4.0+next", "0.4.0", "0.5.0"].sort(compareVersions)).toEqual([
      "0.4.0",
      "0.4.0+next",
      "0.5.0",
      "0.10.0",
    ]);
  });

  it("is the schema of every object, kit and own", async () => {
    const { steps } = await readCodeFacts(production);
    expect(steps.map(({ name }) => name)).toEqual(expect.arrayContaining(["kit", "turns without a counter"]));
    const named = new Set(steps.map(({ name }) => name));
    expect(
      readReleases()
        .flatMap((one) => one.steps)
        .filter((name) => !named.has(name)),
    ).toEqual([]);
  });

  it("says one number everywhere", () => {
    for (const file of ["package.json", "src/client/package.json"])
      expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ version });
  });

  it("has as its notes what was written since the one before", () => {
    const changelog =
      "# Changelog\n\n## Releases\n\n| table |\n\n## A new thing\n\nText.\n\n## 0.1.0 (before)\n\nOld.\n";
    const released = withRelease(changelog, "0.2.0", "2026-12-01");
    expect(released).toContain("| table |\n\n## 0.2.0 (2026-12-01)\n\n## A new thing");
    expect(notesOf(released, "0.2.0")).toBe("## A new thing\n\nText.");
    expect(() => withRelease(released, "0.3.0", "2026-12-02")).toThrow("nothing that is new");
  });
});

describe("versions on an account", () => {
  const releases = [release("0.2.0"), release("0.3.0")];
  const targetOf = (number: string) => ({ ...production, version: number, tag: number });
  let fake: FakeCloudflare;
  const shares = () =>
    fake.deployments[0]?.versions.map(({ version_id: id, percentage }) => [
      fake.versions.find((one) => one.id === id)?.tag,
      percentage,
    ]);

  beforeEach(async () => {
    fake = new FakeCloudflare();
    fake.subdomain = "acme";
    await deployerTo(fake).run("--yes --location weur", targetOf("0.2.0"));
  });

  it("a canary is uploaded once, after its migrations; then only its share moves", async () => {
    const { run, printed } = deployerTo(fake);
    await run("--yes --canary 10", targetOf("0.3.0"), releases);
    expect(shares()).toEqual([
      ["0.3.0", 10],
      ["0.2.0", 90],
    ]);
    await run("--yes --canary 50", targetOf("0.3.0"), releases);
    expect(shares()).toEqual([
      ["0.3.0", 50],
      ["0.2.0", 50],
    ]);
    await run("--yes --canary 100", targetOf("0.3.0"), releases);
    expect(shares()).toEqual([["0.3.0", 100]]);
    expect(fake.versions).toHaveLength(2);
    expect(printed.at(-1)).toBe("0.3.0 has all requests.");
    await expect(run("--yes --canary 10", targetOf("0.3.0"), releases)).rejects.toThrow("has all requests already");
    expect(fake.unknown).toEqual([]);
  });

  it("a canary is asked about, and sends nothing as a dry run", async () => {
    fake.writes.length = 0;
    await deployerTo(fake).run("--canary 10 --dry-run", targetOf("0.3.0"), releases);
    await expect(deployerTo(fake, ["n"]).run("--canary 10", targetOf("0.3.0"), releases)).rejects.toThrow("agree");
    expect(fake.writes).toEqual([]);
  });

  it("a canary is refused across a change of the classes of objects, and where something is to be made", async () => {
    const other = [release("0.2.0", { objects: ["ChatSession"] }), release("0.3.0")];
    await expect(deployerTo(fake).run("--yes --canary 10", targetOf("0.3.0"), other)).rejects.toThrow("[exports]");
    fake.queues.splice(0, 1);
    await expect(deployerTo(fake).run("--yes --canary 10", targetOf("0.3.0"), releases)).rejects.toThrow(
      "whole deployment first: queue",
    );
    const empty = new FakeCloudflare();
    await expect(deployerTo(empty).run("--yes --canary 10", targetOf("0.3.0"), releases)).rejects.toThrow(
      "nothing is deployed yet",
    );
  });

  it("a canary that was stopped anywhere goes on", async () => {
    const begun = fake.calls.length;
    await deployerTo(fake).run("--yes --canary 10", targetOf("0.3.0"), releases);
    const calls = fake.calls.length - begun;
    for (let at = 1; at <= calls; at++) {
      fake = new FakeCloudflare();
      fake.subdomain = "acme";
      await deployerTo(fake).run("--yes --location weur", targetOf("0.2.0"));
      const from = fake.calls.length;
      fake.onCall = (number, when) => {
        if (number >= from + at && when === "after") throw new Error("killed");
      };
      await expect(deployerTo(fake).run("--yes --canary 10", targetOf("0.3.0"), releases)).rejects.toThrow();
      fake.onCall = () => undefined;
      await deployerTo(fake).run("--yes --canary 10", targetOf("0.3.0"), releases);
      expect(shares(), `stopped after call ${at}`).toEqual([
        ["0.3.0", 10],
        ["0.2.0", 90],
      ]);
    }
  });

  it("goes back to the version before, from a canary too, and forth again", async () => {
    await deployerTo(fake).run("--yes --canary 10", targetOf("0.3.0"), releases);
    const { run, printed } = deployerTo(fake);
    await run("--yes --rollback", targetOf("0.3.0"), releases);
    expect(shares()).toEqual([["0.2.0", 100]]);
    expect(printed.join("\n")).toContain("0.2.0 gets all requests, in place of 0.3.0");
    await deployerTo(fake).run("--yes", targetOf("0.3.0"));
    expect(shares()).toEqual([["0.3.0", 100]]);
    await run("--yes --rollback 0.2.0", targetOf("0.3.0"), releases);
    expect(shares()).toEqual([["0.2.0", 100]]);
  });

  it.each([
    [
      "a release between them has stored what it can't read",
      [release("0.2.0"), release("0.3.0", { readableFrom: "0.3.0" })],
      "the oldest that can is 0.3.0",
    ],
    [
      "the classes of objects have changed",
      [release("0.2.0", { objects: ["ChatSession"] }), release("0.3.0")],
      "other classes of objects",
    ],
    ["this checkout doesn't know the newer one", [release("0.2.0")], "what 0.3.0 reads and stores stands in no table"],
  ])("doesn't go back where %s", async (_, table, reason) => {
    await deployerTo(fake).run("--yes", targetOf("0.3.0"));
    const before = shares();
    await expect(deployerTo(fake).run("--yes --rollback", targetOf("0.3.0"), table)).rejects.toThrow(reason);
    expect(shares()).toEqual(before);
  });

  it("doesn't go back to what was never there, or from what is no release", async () => {
    await expect(deployerTo(fake).run("--yes --rollback", targetOf("0.2.0"), releases)).rejects.toThrow(
      "no other version",
    );
    await deployerTo(fake).run("--yes", targetOf("0.3.0"));
    await expect(deployerTo(fake).run("--yes --rollback 0.1.0", targetOf("0.3.0"), releases)).rejects.toThrow(
      "deployed lately: 0.3.0, 0.2.0",
    );
    await deployerTo(fake).run("--yes", { ...production, version: "0.3.0", tag: "0.3.0+next" });
    await expect(deployerTo(fake).run("--yes --rollback", targetOf("0.3.0"), releases)).rejects.toThrow(
      "what 0.3.0+next reads",
    );
  });
});
