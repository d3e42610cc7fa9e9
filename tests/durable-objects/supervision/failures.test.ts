/** A supervisor that fails, through the whole system: the outcome is as configured, and it is visible wherever one looks. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { defined } from "../../../src/conversation/defined.js";
import { newTenant, parseEvents, type TestTenant } from "../../support/conclave.js";
import { type ScriptedReply, type UpstreamModel, upstreamFor } from "../../support/upstream-client.js";
import { answer, openAsk, passes, seenBy, supervisingAgent, toolCalls } from "./support.js";

interface Failing {
  readonly kind: "agent" | "http" | "moderation";
  readonly says: readonly ScriptedReply[];
  readonly timeoutMs?: number;
  /** What is said of it: what went wrong, and the setting at fault. */
  readonly told: RegExp;
}

const hangs: readonly ScriptedReply[] = [{ text: "", hold: "for ever", repeat: true }];

const failures: Readonly<Record<string, Failing>> = {
  "an agent whose model refuses": {
    kind: "agent",
    says: [{ status: 401, body: {} }],
    told: /its model \(setting config\.model\) failed: /,
  },
  "an agent that hangs": { kind: "agent", says: hangs, timeoutMs: 60, told: /within 60 ms \(setting timeoutMs\)|time/ },
  "an agent that answers nonsense": {
    kind: "agent",
    says: [{ ...toolCalls(["approve_everything", {}]), repeat: 9 }],
    told: /ended without a decision: it has to call one of allow_message/,
  },
  "an agent that never decides": { kind: "agent", says: [{ text: "Looks fine." }], told: /ended without a decision/ },
  "an endpoint that is gone": {
    kind: "http",
    says: [{ drop: true }],
    told: /its endpoint \(setting config\.url\) can't be asked: it could not be reached/,
  },
  "an endpoint that hangs": { kind: "http", says: hangs, timeoutMs: 60, told: /within 60 ms/ },
  "an endpoint that answers nonsense": {
    kind: "http",
    says: [{ body: { action: "maybe" } }],
    told: /the answer of its endpoint \(setting config\.url\) is malformed: action: /,
  },
  "a moderation endpoint that refuses": {
    kind: "moderation",
    says: [{ status: 403, body: {} }],
    told: /the moderation endpoint answered with status 403 \(setting config\.model\)/,
  },
};

const policies = ["allow", "block", "review"] as const;

/** A supervisor that fails, and before and after it two that do their work. */
async function scene(failing: Failing, onFailure: string, strict: boolean) {
  const tenant = await newTenant({ strict });
  const { kind, says, timeoutMs } = failing;
  const settings = { hooks: ["request"], onFailure, order: 1, ...defined({ timeoutMs }) };
  let upstream: UpstreamModel;
  if (kind === "agent") upstream = await supervisingAgent(tenant, "guard", settings);
  else {
    upstream = upstreamFor(env.TEST_UPSTREAM);
    const config =
      kind === "http"
        ? { url: upstream.hookURL, secret: "a-long-secret" }
        : { model: `openai/${upstream.model}`, thresholds: {} };
    await tenant.put("supervisors", "guard", { kind, config, ...settings });
  }
  await upstream.reply(...says);
  const redacts = (word: string) => [{ match: { type: "phrases", phrases: [word] }, action: "redact", reason: word }];
  await tenant.rules("before", redacts("apple"), { hooks: ["request"], order: 0 });
  await tenant.rules("behind", redacts("pear"), { hooks: ["request"], order: 2 });
  const model = await tenant.agent("assistant", { supervisors: ["before", "guard", "behind"] });
  await model.reply({ text: "Hello." });
  return { tenant, model, session: await tenant.session() };
}

async function eventsOf(tenant: TestTenant, session: string) {
  return parseEvents((await tenant.call("GET", `/v1/sessions/${session}/events?lingerMs=0`)).body);
}

describe.each(Object.entries(failures))("%s", (_name, failing) => {
  it.each(policies.flatMap((policy) => [false, true].map((strict) => [policy, strict] as const)))(
    "with onFailure %s and strict %s",
    async (onFailure, strict) => {
      const { tenant, model, session } = await scene(failing, onFailure, strict);
      const verdict = strict ? "block" : onFailure;
      let turn = await tenant.say(session, "An apple and a pear.");

      expect(turn.status).toBe({ allow: "completed", block: "blocked", review: "waiting" }[verdict]);
      const [pass] = await passes(tenant, session);
      const step = pass.steps.find(({ supervisor }: { supervisor: string }) => supervisor === "guard");
      expect(step).toMatchObject({ action: verdict, failed: expect.stringMatching(failing.told) });
      const decidedBy = strict
        ? "The tenant's setting strict decided."
        : `Its setting onFailure "${onFailure}" decided.`;
      expect(step.failed).toMatch(new RegExp(`^Supervisor "guard" \\(${failing.kind}\\) failed: `));
      expect(step.failed).toContain(decidedBy);
      const degraded = verdict === "allow" ? ["guard"] : [];
      expect(pass).toMatchObject({ decision: verdict === "allow" ? "modify" : verdict, degraded });
      expect(turn.supervision).toMatchObject({ status: verdict === "allow" ? "degraded" : "ok", degraded });
      const event = (await eventsOf(tenant, session)).find(({ event }) => event === "supervision.decided");
      expect(event?.data).toMatchObject({ hook: "request", degraded });

      // Which setting decided, everybody reads; what its model or endpoint said of its failure, operators alone.
      if (verdict === "block") expect(turn.error?.content).toContain(decidedBy);
      if (verdict === "block") expect(turn.error?.content).not.toMatch(failing.told);
      if (verdict === "review") {
        const askId = openAsk(turn);
        const ask = (await tenant.call("GET", `/v1/asks/${askId}`)).body;
        expect(ask.reason).toContain(decidedBy);
        await answer(tenant, askId, { decision: "accept" });
        turn = await tenant.turn(session, turn.turnId);
        expect(turn.status).toBe("completed");
      }
      // What those before and after it took out stays out, whatever became of it (fault 12).
      const seen = await seenBy(model);
      if (verdict === "block") expect(seen).toBe("[]");
      else expect(seen).toContain("An [redacted] and a [redacted].");
    },
  );
});
