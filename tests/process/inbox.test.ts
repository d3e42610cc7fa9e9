/** The console's inbox in a real browser: people decide what is held, by mouse, by keyboard, and without script. */
import chromium from "@sparticuz/chromium";
import { type Browser, chromium as launcher, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { upstreamFor } from "../support/upstream-client.js";
import { WorkerProcess } from "./worker.js";

let worker: WorkerProcess;
let browser: Browser;
let page: Page;
let key: string;
let origin: string;
const model = upstreamFor(inject("upstreamUrl"));

beforeAll(async () => {
  worker = new WorkerProcess(inject("upstreamUrl"));
  await worker.start();
  ({ key } = await worker.tenant());
  origin = worker.variables.URL.replace("127.0.0.1", "localhost");
  const holds = { match: { type: "phrases", phrases: ["hold"] }, action: "review", reason: "A person looks first." };
  const redacts = {
    match: { type: "personalData", kinds: ["email"] },
    action: "redact",
    reason: "It held an address.",
  };
  await worker.call("PUT", "/v1/supervisors/desk", key, {
    ...{ kind: "rules", hooks: ["request"], review: { audience: "staff" }, config: { rules: [holds, redacts] } },
  });
  await worker.call("PUT", "/v1/agents/assistant", key, {
    ...{ kind: "model", model: `openai/${model.model}`, instructions: "Help.", supervisors: ["desk"] },
  });
  await model.reply({ text: "Done.", repeat: true });
  browser = await launcher.launch({
    args: ["--no-sandbox", "--headless=shell"],
    executablePath: await chromium.executablePath(),
  });
  page = await browser.newPage();
  const person = { name: "Rita", email: "rita@shop.example", role: "reviewer" };
  const { link } = await worker.call("POST", "/v1/people", key, person);
  await page.goto(link.replace("127.0.0.1", "localhost"));
  await page.getByRole("button").first().click();
  await page.waitForURL(/console\/you/);
});

afterAll(async () => {
  await browser?.close();
  await worker?.end();
});

/** A message that is held, in a session of its own. */
async function held(text: string): Promise<string> {
  const { sessionId } = await worker.call("POST", "/v1/sessions", key, { agent: "assistant", subject: "ana" });
  const turn = await worker.call("POST", `/v1/sessions/${sessionId}/messages`, key, { content: text, waitMs: 5_000 });
  const [ask] = turn.asks;
  if (ask === undefined) throw new Error("it wasn't held");
  return ask.askId;
}

const answerOf = async (askId: string) => {
  const { status, answer, closedBy } = await worker.call("GET", `/v1/asks/${askId}`, key);
  return { status, given: answer, by: closedBy?.kind };
};

it("shows why it is held and what would change; changed text is sent edited, whichever button is pressed", async () => {
  const askId = await held("hold this: write to ana@shop.example");
  await page.goto(`${origin}/console/inbox/${askId}`);
  await page.getByText("A person looks first. It held an address.").waitFor();
  expect(await page.locator("del").textContent()).toBe("taken out: ana@shop.example");
  expect(await page.locator("ins").textContent()).toBe("put in: [email]");
  await page.locator("summary[data-key=e]").click();
  await page.getByLabel("Text").fill("Please look at order 7.");
  await page.getByLabel("Note").fill("Order 7 is meant.");
  // There is one button that sends it, and it says what it sends.
  await page.getByRole("button", { name: /Send edited/ }).click();
  await page.getByText("Decided.").waitFor();
  expect(await answerOf(askId)).toEqual({
    status: "answered",
    given: { decision: "edit", content: "Please look at order 7.", note: "Order 7 is meant." },
    by: "person",
  });
});

it("a held key decides one alone, and nothing that was not yet seen", async () => {
  const asks = [await held("hold one"), await held("hold two"), await held("hold three")];
  await page.goto(`${origin}/console/inbox`);
  await page.locator(`#${asks[0]}`).click();
  await page.getByRole("button", { name: /Accept/ }).waitFor();
  // As a key that is held repeats: the first press counts, if what it decides has been there for half a second.
  await expect
    .poll(async () => {
      await page.keyboard.press("a");
      return (await Promise.all(asks.map(answerOf))).filter(({ status }) => status === "answered").length;
    })
    .toBe(1);
  // The page is another one now: the key is still down, and repeats.
  for (let times = 0; times < 20; times++) {
    await page.evaluate(
      `document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "a", repeat: true, bubbles: true }))`,
    );
  }
  expect((await Promise.all(asks.map(answerOf))).filter(({ status }) => status === "answered")).toHaveLength(1);
});

it("who rejects says why: the field for it has the focus then", async () => {
  const askId = await held("hold without a reason");
  await page.goto(`${origin}/console/inbox/${askId}`);
  await page.getByRole("button", { name: /Reject/ }).click();
  await page.getByText("Say why").waitFor();
  expect((await answerOf(askId)).status).toBe("open");
  await page.keyboard.type("Not this month.");
  await page.getByRole("button", { name: /Reject/ }).click();
  await page.getByText("Decided.").waitFor();
  expect(await answerOf(askId)).toMatchObject({ given: { decision: "reject", message: "Not this month." } });
});

it("somebody else was faster: it says so, and what was written stays", async () => {
  const askId = await held("hold late");
  await page.goto(`${origin}/console/inbox/${askId}`);
  await page.getByLabel("Message").fill("We don't do that.");
  // Who writes has claimed it: a program that decides takes it over.
  await page.getByText(/You are at it/).waitFor();
  await worker.call("POST", `/v1/asks/${askId}/claim`, key, { takeOver: true });
  await worker.call("POST", `/v1/asks/${askId}/answer`, key, { decision: "accept" });
  await page.getByRole("button", { name: /Reject/ }).click();
  await page.getByText("Somebody has decided this already.").waitFor();
  expect(await answerOf(askId)).toMatchObject({ given: { decision: "accept" }, by: "key" });
});

it("works without script", async () => {
  const askId = await held("hold without script");
  const context = await browser.newContext({
    javaScriptEnabled: false,
    storageState: await page.context().storageState(),
  });
  const plain = await context.newPage();
  await plain.goto(`${origin}/console/inbox`);
  await plain.locator(`#${askId}`).click();
  await plain.getByRole("button", { name: /Accept/ }).click();
  await plain.getByText("Decided.").waitFor();
  expect(await answerOf(askId)).toMatchObject({ given: { decision: "accept" }, by: "person" });
  await context.close();
});

it("hostile texts stay texts", async () => {
  let asked = 0;
  await page.route("https://evil.example/**", (route) => {
    asked++;
    return route.abort();
  });
  const askId = await held(
    'hold <img src="https://evil.example/x"><script>window.hit=1</script> \u202egnp.exe [a](https://evil.example/y)',
  );
  await page.goto(`${origin}/console/inbox/${askId}`);
  await page.getByText("right-to-left override").first().waitFor();
  expect(await page.evaluate("window.hit")).toBeUndefined();
  expect(asked).toBe(0);
  await page.getByLabel("Message").fill("Nothing of that.");
  await page.getByRole("button", { name: /Reject/ }).click();
  await page.getByText("Decided.").waitFor();
});

/** Somebody else of the staff, in a browser of their own. */
async function colleague(name: string): Promise<Page> {
  const person = { name, email: `${name.toLowerCase()}@shop.example`, role: "reviewer" };
  const { link } = await worker.call("POST", "/v1/people", key, person);
  const other = await (await browser.newContext()).newPage();
  await other.goto(link.replace("127.0.0.1", "localhost"));
  await other.getByRole("button").first().click();
  await other.waitForURL(/console\/you/);
  return other;
}

it("two people at one ask: who writes has claimed it, others are told, and may take it over on record", async () => {
  const askId = await held("hold for two");
  const sam = await colleague("Sam");
  await Promise.all([page, sam].map((one) => one.goto(`${origin}/console/inbox/${askId}`)));
  await page.getByLabel("Message").pressSequentially("We");
  await page.getByText(/You are at it/).waitFor();
  // The list of others says it by itself, and so does the page of the ask.
  await sam.getByText(/Rita is at it/).waitFor();
  // A press in a chat, and a program, are refused like Sam.
  const response = await fetch(`${worker.variables.URL}/v1/asks/${askId}/answer`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ decision: "accept" }),
  });
  expect([response.status, await response.text()]).toEqual([409, expect.stringContaining('"code":"claimed"')]);
  await sam.getByLabel("Note").fill("Looks right.");
  await sam.getByRole("button", { name: /Accept/ }).click();
  await sam.getByText(/Somebody else is at this/).waitFor();
  expect((await answerOf(askId)).status).toBe("open");
  expect(await sam.getByLabel("Note").inputValue()).toBe("Looks right.");
  await sam.getByRole("button", { name: "Take over" }).click();
  await sam.getByText(/You are at it/).waitFor();
  await sam.getByRole("button", { name: /Accept/ }).click();
  await sam.getByText("Decided.").waitFor();
  // Rita is told who decided, and what she had written is still there.
  await page.getByText(/accepted by Sam/).waitFor();
  expect(await page.getByLabel("Message").inputValue()).toBe("We");
  expect(await answerOf(askId)).toMatchObject({ given: { decision: "accept", note: "Looks right." }, by: "person" });
  await sam.context().close();
});

it("who leaves an ask gives it back", async () => {
  const askId = await held("hold and leave");
  await page.goto(`${origin}/console/inbox/${askId}`);
  await page.locator("summary[data-key=e]").waitFor();
  await expect
    .poll(async () => {
      await page.keyboard.press("c");
      return JSON.stringify((await worker.call("GET", `/v1/asks/${askId}`, key)).claim ?? {});
    })
    .toContain('"kind":"person"');
  await page.getByText(/You are at it/).waitFor();
  await page.locator('nav a[href="/console/conversations"]').click();
  await expect.poll(async () => (await worker.call("GET", `/v1/asks/${askId}`, key)).claim).toBeUndefined();
  await worker.call("POST", `/v1/asks/${askId}/answer`, key, { decision: "accept" });
});

it("offline nothing is sent, what was written stays, and it is sent once", async () => {
  const askId = await held("hold offline");
  await page.goto(`${origin}/console/inbox/${askId}`);
  await page.getByLabel("Message").fill("Not without a receipt.");
  await page.context().setOffline(true);
  await page.getByRole("button", { name: /Reject/ }).click();
  await page.getByText(/You are offline/).waitFor();
  await page.context().setOffline(false);
  expect(await page.getByLabel("Message").inputValue()).toBe("Not without a receipt.");
  await page.getByRole("button", { name: /Reject/ }).click();
  await page.getByText("Decided.").waitFor();
  expect(await answerOf(askId)).toMatchObject({ given: { decision: "reject", message: "Not without a receipt." } });
});

it("a call is edited in fields of its tool's schema, keeps its types, and is pressed twice where each is asked about", async () => {
  await worker.call("PUT", "/v1/tools/refund", key, {
    ...{ server: "shop", description: "Pays money back.", approval: "always" },
    parameters: {
      type: "object",
      properties: {
        order: { type: "string" },
        amount: { type: "number", description: "In euros." },
        reason: { type: "string", enum: ["late", "broken"] },
        gift: { type: "boolean" },
      },
      required: ["order", "amount"],
      additionalProperties: false,
    },
    http: { method: "POST", url: `${model.hookURL}/refund` },
  });
  const calls = upstreamFor(inject("upstreamUrl"));
  await worker.call("PUT", "/v1/agents/till", key, {
    ...{ kind: "model", model: `openai/${calls.model}`, instructions: "Help." },
    tools: [{ server: "shop", tool: "refund" }],
  });
  await calls.reply(
    { toolCalls: [{ name: "refund", arguments: { order: "007", amount: 100 } }] },
    { text: "Done.", repeat: true },
  );
  const { sessionId } = await worker.call("POST", "/v1/sessions", key, { agent: "till" });
  const turn = await worker.call("POST", `/v1/sessions/${sessionId}/messages`, key, { content: "Refund." });
  const askId = turn.asks[0]?.askId ?? "";
  await page.goto(`${origin}/console/inbox/${askId}`);
  await page.locator("summary[data-key=e]").click();
  await page.getByLabel("amount").fill("a lot");
  await page.getByRole("button", { name: "Allow as edited" }).click();
  await page.getByText("It has to be a number").waitFor();
  await page.getByLabel("amount").fill("12.5");
  await page.getByLabel(/reason/).selectOption({ label: "late" });
  await page.getByLabel(/gift/).selectOption({ label: "No" });
  await page.getByRole("button", { name: /^Allow/ }).click();
  await page.getByText("Press again, and it is called.").waitFor();
  expect((await answerOf(askId)).status).toBe("open");
  await page.getByRole("button", { name: /^Allow/ }).click();
  await page.getByText("Decided.").waitFor();
  expect(await answerOf(askId)).toMatchObject({
    given: { decision: "once", args: { order: "007", amount: 12.5, reason: "late", gift: false } },
  });
});

it("is worked off by keyboard alone: to the next, claim, edit, note, send", async () => {
  await held("hold for the keyboard");
  await page.goto(`${origin}/console/inbox`);
  // Pressed again where the page was too fresh to take a key; not while it is on its way to what was pressed.
  const press = (key: string, until: () => Promise<boolean>) =>
    expect
      .poll(async () => {
        const isBusy = await page.evaluate<boolean>("document.body.hasAttribute('aria-busy')");
        if (!isBusy && !(await until())) await page.keyboard.press(key);
        return until();
      })
      .toBe(true);
  await press("j", async () => page.url().includes("/inbox/ask_"));
  const first = page.url().split("/").at(-1) ?? "";
  await press("e", () => page.evaluate<boolean>("document.activeElement?.name === 'content'"));
  await page.keyboard.press("End");
  await page.keyboard.type(" now");
  await page.keyboard.press("Escape");
  await press("n", () => page.evaluate<boolean>("document.activeElement?.name === 'note'"));
  await page.keyboard.type("by keys");
  await page.keyboard.press("Escape");
  await press("a", () => page.getByText("Decided.").isVisible());
  expect(await answerOf(first)).toMatchObject({ given: { decision: "edit", note: "by keys" } });
});
