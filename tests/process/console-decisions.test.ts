/** A false alarm is found, labelled, tried narrower and stored, on the console's pages in a browser: and the same text passes. */
import chromium from "@sparticuz/chromium";
import { type Browser, chromium as launcher, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { WorkerProcess } from "./worker.js";

let worker: WorkerProcess;
let browser: Browser;
let page: Page;
let key: string;
let origin: string;

beforeAll(async () => {
  worker = new WorkerProcess(inject("upstreamUrl"));
  await worker.start();
  key = await worker.tenantKey();

  const rule = { match: { type: "phrases", phrases: ["refund", "lawyer"] }, action: "block", reason: "By telephone." };
  const rules = { kind: "rules", hooks: ["request"], config: { rules: [rule] } };
  await worker.call("PUT", "/v1/supervisors/no-refunds", key, rules);
  await worker.call("PUT", "/v1/agents/clerk", key, {
    kind: "model",
    model: "offline",
    instructions: "Help.",
    supervisors: ["no-refunds"],
  });
  const ada = { name: "Ada", email: "ada@example.com", role: "admin" };
  const { link } = await worker.call("POST", "/v1/people", key, ada);
  browser = await launcher.launch({
    args: ["--no-sandbox", "--headless=shell"],
    executablePath: await chromium.executablePath(),
  });
  page = await browser.newPage();
  const url = new URL(String(link));
  url.protocol = "http:";
  url.host = new URL(worker.variables.URL).host.replace("127.0.0.1", "localhost");
  origin = url.origin;
  await page.goto(url.href);
  await page.getByRole("main").getByRole("button").first().click();
  await page.waitForURL(/\/console\/you/);
});

afterAll(async () => {
  await browser?.close();
  await worker?.end();
});

const say = async (content: string): Promise<string> => {
  const { sessionId } = await worker.call("POST", "/v1/sessions", key, { agent: "clerk" });
  const { status } = await worker.call("POST", `/v1/sessions/${sessionId}/messages`, key, { content });
  return String(status);
};

it("from a wrong block to a narrower rule that is stored, without a page of docs", async () => {
  expect(await say("Where is the refund policy? <img src=x onerror=alert(1)>")).toBe("blocked");
  expect(await say("I call my lawyer.")).toBe("blocked");
  const shown = async () => {
    await page.goto(`${origin}/console/decisions`);
    return page.locator(".rows li").count();
  };
  await expect.poll(shown, { timeout: 20_000 }).toBe(2);

  // The one that was right by key; then the false alarm.
  await page.locator(".rows a").first().click();
  await page.getByText("I call my lawyer.").waitFor();
  await page.waitForTimeout(600);
  await page.keyboard.press("r");
  await page.locator(".rows .badge", { hasText: "right" }).waitFor();
  await page.locator(".rows a").nth(1).click();
  // The text of others is text: nothing of it is an element.
  await page.locator(".quote", { hasText: "<img src=x" }).waitFor();
  expect(await page.locator(".quote img").count()).toBe(0);
  await page.waitForTimeout(600);
  await page.keyboard.press("w");
  await page.locator(".rows .badge", { hasText: "wrong" }).waitFor();

  // Its rule, with the text filled in; a narrower one is tried on it and on what was labelled.
  await page.getByRole("link", { name: "Open the rule" }).click();
  const text = page.getByLabel("On this text");
  await expect.poll(() => text.inputValue()).toContain("refund policy");
  await page.getByRole("button", { name: "Try" }).click();
  await page.locator("#tried .badge", { hasText: "blocked" }).waitFor();
  await page.getByLabel("Words and phrases, one a line").fill("lawyer\nI want a refund");
  await page.getByRole("button", { name: "Try" }).click();
  await page.locator("#tried .badge", { hasText: "passed" }).waitFor();
  expect(await page.locator("#tried").textContent()).toContain(
    "free 1 of 1 false alarms, and miss 0 of 1 that were right",
  );
  expect(await text.inputValue()).toContain("refund policy");
  await page.getByRole("button", { name: "Store, and it counts" }).click();
  await page.getByText("Version 2").waitFor();

  expect(await say("Where is the refund policy?")).toBe("completed");
  expect(await say("I call my lawyer.")).toBe("blocked");
  await page.goto(`${origin}/console/overview`);
  await page.getByRole("cell", { name: "clerk" }).waitFor();
  const { items } = await worker.call("GET", "/v1/supervisors/no-refunds/versions", key);
  expect(items).toMatchObject([{ version: 2, author: { kind: "person" } }, { version: 1 }]);
});
