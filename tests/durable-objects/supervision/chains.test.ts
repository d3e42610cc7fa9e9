/** Every chain of three supervisors, through the whole system: what it comes to, why, and who was heard. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newTenant, shownText } from "../../support/conclave.js";
import { upstreamFor } from "../../support/upstream-client.js";
import { answer, openAsk, passes } from "./support.js";

const verdicts = ["allow", "modify", "review", "block"] as const;
type Verdict = (typeof verdicts)[number];
type Chain = readonly [Verdict, Verdict, Verdict];

/** Each of them once: nobody is asked after a block, so what those behind it would say makes no other chain. */
const chains: readonly Chain[] = verdicts
  .flatMap((first) => verdicts.flatMap((second) => verdicts.map((third): Chain => [first, second, third])))
  .filter((chain) => chain.every((said, at) => said === "block" || !chain.slice(0, at).includes("block")));

const place = ["first", "second", "third"] as const;

/** What three in a row come to: nobody is asked after a block, each sees what those before it made, the strictest counts. */
function expected(chain: Chain) {
  const end = chain.indexOf("block");
  const heard = end < 0 ? chain : chain.slice(0, end + 1);
  const texts = [0, 1, 2, 3].map(
    (count) =>
      `Tea${chain
        .slice(0, count)
        .map((said, at) => (said === "modify" ? `, ${place[at]}` : ""))
        .join("")}.`,
  );
  const decision = (["block", "review", "modify"] as const).find((said) => heard.includes(said)) ?? "allow";
  return {
    heard,
    /** What each of them sees; and the last one what comes out. */
    texts,
    effective: texts[heard.length],
    decision,
    reasons: heard.flatMap((said, at) => (said === "allow" ? [] : [`${said} by the ${place[at]}`])),
    /** What the user reads: of a block why it was one. */
    told: heard.flatMap((said, at) =>
      said === "allow" || (decision === "block" && said !== "block") ? [] : [`${said} by the ${place[at]}`],
    ),
  };
}

/** Three endpoints that may modify, heard one after the other. */
async function threeIn(hook: "request" | "response") {
  const tenant = await newTenant();
  const endpoints = place.map(() => upstreamFor(env.TEST_UPSTREAM));
  for (const [at, endpoint] of endpoints.entries()) {
    const config = { url: endpoint.hookURL, secret: "a-long-secret" };
    await tenant.put("supervisors", place[at] ?? "", { kind: "http", hooks: [hook], order: at, config });
  }
  const model = await tenant.agent("assistant", { supervisors: [...place] });
  return { tenant, endpoints, model };
}

function saidBy(chain: Chain, at: number): { action: Verdict; reasons: string[]; content?: string } {
  const action = chain[at] ?? "allow";
  return {
    action,
    reasons: action === "allow" ? [] : [`${action} by the ${place[at]}`],
    ...(action === "modify" ? { content: expected(chain).texts[at + 1] ?? "" } : {}),
  };
}

describe.each(["request", "response"] as const)("three supervisors at %s", (hook) => {
  it.each(verdicts)(
    "of which the first says %s: every chain comes to the strictest, operators read all reasons, the user those of a block",
    async (first) => {
      const { tenant, endpoints, model } = await threeIn(hook);
      for (const chain of chains.filter(([said]) => said === first)) {
        const name = chain.join(", ");
        const { heard, texts, effective, decision, reasons, told } = expected(chain);
        for (const endpoint of endpoints) await endpoint.clear();
        for (const at of heard.keys()) await endpoints[at]?.reply({ body: saidBy(chain, at) });
        await model.clear();
        await model.reply({ text: hook === "response" ? "Tea." : "Here." });
        const session = await tenant.session();
        const sent = hook === "request" ? "Tea." : "What is there?";

        const events = await tenant.stream(session, sent);
        const turnId = events.find(({ event }) => event === "turn.started")?.data.turnId;
        let turn = await tenant.turn(session, turnId);
        if (decision === "review") {
          expect(turn.status, name).toBe("waiting");
          expect(shownText(events), name).toBe("");
          const askId = openAsk(turn);
          expect((await tenant.call("GET", `/v1/asks/${askId}`)).body, name).toMatchObject({
            reason: reasons.join("; "),
            proposal: { original: "Tea.", proposed: effective },
          });
          await answer(tenant, askId, { decision: "accept" });
          turn = await tenant.turn(session, turnId);
        }

        const [pass] = (await passes(tenant, session)).filter((one: { hook: string }) => one.hook === hook);
        const settled = decision === "review" ? (effective === "Tea." ? "allow" : "modify") : decision;
        expect(pass, name).toMatchObject({ decision: settled, reasons, degraded: [] });
        expect(
          pass.steps
            .slice(0, heard.length)
            .map(({ supervisor, action }: { supervisor: string; action: string }) => [supervisor, action]),
          name,
        ).toEqual(heard.map((said, at) => [place[at], said]));
        for (const [at, endpoint] of endpoints.entries()) {
          const seen = (await endpoint.requests()).map(({ body }) => JSON.parse(JSON.stringify(body)).text);
          expect(seen, name).toEqual(at < heard.length ? [texts[at]] : []);
        }

        expect(turn.status, name).toBe(decision === "block" ? "blocked" : "completed");
        expect(turn.supervision[hook], name).toEqual({ action: settled, reasons: told });
        if (decision === "block") {
          const what = hook === "request" ? "Your message was blocked." : "The answer was blocked.";
          expect(turn.error?.content, name).toBe(`${what} ${told.map((reason) => `${reason}.`).join(" ")}`);
        } else if (hook === "request") {
          expect(JSON.stringify((await model.requests())[0]?.body), name).toContain(JSON.stringify(effective));
        } else {
          expect(turn.reply?.modelReply.turns, name).toMatchObject([{ message: effective }]);
          if (decision !== "review") expect(shownText(events), name).toBe(effective);
        }
      }
    },
  );
});
