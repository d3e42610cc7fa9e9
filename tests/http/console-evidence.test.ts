/** Datasets, evals and experiments at the console, as a browser without script uses them. */
import { describe, expect, it } from "vitest";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { signIn } from "../support/console.js";
import { eventually } from "../support/eventually.js";
import { hostileTexts } from "../support/hostile-texts.js";

async function at(tenant: TestTenant, role = "operator") {
  const { visit } = await signIn(tenant, { role });
  const page = async (path: string, form?: Record<string, string>) => {
    const answer = await visit(`/console${path}`, form);
    return { status: answer.status, to: answer.headers.get("location") ?? "", html: await answer.text() };
  };
  return page;
}

const stops = (phrase: string) => [{ match: { type: "phrases", phrases: [phrase] }, action: "block", reason: "No." }];

async function withDataset(lines: readonly object[]) {
  const tenant = await newTenant();
  const page = await at(tenant);
  await page("/datasets", { do: "make", name: "texts", "dataset.description": "What customers write." });
  const added = await page("/datasets/texts", {
    ...{ do: "add", lines: [...lines.map((line) => JSON.stringify(line)), '{"inputs": 1}'].join("\n") },
  });
  return { tenant, page, added };
}

describe("a dataset", () => {
  it("is made, filled with pasted lines of which the unreadable are named, and labelled item after item", async () => {
    const { tenant, page, added } = await withDataset([{ input: "Where is it?" }, { input: "I have a knife." }]);
    expect(added.html).toContain("Added 2; 0 were there already.");
    expect(added.html).toContain("Line 3:");
    await eventually(async () => expect((await page("/datasets")).html).toContain("What customers write."));
    const items = async () => (await tenant.call("GET", "/v1/datasets/texts/items")).body.items;
    const [first, second] = await items();
    const open = await page(`/datasets/texts?item=${first.itemId}`);
    expect(open.html).toContain("Where is it?");
    expect(open.html).toContain('data-key="b"');
    const search = `?item=${second.itemId}`;
    const labelled = await page(`/datasets/texts?item=${first.itemId}`, {
      ...{ do: "allow", itemId: first.itemId, next: search },
    });
    expect([labelled.status, labelled.to]).toEqual([303, `/console/datasets/texts${search}&done=saved`]);
    expect((await items())[0].expected).toEqual({ action: "allow" });
    // Of a form nothing but the search of a page is followed.
    const astray = await page("/datasets/texts", { do: "block", itemId: second.itemId, next: "//evil.example/x" });
    expect(astray.to).toBe("/console/datasets/texts?done=saved");
    await page("/datasets/texts", { do: "erase", itemId: second.itemId, next: "" });
    expect(await items()).toHaveLength(1);
  });

  it("keeps what was expected beside the action, and a text only where it is that of a change", async () => {
    const expected = { action: "modify", text: "[name] is here.", contains: ["here"] };
    const { tenant, page } = await withDataset([{ input: "Ada is here.", expected }]);
    const item = async () => (await tenant.call("GET", "/v1/datasets/texts/items")).body.items[0];
    const { itemId } = await item();
    await page("/datasets/texts", { do: "modify", itemId, next: "" });
    expect((await item()).expected).toEqual(expected);
    await page("/datasets/texts", { do: "allow", itemId, next: "" });
    expect((await item()).expected).toEqual({ action: "allow", contains: ["here"] });
  });

  it("is a reviewer's to see, without its texts and without forms; another tenant's is not there", async () => {
    const { tenant } = await withDataset([{ input: "A secret of Ada." }]);
    const reviewer = await at(tenant, "reviewer");
    const { html } = await reviewer("/datasets/texts");
    expect(html).not.toContain("A secret of Ada.");
    expect(html).not.toContain("Add lines");
    expect((await reviewer("/datasets/texts", { do: "add", lines: '{"input": "x"}' })).status).toBe(403);
    expect((await (await at(await newTenant()))("/datasets/texts")).status).toBe(404);
  });

  it("shows hostile texts as texts", async () => {
    const { tenant, page } = await withDataset(hostileTexts.map((input) => ({ input })));
    const { html } = await page("/datasets/texts");
    expect(html).not.toMatch(/<(?:script>|img|iframe|svg)/);
    const [{ itemId }] = (await tenant.call("GET", "/v1/datasets/texts/items")).body.items;
    expect((await page(`/datasets/texts?item=${itemId}`)).html).toContain("&lt;script&gt;");
  });
});

describe("an eval", () => {
  const form = (more: Record<string, string>) => ({
    ...{ "eval.dataset": "texts", "eval.candidates": "now: strict\nlax@1", "eval.repeats": "1" },
    ...{ "eval.maxTokens": "", "eval.callHttp": "no", ...more },
  });

  it("says first what it would come to, then how far it is, then who is better and what was wrong", async () => {
    const good = Array.from({ length: 30 }, (_none, n) => ({
      input: `A bread knife ${n}`,
      expected: { action: "allow" },
    }));
    const bad = Array.from({ length: 30 }, (_none, n) => ({
      input: `With a knife ${n}`,
      expected: { action: "block" },
    }));
    const { tenant, page } = await withDataset([...good, ...bad]);
    await tenant.rules("strict", stops("knife"));
    await tenant.rules("lax", stops("with a knife"));
    const before = await page("/evals?dataset=texts");
    expect(before.html).toContain("What would it come to?");
    expect(before.html).not.toContain("Start it");
    const estimated = await page("/evals", form({ do: "estimate" }));
    expect(estimated.html).toContain("It would make 120 calls, 0 of them of models");
    expect(estimated.html).toContain("Start it");
    expect((await tenant.call("GET", "/v1/evals")).body.items).toEqual([]);
    const started = await page("/evals", form({ do: "start" }));
    expect(started.to).toMatch(/^\/console\/evals\/evl_/);
    const path = started.to.replace("/console", "");
    const html = await eventually(async () => {
      const shown = (await page(path)).html;
      expect(shown).toContain("120 of 120");
      return shown;
    });
    expect(html).toContain("lax-1 is better than now by 50.0 points");
    expect(html).toContain("The first 20 that were wrong");
    expect(html).toContain("A bread knife 0");
    const reviewer = await at(tenant, "reviewer");
    expect((await reviewer(path)).html).not.toContain("A bread knife");
  });

  it("is refused with its place, as the form was filled in", async () => {
    const { page } = await withDataset([{ input: "Hello." }]);
    const refused = await page("/evals", form({ do: "start", "eval.candidates": "now: nobody, a b" }));
    expect(refused.status).toBe(422);
    expect(refused.html).toContain("now: nobody, a b");
    expect(refused.html).toContain("eval.candidates.0");
  });
});

it("two supervisors are compared on a page of their own, with the texts on which they differ", async () => {
  const tenant = await newTenant();
  await tenant.rules("strict", stops("knife"));
  await tenant.rules("lax", stops("with a knife"), { mode: "shadow" });
  await tenant.put("agents", "shop", { ...agent("Help."), supervisors: ["strict", "lax"] });
  const { sessionId } = (await tenant.call("POST", "/v1/sessions", { agent: "shop" })).body;
  for (const content of ["A bread knife?", "With a knife!", "Hello."])
    await tenant.call("POST", `/v1/sessions/${sessionId}/messages`, { content });
  const page = await at(tenant);
  expect((await page("/supervisors/lax")).html).toContain("/console/supervisors/lax/comparison");
  expect((await page("/supervisors/lax/comparison")).html).toContain("Compare with the supervisor");
  const html = await eventually(async () => {
    const found = await page("/supervisors/lax/comparison?with=strict&version=&withVersion=&from=");
    expect(found.html).toContain("Not enough yet: 4 items in 1 group that");
    return found.html;
  });
  expect(html).toContain("About 19 groups more are needed.");
  const stricter = html.slice(html.indexOf("strict@1 was stricter"));
  expect(stricter).toContain(`/console/conversations/${sessionId}/messages/msg_`);
  const reviewer = await at(tenant, "reviewer");
  expect((await reviewer("/supervisors/lax/comparison?with=strict")).html).toContain("strict@1 was stricter");
  const wrong = await page("/supervisors/lax/comparison?with=nobody");
  expect([wrong.status, wrong.html.includes("There is no such supervisor or version.")]).toEqual([200, true]);
  expect((await page("/supervisors/lax/comparison?version=1")).html).toContain("names the supervisor itself");
  expect((await page("/supervisors/lax/comparison?with=strict&from=1970-01-01")).html).toContain("1970-01-01");
});

const agent = (instructions: string) => ({ kind: "model", model: "offline", instructions });

describe("agents", () => {
  it("are held against a dataset, changed and judged, with tokens that are reckoned for whoever named none", async () => {
    const { tenant, page } = await withDataset([{ input: "Hello." }, { input: "Good evening." }]);
    for (const name of ["shop", "grader"]) await tenant.put("agents", name, agent(`As ${name}.`));
    const form = (more: Record<string, string>) => ({
      ...{ "eval.dataset": "texts", "eval.of": "agent", "eval.candidates": "now: shop@1", "eval.repeats": "1" },
      ...{ "eval.instructions": "Be short.", "eval.judge": "grader", "eval.better": "The shorter one.", ...more },
    });
    expect((await page("/evals", form({ do: "start" }))).html).toContain("has to be said where a model is called");
    const { html } = await page("/evals", form({ do: "estimate" }));
    expect(html).toMatch(/It would make 8 calls, 8 of them of models/);
    const tokens = /name="eval.maxTokens"[^>]*value="(\d+)"|value="(\d+)"[^>]*name="eval.maxTokens"/.exec(html);
    const most = tokens?.[1] ?? tokens?.[2] ?? "";
    expect(Number(most)).toBeGreaterThan(999);
    const started = await page("/evals", form({ do: "start", "eval.maxTokens": "100000" }));
    const path = started.to.replace("/console", "");
    const shown = await eventually(async () => {
      const over = await page(path);
      expect(over.html).toContain("8 of 8");
      return over.html;
    });
    expect(shown).toContain("Candidate changed");
    expect(shown).toContain("What each answered");
    expect(shown).toContain("Good evening.");
    const [first] = (await tenant.call("GET", `/v1${path}`)).body.candidates;
    expect(first).toMatchObject({ name: "now", agent: "shop@1" });
  });

  it("answer a turn or a conversation again, from its page; who may not is shown no way and refused", async () => {
    const tenant = await newTenant();
    await tenant.put("agents", "shop", agent("As a shop."));
    const { sessionId } = (await tenant.call("POST", "/v1/sessions", { agent: "shop" })).body;
    const say = async (content: string) =>
      (await tenant.call("POST", `/v1/sessions/${sessionId}/messages`, { content })).body.turnId;
    const turnIds = [await say("Is it open?"), await say("And tomorrow?")];
    const page = await at(tenant);
    const conversation = `/conversations/${sessionId}`;
    expect((await page(conversation)).html).toContain(`/console${conversation}/replay?turn=${turnIds[0]}`);
    const replay = `${conversation}/replay?turn=${turnIds[0]}`;
    expect((await page(replay)).html).toContain("now: shop");
    const form = { "replay.of": "agent", "replay.candidates": "now: shop", "replay.instructions": "Be short." };
    const estimated = await page(replay, { ...form, do: "estimate" });
    expect(estimated.html).toContain("It would make 2 calls");
    expect((await page(`${conversation}/replay`, { ...form, do: "estimate" })).html).toContain("It would make 4 calls");
    const kept = { "replay.maxTokens": "100000", "replay.copy": "yes" };
    const started = await page(replay, { ...form, ...kept, do: "start" });
    const shown = await eventually(async () => {
      const { html } = await page(started.to.replace("/console", ""));
      expect(html).toContain("2 of 2");
      return html;
    });
    expect(shown.match(/<bdi>(?:now|changed)<\/bdi>/g)?.length).toBeGreaterThan(3);
    const reviewer = await at(tenant, "reviewer");
    expect((await reviewer(conversation)).html).not.toContain("/replay");
    expect((await reviewer(replay)).status).toBe(403);
    expect((await reviewer(replay, { ...form, do: "start" })).status).toBe(403);
    const stranger = await at(await newTenant());
    expect((await stranger(replay, { ...form, do: "start" })).status).toBe(404);
  });
});

it("an experiment is made, started, raised, promoted, and says in one sentence how it stands", async () => {
  const tenant = await newTenant();
  for (const name of ["shop", "shop-short"])
    await tenant.put("agents", name, { kind: "model", model: "offline", instructions: `As ${name}.` });
  const page = await at(tenant);
  const form = (share: string, more: Record<string, string>) => ({
    ...{ "experiment.agent": "shop", "experiment.unit": "subject", "experiment.guards": "blocked, failed" },
    ...{ "experiment.variants": `short, shop-short, ${share} %`, ...more },
  });
  const refused = await page("/experiments", form("95", { do: "make", name: "brief" }));
  expect([refused.status, refused.html.includes("short, shop-short, 95 %")]).toEqual([422, true]);
  const made = await page("/experiments", form("10", { do: "make", name: "brief" }));
  expect(made.to).toBe("/console/experiments/brief?done=saved");
  expect((await page("/experiments/brief")).html).toContain("Nobody is in it yet");
  await page("/experiments/brief", { do: "start" });
  expect((await page("/experiments/brief")).html).toContain("Too early to say: about 100 conversations more.");
  expect((await page("/experiments")).html).toContain("Too early to say: about 100 conversations more.");
  await page("/experiments/brief", form("25", { do: "save" }));
  expect((await tenant.call("GET", "/v1/experiments/brief")).body).toMatchObject({
    ...{ status: "running", variants: [{ name: "short", share: 0.25 }] },
    guards: [{ metric: "blocked" }, { metric: "failed" }],
  });
  expect((await (await at(tenant, "reviewer"))("/experiments/brief")).html).not.toContain("Raise shares");
  await page("/experiments/brief", { do: "promote", variant: "short" });
  expect((await tenant.call("GET", "/v1/agents/shop")).body).toMatchObject({
    version: 2,
    instructions: "As shop-short.",
  });
  expect((await page("/experiments/brief")).html).toContain("Became the agent");
  expect((await page("/experiments/brief", { do: "delete" })).to).toBe("/console/experiments?done=deleted");
});
