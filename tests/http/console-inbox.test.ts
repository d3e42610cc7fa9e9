/** People decide in the console what waits for them: as a browser without script sends it. */
import { env, exports } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { claimMs } from "../../src/asks/claim.js";
import { answer, httpTool, openAsk, seenBy, toolCalls } from "../durable-objects/supervision/support.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";

afterEach(() => {
  vi.useRealTimers();
});

const origin = "https://conclave.test";
const sameOrigin = { "sec-fetch-site": "same-origin", "content-type": "application/x-www-form-urlencoded" };

/** Somebody who came in by a link. */
async function reviewer(tenant: TestTenant, role = "reviewer") {
  const email = `${crypto.randomUUID()}@example.com`;
  const { link } = (await tenant.call("POST", "/v1/people", { name: "Ada", email, role })).body;
  const body = new URLSearchParams({ code: link.split("#")[1] }).toString();
  const headers = { ...sameOrigin, "cf-connecting-ip": crypto.randomUUID() };
  const joined = await exports.default.fetch(`${origin}/console/join`, {
    method: "POST",
    headers,
    body,
    redirect: "manual",
  });
  const cookie = (joined.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const visit = (path: string, form?: Record<string, string> | [string, string][], more: Record<string, string> = {}) =>
    exports.default.fetch(`${origin}/console${path}`, {
      headers: { ...sameOrigin, cookie, ...more },
      redirect: "manual",
      ...(form && { method: "POST", body: new URLSearchParams(form).toString() }),
    });
  return { visit, page: async (path: string) => (await visit(path)).text() };
}

async function gzipped(text: string): Promise<number> {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(packed).arrayBuffer()).byteLength;
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

  it("shows the arguments that whoever is late had written", async () => {
    const tenant = await newTenant();
    await httpTool(tenant, "pay", { approval: "always" });
    const model = await tenant.agent("assistant", { tools: [{ server: "shop", tool: "pay" }] });
    await model.reply(toolCalls(["pay", { text: "5 euros" }]), { text: "Done." });
    const [ada, turn] = [await reviewer(tenant), await tenant.say(await tenant.session(), "Pay.")];
    await answer(tenant, openAsk(turn), { decision: "deny" });
    const visit = (fields: Record<string, string>) => ada.visit(`/inbox/${openAsk(turn)}`, { do: "once", ...fields });
    const late = await visit({ "args.text": "4 euros", note: "One less." });
    expect(late.status).toBe(409);
    const page = await late.text();
    for (const shown of ["was denied by key", "sent:", "4 euros", "One less."]) expect(page).toContain(shown);
    expect(await (await visit({ "args.text": "5 euros" })).text()).not.toContain("sent:");
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

  it("with 1,000 open shows thirty and how many there are; a first view has 20 kB at most, a look again costs one row", async () => {
    const { tenant, askId, ada } = await held("A refund. ".repeat(60));
    const { tenantId } = tenant;
    await eventually(async () => expect(await ada.page("/inbox")).toContain(askId));
    const open = `SELECT * FROM asks WHERE tenant_id = '${tenantId}' AND ask_id = '${askId}'`;
    const found = await env.DB.prepare(open).first<{ owner_id: string; body: string; urgency: number }>();
    const { owner_id, body, urgency } = found ?? { owner_id: "", body: "", urgency: 0 };
    // Each with a text and a customer of its own, in scripts of all kinds.
    const names = ["ana", "حسن", "Ольга", "花子", "a-customer-whose-name-does-not-end-soon@example.com"];
    const values = `'ask_' || printf('%026d', n) || '_${owner_id}', '${owner_id}', 'review', 1, 'open', 'staff', 'assistant',
      '2026-01-01T00:00:00.000Z', ?5, json_set(?3, '$.askId', 'ask_' || printf('%026d', n) || '_${owner_id}',
        '$.preview', 'Text ' || n || ' ' || substr(hex(randomblob(90)), 1, 180), '$.from.subject', json_extract(?4, '$[' || (n % 5) || ']'))`;
    await env.DB.prepare(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2)
       INSERT INTO asks (tenant_id, ask_id, owner_id, kind, revision, status, audience, agent, opened_at, urgency, body)
       SELECT ?1, ${values} FROM numbers`,
    )
      .bind(tenantId, 999, body, JSON.stringify(names), urgency)
      .run();
    const answer = await ada.visit("/inbox");
    const html = await answer.text();
    expect(html).toContain("<title>(1000) Inbox");
    expect(html.match(/<li><a href="\/console\/inbox\/ask_/g)).toHaveLength(30);
    const assets = [...html.matchAll(/\/console(\/assets\/\w+\.\w+)/g)].map(async ([, path = ""]) => ada.page(path));
    const sizes = await Promise.all([html, ...(await Promise.all(assets))].map(gzipped));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(20_480);
    const again = await ada.visit("/inbox", undefined, {
      "x-poll": "1",
      "if-none-match": answer.headers.get("etag") ?? "",
    });
    expect(again.status).toBe(304);
    // From page to page to the end, each once.
    const seen = new Set<string>();
    let next: string | undefined = "/inbox";
    while (next !== undefined) {
      const page: string = await ada.page(next);
      for (const [, id = ""] of page.matchAll(/<li><a href="\/console\/inbox\/(ask_\w+)/g)) seen.add(id);
      next = /href="\/console(\/inbox\?cursor=[^"]*)"/.exec(page)?.[1]?.replaceAll("&amp;", "&");
    }
    expect(seen.size).toBe(1_000);
  });

  it("decides several at once, shown line by line before; of one kind, each on record, and what another is at is left out", async () => {
    const { tenant, askId, ada } = await held();
    const others = [await tenant.session(), await tenant.session()];
    const turns = [await tenant.say(others[0] ?? "", "And mine?"), await tenant.say(others[1] ?? "", "Mine too?")];
    const ids = [askId, ...turns.map(openAsk)];
    await eventually(async () => {
      const page = await ada.page("/inbox/several");
      for (const id of ids) expect(page).toContain(`name="ask" value="${id}"`);
    });
    const form = (fields: Record<string, string>) => [
      ...ids.map((id) => ["ask", id] as [string, string]),
      ...Object.entries(fields),
    ];
    const shown = await (await ada.visit("/inbox/several", form({ do: "accept" }))).text();
    expect(shown).toContain("Accept these 3?");
    expect(await tenant.turn(others[0] ?? "", turns[0]?.turnId ?? "", 0)).toMatchObject({ status: "waiting" });
    // Calls aren't decided with texts, and a refusal has a reason.
    for (const fields of [
      { do: "once", sure: "once" },
      { do: "reject", sure: "reject" },
    ] as const) {
      const answered = await (await ada.visit("/inbox/several", form(fields))).text();
      expect(answered).not.toContain("Decided.");
    }
    const rita = await tenant.withRole("operator");
    await rita.call("POST", `/v1/asks/${ids[2]}/claim`, {});
    // One that is gone keeps none of the others.
    const gone = ["ask", "ask_00000000000000000000000000_ses_00000000000000000000000000"] as [string, string];
    const decided = await (
      await ada.visit("/inbox/several", [gone, ...form({ do: "accept", sure: "accept", note: "As agreed." })])
    ).text();
    expect(decided).toContain("2 were decided, 2 were not");
    expect(decided).toContain("Somebody else is at this");
    expect(decided).toContain("That is not there, or not any more.");
    for (const id of ids.slice(0, 2))
      expect((await tenant.call("GET", `/v1/asks/${id}`)).body).toMatchObject({
        status: "answered",
        answer: { decision: "accept", note: "As agreed." },
        closedBy: { kind: "person" },
      });
    expect((await tenant.call("GET", `/v1/asks/${ids[2]}`)).body.status).toBe("open");
    const stranger = await reviewer(await newTenant());
    const theirs = await (await stranger.visit("/inbox/several", form({ do: "accept", sure: "accept" }))).text();
    expect(theirs).toContain("0 were decided, 3 were not");
    expect(theirs).not.toContain("And mine?");
  });

  it("puts an ask off and goes on to the next; it stands under what is put off until it is brought back", async () => {
    const { tenant, askId, ada } = await held();
    const other = openAsk(await tenant.say(await tenant.session(), "And mine?"));
    await eventually(async () => expect(await ada.page("/inbox")).toContain(other));
    const shown = await ada.page(`/inbox/${askId}`);
    expect(shown).toContain("Put off for");
    const put = await ada.visit(`/inbox/${askId}`, { do: "defer", for: "3600000" });
    expect(put.headers.get("location")).toBe(`/console/inbox/${other}?done=deferred`);
    await eventually(async () => {
      const list = await ada.page("/inbox");
      expect(list).toContain("1 put off");
      expect(list).not.toContain(askId);
    });
    expect(await ada.page("/inbox?show=later")).toContain(askId);
    expect(await ada.page(`/inbox/${askId}`)).toContain("has put it off until");
    expect((await ada.visit(`/inbox/${askId}`, { do: "bringBack" })).status).toBe(303);
    await eventually(async () => expect(await ada.page("/inbox")).toContain(askId));
    for (const wrong of ["", "-1", "99999999999999"])
      expect((await ada.visit(`/inbox/${askId}`, { do: "defer", for: wrong })).status).toBe(422);
  });

  it("has the tenant's queues, each at its address, and stays in one while deciding", async () => {
    const { tenant, askId, ada } = await held();
    const queues = [
      { name: "Money & more", supervisor: "held" },
      { name: "Calls", kind: "approval" },
    ];
    await tenant.call("PATCH", "/v1/tenant", { settings: { queues } });
    const money = "/inbox?queue=Money+%26+more";
    await eventually(async () => expect(await ada.page(money)).toContain(askId));
    expect(await ada.page(money)).toContain(`href="/console/inbox/${askId}?queue=Money+%26+more"`);
    expect(await ada.page("/inbox?queue=Calls")).toContain("Nothing waits.");
    const kept = { do: "accept", content: "You get a refund." };
    const decided = await ada.visit(`/inbox/${askId}?queue=Money+%26+more`, kept);
    expect(decided.headers.get("location")).toBe("/console/inbox?queue=Money+%26+more&done=decided");
  });

  it("keeps a search as a queue, for admins, with how many wait in it; what each decided stands among people", async () => {
    const { tenant, askId, ada } = await held();
    const search = "/inbox?kind=review&subject=&show=";
    await eventually(async () => expect(await ada.page(search)).toContain(askId));
    expect(await ada.page(search)).not.toContain("Keep this search");
    const keep = { do: "keep", name: "Reviews" };
    expect((await ada.visit(search, keep)).status).toBe(403);
    const admin = await reviewer(tenant, "admin");
    expect(await admin.page(search)).toContain("Keep this search as a queue");
    const kept = await admin.visit(search, keep);
    expect(kept.headers.get("location")).toBe("/console/inbox?queue=Reviews&done=saved");
    const settings = (await tenant.call("GET", "/v1/tenant")).body.settings;
    expect(settings.queues).toEqual([{ name: "Reviews", kind: "review" }]);
    await tenant.call("PATCH", "/v1/tenant", { settings: { queues: [{ name: "Money", supervisor: "held" }] } });
    expect(await ada.page("/inbox")).toMatch(/Money.*<span class="dim"> 1<\/span>/);
    await ada.visit(`/inbox/${askId}`, { do: "accept", content: "You get a refund." });
    await eventually(async () => expect(await admin.page("/people")).toContain("1, 0 edited, 0 rejected; half within"));
    const report = async (key: TestTenant) => (await key.call("GET", "/v1/asks/report")).body;
    expect((await report(tenant)).byPerson).toMatchObject([{ answered: 1, accepted: 1 }]);
  });

  it("shows to others that a claim has run out, and lets them decide then", async () => {
    const { tenant, askId, ada } = await held();
    const grace = await reviewer(tenant);
    await eventually(async () => expect(await grace.page("/inbox")).toContain(askId));
    expect((await ada.visit(`/inbox/${askId}`, { do: "claim" })).status).toBe(303);
    const looks = async () => (await grace.visit(`/inbox/${askId}`, undefined, { "x-poll": "1" })).text();
    expect(await looks()).toContain('data-claimed="other"');
    const decision = { do: "accept", content: "You get a refund." };
    const refused = await grace.visit(`/inbox/${askId}`, decision);
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining("Somebody else is at this")]);
    vi.setSystemTime(Date.now() + claimMs);
    expect(await looks()).not.toContain("data-claimed");
    expect(await grace.page("/inbox?show=mine")).toContain("Nothing waits.");
    expect((await grace.visit(`/inbox/${askId}`, decision)).status).toBe(303);
    // Whoever had it is late, and is told who was first.
    expect(await (await ada.visit(`/inbox/${askId}`, { do: "reject", note: "No." })).text()).toContain(
      "was accepted by",
    );
  });

  it("has nothing of another tenant", async () => {
    const { askId } = await held();
    const stranger = await reviewer(await newTenant());
    expect((await stranger.visit(`/inbox/${askId}`)).status).toBe(404);
    expect((await stranger.visit(`/inbox/${askId}`, { do: "accept", content: "x" })).status).toBe(404);
    expect(await stranger.page("/inbox")).toContain("Nothing waits.");
  });
});
