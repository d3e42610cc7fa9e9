/** People decide in the console what waits for them: as a browser without script sends it. */
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { answer, httpTool, openAsk, seenBy, toolCalls } from "../durable-objects/supervision/support.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";

const origin = "https://conclave.test";
const sameOrigin = { "sec-fetch-site": "same-origin", "content-type": "application/x-www-form-urlencoded" };

/** Somebody who came in by a link. */
async function reviewer(tenant: TestTenant) {
  const email = `${crypto.randomUUID()}@example.com`;
  const { link } = (await tenant.call("POST", "/v1/people", { name: "Ada", email, role: "reviewer" })).body;
  const body = new URLSearchParams({ code: link.split("#")[1] }).toString();
  const headers = { ...sameOrigin, "cf-connecting-ip": crypto.randomUUID() };
  const joined = await exports.default.fetch(`${origin}/console/join`, {
    method: "POST",
    headers,
    body,
    redirect: "manual",
  });
  const cookie = (joined.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const visit = (path: string, form?: Record<string, string>) =>
    exports.default.fetch(`${origin}/console${path}`, {
      headers: { ...sameOrigin, cookie },
      redirect: "manual",
      ...(form && { method: "POST", body: new URLSearchParams(form).toString() }),
    });
  return { visit, page: async (path: string) => (await visit(path)).text() };
}

async function held(reply = "You get a refund.") {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", { supervisors: ["held"] });
  await tenant.rules(
    "held",
    [
      { match: { type: "phrases", phrases: ["refund"] }, action: "review", reason: "money" },
      { match: { type: "personalData" }, action: "redact", reason: "personal data" },
    ],
    { hooks: ["response"] },
  );
  await model.reply({ text: reply, repeat: true });
  const session = await tenant.session();
  const turn = await tenant.say(session, "Money back?");
  return { tenant, session, turn, askId: openAsk(turn), ada: await reviewer(tenant) };
}

describe("the inbox of the console", () => {
  it("shows a notice for the words that it knows alone, whatever the address says", async () => {
    const ada = await reviewer(await newTenant());
    for (const done of ["constructor", "__proto__", "toString"]) {
      const answered = await ada.visit(`/inbox?done=${done}`);
      expect([answered.status, await answered.text()], done).toEqual([200, expect.not.stringContaining("native code")]);
    }
  });

  it("lists what waits with what it is about, and one ask with why it was held, what changed and what was said", async () => {
    const { askId, ada } = await held("Write to ana@example.com about your refund.");
    await eventually(async () => {
      const list = await ada.page("/inbox");
      expect(list).toContain(`/console/inbox/${askId}`);
      expect(list).toContain("about your refund.");
      expect(list).toContain("(1) Inbox");
    });
    const page = await ada.page(`/inbox/${askId}`);
    for (const shown of ["money", "held", "Money back?", "<del>", "<ins>", "ana@example.com", "[email]"]) {
      expect(page).toContain(shown);
    }
  });

  it("lets the text pass as it is, or as the person has changed it; the session goes on, and their name is on record", async () => {
    const { tenant, session, turn, askId, ada } = await held("You get\na refund.");
    const sent = await ada.visit(`/inbox/${askId}`, { do: "accept", content: "You get\r\na refund.", once: "one" });
    expect([sent.status, sent.headers.get("location")]).toEqual([303, "/console/inbox?done=decided"]);
    expect(await tenant.turn(session, turn.turnId)).toMatchObject({ status: "completed" });
    const { answer: given, closedBy } = (await tenant.call("GET", `/v1/asks/${askId}`)).body;
    expect([given, closedBy]).toMatchObject([{ decision: "accept" }, { kind: "person", role: "reviewer" }]);

    const next = await tenant.say(session, "And now?");
    await ada.visit(`/inbox/${openAsk(next)}`, { do: "accept", content: "Ask at the till.", note: "too early" });
    const done = await tenant.turn(session, next.turnId);
    expect(done.reply?.modelReply.turns[0]?.message).toBe("Ask at the till.");
    const second = (await tenant.call("GET", `/v1/asks/${openAsk(next)}`)).body;
    expect(second.answer).toEqual({ decision: "edit", content: "Ask at the till.", note: "too early" });
  });

  it("takes no refusal without a reason, and keeps what was written", async () => {
    const { tenant, session, turn, askId, ada } = await held();
    const bare = await ada.visit(`/inbox/${askId}`, { do: "reject", content: "You get half of it." });
    expect(bare.status).toBe(422);
    const page = await bare.text();
    expect(page).toContain("Say why");
    expect(page).toContain("You get half of it.");
    await ada.visit(`/inbox/${askId}`, { do: "reject", content: "x", message: "Not this month." });
    const done = await tenant.turn(session, turn.turnId);
    expect(done.error?.content).toContain("A reviewer rejected it: Not this month.");
  });

  it("says who came first to whoever is late", async () => {
    const { tenant, askId, ada } = await held();
    await answer(tenant, askId, { decision: "accept" });
    const late = await ada.visit(`/inbox/${askId}`, { do: "accept", content: "My own careful words." });
    expect(late.status).toBe(409);
    const page = await late.text();
    expect(page).toContain("Somebody has decided this already.");
    expect(page).toContain("was accepted by key");
  });

  it("decides on calls and answers questions", async () => {
    const tenant = await newTenant();
    const tool = await httpTool(tenant, "pay", { approval: "always" });
    await tool.reply({ body: "paid", repeat: true });
    const tools = [
      { server: "shop", tool: "pay" },
      { server: "conclave", tool: "ask_human" },
    ];
    const model = await tenant.agent("assistant", { tools });
    await model.reply(
      toolCalls(["pay", { text: "<b>5</b>" }]),
      toolCalls(["ask_human", { question: "Which till?", suggestions: ["left", "right"] }]),
      { text: "Done." },
    );
    const [session, ada] = [await tenant.session(), await reviewer(tenant)];
    const turn = await tenant.say(session, "Pay.");
    const call = await ada.page(`/inbox/${openAsk(turn)}`);
    expect(call).toContain("&lt;b&gt;5&lt;/b&gt;");
    expect(call).not.toContain("<b>5</b>");
    // It is asked about each time: one press alone calls nothing.
    expect(await (await ada.visit(`/inbox/${openAsk(turn)}`, { do: "once" })).text()).toContain("Press again");
    expect(await tool.requests()).toEqual([]);
    await ada.visit(`/inbox/${openAsk(turn)}`, { do: "once", sure: "once" });
    const asked = await tenant.turn(session, turn.turnId);
    const question = asked.asks.find(({ status }) => status === "open")?.askId ?? "";
    expect(await ada.page(`/inbox/${question}`)).toContain("Which till?");
    await ada.visit(`/inbox/${question}`, { do: "respond", response: "left" });
    expect(await tenant.turn(session, turn.turnId)).toMatchObject({ status: "completed" });
    expect(await seenBy(model)).toContain("The person answered: left");
  });

  it("has nothing of another tenant", async () => {
    const { askId } = await held();
    const stranger = await reviewer(await newTenant());
    expect((await stranger.visit(`/inbox/${askId}`)).status).toBe(404);
    expect((await stranger.visit(`/inbox/${askId}`, { do: "accept", content: "x" })).status).toBe(404);
    expect(await stranger.page("/inbox")).toContain("Nothing waits.");
  });
});
