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
  await page.getByRole("button", { name: /Accept/ }).click();
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
