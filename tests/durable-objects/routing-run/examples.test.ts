/** The teams of examples/routing, as they are, through the API: over scripted models and over the offline one. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Example as System } from "../../../examples/routing/client.js";
import { supportSystem } from "../../../examples/routing/teams/customer-support.js";
import { ptyAgi } from "../../../examples/routing/teams/pty-agi.js";
import { taskSystem } from "../../../examples/routing/teams/task-delegation.js";
import { newTenant } from "../../support/conclave.js";
import { answerOpen, asksHuman, promptText, routesTo, startRun } from "../../support/teams.js";
import { upstreamFor } from "../../support/upstream-client.js";

const calendar = upstreamFor(env.TEST_UPSTREAM);

interface Example {
  readonly system: System;
  /** What is clear, and who gets it. */
  readonly clear: readonly (readonly [input: string, worker: string])[];
  readonly answer: string;
  readonly afterwards: string;
}
const examples: readonly (readonly [string, Example])[] = [
  [
    "customer support, with five workers",
    {
      system: supportSystem,
      clear: [
        ["I want a refund for my last invoice.", "billing"],
        ["The app crashes at login.", "technical"],
      ],
      answer: "It is about the delivery of my parcel.",
      afterwards: "shipping",
    },
  ],
  [
    "PTY AGI",
    {
      system: ptyAgi,
      clear: [
        ["How many days of vacation do I have?", "hr"],
        ["The build of my pull request fails: a bug in the builds.", "code"],
      ],
      answer: "I mean the licences in our contracts.",
      afterwards: "legal",
    },
  ],
  [
    "task delegation, with a calendar",
    {
      system: taskSystem(calendar.hookURL),
      clear: [["The outage is critical, act immediately.", "urgent"]],
      answer: "It is for archiving, some day.",
      afterwards: "background",
    },
  ],
];
const ambiguous = "Something is missing and my request is ambiguous: ask a person.";

async function stored({ name, team, tools = {} }: System, model: string) {
  const tenant = await newTenant();
  for (const [tool, body] of Object.entries(tools)) await tenant.put("tools", tool, body);
  await tenant.put("teams", name, {
    ...team,
    supervisor: { ...team.supervisor, model },
    workers: team.workers.map((worker) => ({ ...worker, model })),
  });
  return tenant;
}

describe.each(examples)("the example %s", (_name, { system, clear, answer, afterwards }) => {
  it("routes what is clear and asks about what isn't, over the offline model", async () => {
    await calendar.reply({ body: { free: ["Tuesday"] }, repeat: true });
    const tenant = await stored(system, "offline");
    for (const [input, worker] of clear) {
      const run = await startRun(tenant, system.name, input);
      expect(run).toMatchObject({ status: "completed", decisions: [{ targetAgent: worker }], asks: [] });
    }
    const waiting = await startRun(tenant, system.name, ambiguous);
    expect(waiting).toMatchObject({ status: "waiting", asks: [{ kind: "human" }] });
    const done = await answerOpen(tenant, waiting, answer);
    expect(done).toMatchObject({ status: "completed", decisions: [{ targetAgent: afterwards }] });
  });

  it("asks, hears the answer and hands it to the worker, over a scripted model", async () => {
    const model = upstreamFor(env.TEST_UPSTREAM);
    await model.reply(asksHuman("What is it about?"), routesTo(afterwards), { text: "Done." });
    const tenant = await stored(system, `openai/${model.model}`);
    const waiting = await startRun(tenant, system.name, ambiguous);
    expect(waiting).toMatchObject({ status: "waiting", asks: [{ question: "What is it about?" }] });
    const done = await answerOpen(tenant, waiting, answer);
    expect(done).toMatchObject({
      status: "completed",
      response: "Done.",
      decisions: [{ targetAgent: afterwards }],
      usage: { modelCalls: 3 },
    });
    expect(promptText((await model.requests())[2])).toContain(answer);
  });
});
