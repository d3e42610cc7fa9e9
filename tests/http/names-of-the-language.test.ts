/** Names that every plain object answers to: whoever chooses them as theirs finds what is theirs, and nothing of the language's. */
import { describe, expect, it } from "vitest";
import { newTenant } from "../support/conclave.js";
import { newMemory } from "../support/memory.js";
import { modelOf, newTeam, startRun } from "../support/teams.js";

const names = ["constructor", "__proto__", "toString"];

describe("a name of the language's own", () => {
  it("is a thread of a memory like any other", async () => {
    const memory = await newMemory();
    for (const name of names) {
      await memory.say(["My cat is called Tom.", "Noted."], name);
      await memory.end(name);
      await memory.settled("context", name);
    }
    const waited = await memory.call("POST", "/await-consistency", { level: "indexed", timeoutMs: 60_000 });
    expect(waited.reached).toBe(true);
    expect(new Set(Object.keys(waited.watermarks.threads))).toEqual(new Set(names));
    // Covered as far as it was said, and no further: a flush finds what came since.
    expect((await memory.thread("constructor")).coveredSeq).toBe(2);
    await memory.say(["My dog is called Rex.", "Noted."], "constructor");
    await memory.end("constructor");
    await memory.settled("context", "constructor");
    expect((await memory.thread("constructor")).coveredSeq).toBe(4);
  });

  it("is a worker, and what a rule looks for in the metadata", async () => {
    const tenant = await newTenant();
    const team = newTeam({ constructor: {}, a: {} }, { strategy: "load-balanced", maxIterations: 1 });
    await modelOf(team, "constructor").reply({ text: "Mine.", repeat: true });
    await modelOf(team, "a").reply({ text: "Mine.", repeat: true });
    expect(await startRun(tenant, team.definition, "Who?")).toMatchObject({ status: "completed", response: "Mine." });

    const asked = newTeam(
      { a: {}, b: {} },
      {
        strategy: "rule-based",
        rules: [{ when: { metadata: { toString: "yes" } }, to: ["a"] }],
        fallbackWorker: "b",
        maxIterations: 1,
      },
    );
    await modelOf(asked, "a").reply({ text: "By rule." });
    await modelOf(asked, "b").reply({ text: "By none." });
    expect((await startRun(tenant, asked.definition, "Who?")).response).toBe("By none.");
    expect((await startRun(tenant, asked.definition, "Who?", { metadata: { toString: "yes" } })).response).toBe(
      "By rule.",
    );
  });

  it("is no channel's kind, no provider and no route's", async () => {
    const tenant = await newTenant();
    for (const name of names) {
      const stored = await tenant.call("PUT", "/v1/agents/a", { kind: "model", model: `${name}/m`, instructions: "x" });
      expect(stored.status, name).toBeLessThan(500);
      expect((await tenant.call("PUT", "/v1/channels/c", { kind: name, agent: "a", credentials: {} })).status).toBe(
        422,
      );
      expect((await tenant.call("POST", `/webhooks/${name}/chn_x`, {})).status).toBe(404);
    }
  });
});
