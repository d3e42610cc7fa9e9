import { describe, expect, it } from "vitest";
import { teamSchema } from "../../src/routing/team.js";

const worker = (id: string, more: object = {}) => ({ id, description: id, ...more });
const team = (more: object = {}, supervisor: object = {}) => ({
  supervisor: { strategy: "skill-based", ...supervisor },
  workers: [worker("a"), worker("b")],
  ...more,
});

function faultsOf(definition: unknown): string[] {
  const read = teamSchema.safeParse(definition);
  return read.success ? [] : read.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

describe("a team", () => {
  it("may be as small as a strategy and a worker", () => {
    expect(faultsOf({ supervisor: { strategy: "skill-based" }, workers: [worker("a")] })).toEqual([]);
  });

  it("may call its supervisor its router, within it too, and is the same team", () => {
    const { supervisor, workers } = team({}, { minConfidence: 0.4 });
    const within = worker("x", { team: { router: supervisor, workers } });
    const read = teamSchema.parse({ router: supervisor, workers: [within] });
    expect(read).toEqual(teamSchema.parse({ supervisor, workers: [worker("x", { team: { supervisor, workers } })] }));
    expect(teamSchema.parse(read)).toEqual(read);
    expect(read).not.toHaveProperty("router");
    expect(faultsOf({ router: supervisor, supervisor, workers })).toEqual([
      "router: it is another name of supervisor: send one of the two",
    ]);
    expect(faultsOf({ workers })[0]).toMatch(/^supervisor: /);
  });

  const inner = team({ workers: [worker("a"), worker("a")] });
  const twice = '"a" is there twice; every worker needs an id of its own';
  it.each<[string, object, string]>([
    ["two workers of one id", team({ workers: [worker("a"), worker("a")] }), `workers.1.id: ${twice}`],
    ["the same within it", team({ workers: [worker("x", { team: inner })] }), `workers.0.team.workers.1.id: ${twice}`],
    [
      "a worker that is two things",
      team({ workers: [worker("a", { model: "offline", http: { url: "https://a.test" } })] }),
      "workers.0: a worker is one of agent, model, team, panel and http, not several",
    ],
    [
      "a handoff to nobody",
      team({ workers: [worker("a", { handoffs: ["c"] }), worker("b")] }),
      'workers.0.handoffs.0: there is no worker "c"; there are: a, b',
    ],
    [
      "a rule that leads to nobody",
      team({}, { strategy: "rule-based", rules: [{ to: ["a", "c"] }] }),
      'supervisor.rules.0.to: there is no worker "c"; there are: a, b',
    ],
    [
      "rules without rules",
      team({}, { strategy: "rule-based" }),
      "supervisor.rules: the rule-based strategy needs rules",
    ],
    ["a fallback that is nobody", team({}, { fallbackWorker: "c" }), "supervisor.fallbackWorker: there is no worker"],
    [
      "a pattern that can't be read",
      team({}, { rules: [{ when: { pattern: "(" }, to: "a" }] }),
      "rules.0.when.pattern",
    ],
    ["no worker", team({ workers: [] }), "workers: Too small"],
  ])("isn't one with %s", (_what, definition, fault) => {
    expect(faultsOf(definition).join("\n")).toContain(fault);
  });
});
