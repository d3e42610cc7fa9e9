/** Every hook × every verdict × JSON and stream. (The fifth hook, between agents, has its algebra tested with the domain.) */
import { describe, expect, it } from "vitest";
import type { Turn } from "../../../src/chat/session.js";
import { newTenant, shownText, type TestTenant } from "../../support/conclave.js";
import type { UpstreamModel } from "../../support/upstream-client.js";
import { answer, httpTool, openAsk, passes, seenBy, toolCalls } from "./support.js";

const hooks = ["request", "response", "tool_call", "tool_result"] as const;
const verdicts = ["allow", "modify", "review", "block"] as const;
const ways = ["JSON", "stream"] as const;

const marker = "mango";
const actions = { modify: "redact", review: "review", block: "block" } as const;

interface Scene {
  readonly tenant: TestTenant;
  /** Who talks with the agent, and may not answer reviews. */
  readonly client: TestTenant;
  readonly session: string;
  readonly model: UpstreamModel;
  readonly tool: UpstreamModel;
}

/** The marker occurs at one place alone: at the hook that is supervised. */
async function scene(hook: (typeof hooks)[number], verdict: (typeof verdicts)[number]): Promise<Scene> {
  const tenant = await newTenant();
  const tool = await httpTool(tenant, "lookup");
  const model = await tenant.agent("assistant", {
    tools: [{ server: "shop", tool: "lookup" }],
    supervisors: ["guard"],
  });
  const rule =
    verdict === "allow"
      ? { match: { type: "phrases", phrases: ["something else"] }, action: "block", reason: "never" }
      : { match: { type: "phrases", phrases: [marker] }, action: actions[verdict], reason: "a fruit" };
  await tenant.rules("guard", [rule], { hooks: [hook] });
  await tool.reply({ body: hook === "tool_result" ? `found a ${marker}` : "found it" });
  const usesTool = hook === "tool_call" || hook === "tool_result";
  if (usesTool) await model.reply(toolCalls(["lookup", { text: hook === "tool_call" ? `the ${marker}` : "it" }]));
  await model.reply({ text: hook === "response" ? `Have a ${marker} today.` : "Done." });
  return { tenant, client: await tenant.withRole("client"), session: await tenant.session(), model, tool };
}

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
  const text = shownText(events);
  if (turn.status === "completed")
    expect(text).toBe(
      turn.reply?.modelReply.turns
        .map(({ message }) => message)
        .filter(Boolean)
        .join("\n"),
    );
  else if (turn.status === "waiting") expect(text).not.toContain(marker);
  else expect(text).toBe("");
  return { turn, shown: JSON.stringify(events) };
}

describe.each(ways)("supervision over %s", (way) => {
  describe.each(hooks)("at %s", (hook) => {
    it.each(verdicts)("%s", async (verdict) => {
      const all = await scene(hook, verdict);
      const { tenant, session, model, tool } = all;
      const first = await sendBy(way, all, hook === "request" ? `I want a ${marker}.` : "Hello.");
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

      const ownHook = (await passes(tenant, session)).find((pass: { hook: string }) => pass.hook === hook);
      expect(ownHook).toMatchObject({ decision: verdict, reasons: verdict === "allow" ? [] : ["a fruit"] });
      const ends = verdict === "block" && (hook === "request" || hook === "response");
      expect(turn.status).toBe(ends ? "blocked" : "completed");
      if (ends) expect(turn.error?.content).toContain("a fruit");

      const passed = verdict === "allow" || verdict === "review";
      const seen = await seenBy(model);
      const called = (await tool.requests()).map(({ body }) => body);
      switch (hook) {
        case "request":
          expect(seen.includes(marker)).toBe(passed);
          expect((await model.requests()).length).toBe(verdict === "block" ? 0 : 1);
          expect(JSON.stringify(turn.message)).toContain(
            passed ? marker : verdict === "modify" ? "[redacted" : "[blocked]",
          );
          break;
        case "response":
          expect(JSON.stringify(turn.reply ?? {}).includes(marker)).toBe(passed);
          break;
        case "tool_call":
          expect(called.length).toBe(verdict === "block" ? 0 : 1);
          expect(JSON.stringify(called).includes(marker)).toBe(passed);
          if (verdict === "block") expect(seen).toContain("was blocked. a fruit");
          break;
        case "tool_result":
          expect(called).toHaveLength(1);
          expect(seen.includes(`found a ${marker}`)).toBe(passed);
          if (verdict === "block") expect(seen).toContain("was blocked. a fruit");
          break;
      }
      if (!passed && hook !== "tool_call") {
        const transcript = await tenant.call("GET", `/v1/sessions/${session}/messages`);
        expect(JSON.stringify(transcript.body)).not.toContain(marker);
        expect(first.shown).not.toContain(marker);
      }
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
