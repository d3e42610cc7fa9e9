/** Every hook × every verdict × JSON and stream, through the whole system, with outcome and reasons. */
import { describe, expect, it } from "vitest";
import type { Turn } from "../../../src/chat/session.js";
import { newTenant, shownText, type TestTenant } from "../../support/conclave.js";
import { modelOf, newTeam, routesTo } from "../../support/teams.js";
import type { UpstreamModel } from "../../support/upstream-client.js";
import { answer, httpTool, openAsk, passes, seenBy, toolCalls } from "./support.js";

const marker = "mango";
const actions = { modify: "redact", review: "review", block: "block" } as const;

type Verdict = "allow" | keyof typeof actions;

interface Outcome {
  readonly status: Turn["status"];
  /** What stands in the place of the supervised text, at the place behind the hook. */
  readonly arrives: string | undefined;
  /** What a caller is told, where the text doesn't arrive. */
  readonly told?: string;
}

interface HookCase {
  readonly message: string;
  readonly outcomes: Readonly<Record<Verdict, Outcome>>;
  /** What stands behind the hook got, as one text. */
  readonly behind: (scene: Scene, turn: Turn) => Promise<string>;
  readonly agent: (tenant: TestTenant) => Promise<Pick<Scene, "model" | "tool">>;
}

interface Scene {
  readonly tenant: TestTenant;
  /** Who talks with the agent, and may not answer reviews. */
  readonly client: TestTenant;
  readonly session: string;
  /** Who answers: the agent's own model, or a worker's. */
  readonly model: UpstreamModel;
  readonly tool: UpstreamModel;
}

/** An agent with a tool; the marker occurs at one place alone: at the hook that is supervised. */
function modelAgent(said: { readonly args?: string; readonly result?: string; readonly reply?: string }) {
  return async (tenant: TestTenant): Promise<Pick<Scene, "model" | "tool">> => {
    const tool = await httpTool(tenant, "lookup");
    const model = await tenant.agent("assistant", {
      tools: [{ server: "shop", tool: "lookup" }],
      supervisors: ["guard"],
    });
    await tool.reply({ body: said.result ?? "found it" });
    await model.reply(toolCalls(["lookup", { text: said.args ?? "it" }]), { text: said.reply ?? "Done." });
    return { model, tool };
  };
}

async function teamAgent(tenant: TestTenant): Promise<Pick<Scene, "model" | "tool">> {
  const team = newTeam({ fruit: {} }, {}, { supervisors: ["guard"] });
  await tenant.put("teams", "desk", team.definition);
  await tenant.put("agents", "assistant", { kind: "team", team: "desk" });
  await team.supervisor.reply(routesTo("fruit"));
  const model = modelOf(team, "fruit");
  await model.reply({ text: `A ${marker}.` });
  return { model, tool: model };
}

const lastPrompt = async ({ model }: Scene): Promise<string> =>
  JSON.stringify((await model.requests()).at(-1)?.body ?? "");
const replyOf = async (_scene: Scene, turn: Turn): Promise<string> => JSON.stringify(turn.reply ?? {});

const cases: Readonly<Record<"request" | "response" | "tool_call" | "tool_result" | "hop", HookCase>> = {
  request: {
    message: `I want a ${marker}.`,
    agent: modelAgent({}),
    behind: lastPrompt,
    outcomes: {
      allow: { status: "completed", arrives: `I want a ${marker}.` },
      modify: { status: "completed", arrives: "I want a [redacted]." },
      review: { status: "completed", arrives: `I want a ${marker}.` },
      block: { status: "blocked", arrives: undefined, told: "Your message was blocked. a fruit." },
    },
  },
  response: {
    message: "Hello.",
    agent: modelAgent({ reply: `Have a ${marker} today.` }),
    behind: replyOf,
    outcomes: {
      allow: { status: "completed", arrives: `Have a ${marker} today.` },
      modify: { status: "completed", arrives: "Have a [redacted] today." },
      review: { status: "completed", arrives: `Have a ${marker} today.` },
      block: { status: "blocked", arrives: undefined, told: "The answer was blocked. a fruit." },
    },
  },
  tool_call: {
    message: "Hello.",
    agent: modelAgent({ args: `the ${marker}` }),
    behind: async ({ tool }) => JSON.stringify((await tool.requests()).map(({ body }) => body)),
    outcomes: {
      allow: { status: "completed", arrives: `the ${marker}` },
      modify: { status: "completed", arrives: "the [redacted]" },
      review: { status: "completed", arrives: `the ${marker}` },
      block: { status: "completed", arrives: undefined, told: "was blocked. a fruit" },
    },
  },
  tool_result: {
    message: "Hello.",
    agent: modelAgent({ result: `found a ${marker}` }),
    behind: lastPrompt,
    outcomes: {
      allow: { status: "completed", arrives: `found a ${marker}` },
      modify: { status: "completed", arrives: "found a [redacted]" },
      review: { status: "completed", arrives: `found a ${marker}` },
      block: {
        status: "completed",
        arrives: undefined,
        told: "was blocked. The call was made all the same: it was done. a fruit",
      },
    },
  },
  hop: {
    message: "Hello.",
    agent: teamAgent,
    behind: replyOf,
    outcomes: {
      allow: { status: "completed", arrives: `A ${marker}.` },
      modify: { status: "completed", arrives: "A [redacted]." },
      review: { status: "completed", arrives: `A ${marker}.` },
      block: { status: "failed", arrives: undefined, told: "The answer failed: nobody could give one" },
    },
  },
};
const hooks = ["request", "response", "tool_call", "tool_result", "hop"] as const;
const verdicts = ["allow", "modify", "review", "block"] as const;
const ways = ["JSON", "stream"] as const;

async function sceneOf(hook: (typeof hooks)[number], verdict: Verdict): Promise<Scene> {
  const tenant = await newTenant();
  const rule =
    verdict === "allow"
      ? { match: { type: "phrases", phrases: ["something else"] }, action: "block", reason: "never" }
      : { match: { type: "phrases", phrases: [marker] }, action: actions[verdict], reason: "a fruit" };
  await tenant.rules("guard", [rule], { hooks: [hook] });
  const agent = await cases[hook].agent(tenant);
  return { tenant, client: await tenant.withRole("client"), session: await tenant.session(), ...agent };
}

/** Sends the message; gives the turn, and all that the client was shown of it. */
async function sendBy(
  way: (typeof ways)[number],
  { client, session }: Scene,
  content: string,
): Promise<{ turn: Turn; shown: string }> {
  if (way === "JSON") {
    const turn = await client.say(session, content);
    return { turn, shown: JSON.stringify(turn) };
  }
  const events = await client.stream(session, content);
  const turnId = events.find(({ event }) => event === "turn.started")?.data.turnId;
  const turn = await client.turn(session, turnId);
  const said = turn.reply?.modelReply.turns.flatMap(({ message }) => (message === undefined ? [] : [message]));
  // What a client that follows the stream shows is the reply, and nothing where there is none; while it is reviewed, at most
  // what stands before the place in question.
  if (turn.status !== "waiting") expect(shownText(events)).toBe((said ?? []).filter((text) => text !== "").join("\n"));
  return { turn, shown: JSON.stringify(events) };
}

describe.each(ways)("supervision over %s", (way) => {
  describe.each(hooks)("at %s", (hook) => {
    it.each(verdicts)("%s", async (verdict) => {
      const scene = await sceneOf(hook, verdict);
      const { tenant, session } = scene;
      const { message, outcomes, behind } = cases[hook];
      const { status, arrives, told } = outcomes[verdict];
      const first = await sendBy(way, scene, message);
      let { turn } = first;

      if (verdict === "review") {
        expect(turn.status).toBe("waiting");
        expect(first.shown).not.toContain(marker);
        const askId = openAsk(turn);
        const ask = await tenant.call("GET", `/v1/asks/${askId}`);
        expect(ask.body).toMatchObject({
          kind: "review",
          reason: "a fruit",
          proposal: { hook, diff: expect.any(Array) },
        });
        expect(JSON.stringify(ask.body.proposal)).toContain(marker);
        expect((await answer(tenant, askId, { decision: "accept" })).status).toBe(200);
        turn = await tenant.turn(session, turn.turnId);
      }

      expect(turn.status).toBe(status);
      const decided = (await passes(tenant, session)).filter((pass: { hook: string }) => pass.hook === hook);
      const reasons = verdict === "allow" ? [] : ["a fruit"];
      // At hops other texts are looked at too: what is handed to a worker, and why one failed.
      const steps = expect.arrayContaining([expect.objectContaining({ supervisor: "guard", reasons })]);
      // A review that was accepted stands as what the reviewer made of it.
      const decision = verdict === "review" ? "allow" : verdict;
      expect(decided).toContainEqual(expect.objectContaining({ decision, reasons, steps }));
      if (hook === "request" || hook === "response") {
        const action = verdict === "review" ? "allow" : verdict;
        expect(turn.supervision[hook]).toEqual({ action, reasons });
      }
      const arrived = await behind(scene, turn);
      if (arrives !== undefined) expect(arrived).toContain(arrives);
      if (verdict === "modify" || verdict === "block") {
        expect(arrived).not.toContain(marker);
        const transcript = await tenant.call("GET", `/v1/sessions/${session}/messages`);
        expect(JSON.stringify(transcript.body)).not.toContain(marker);
        expect(first.shown).not.toContain(marker);
      }
      if (told !== undefined) {
        const listener = hook.startsWith("tool_") ? await lastPrompt(scene) : JSON.stringify(turn.error);
        expect(listener).toContain(told);
      }
      // What was stopped before it got there was never there.
      if (verdict === "block" && hook === "request") expect(await scene.model.requests()).toEqual([]);
      if (verdict === "block" && hook === "tool_call") expect(await scene.tool.requests()).toEqual([]);
    });
  });
});

describe("what was blocked or redacted", () => {
  it("fault 3: is seen by no later turn", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { supervisors: ["guard"] });
    await tenant.rules("guard", [
      { match: { type: "phrases", phrases: ["apricot"] }, action: "block", reason: "blocked" },
      { match: { type: "phrases", phrases: [marker] }, action: "redact", reason: "redacted" },
    ]);
    await model.reply({ text: `A ${marker}.` }, { text: "An apricot." }, { text: "Fine." });
    const session = await tenant.session();
    expect((await tenant.say(session, `My ${marker}.`)).status).toBe("completed");
    expect((await tenant.say(session, "Another?")).status).toBe("blocked");
    expect((await tenant.say(session, "My apricot.")).status).toBe("blocked");
    expect((await tenant.say(session, "And now?")).status).toBe("completed");
    expect(await seenBy(model)).not.toMatch(/mango|apricot/);
  });
});
