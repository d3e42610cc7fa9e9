// Takes the pictures of docs/console.md from a running Worker: `npm start`, then `node tools/console-pictures.mjs`. With a folder as its argument it
// takes every screen there, at three widths, in light and dark.
import { mkdirSync, readFileSync } from "node:fs";
import chromium from "@sparticuz/chromium";
import { chromium as launcher } from "playwright-core";

const [, , folder] = process.argv;
const { key, origin } = JSON.parse(readFileSync(".wrangler/local-key.json", "utf8"));
const site = origin.replace("127.0.0.1", "localhost");

async function call(method, path, body, type = "application/json") {
  const response = await fetch(origin + path, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": type },
    ...(body && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.status === 204 ? {} : response.json();
}

/** The one with this address, with a link that hasn't been used. */
async function person(name, email, role) {
  const { items } = await call("GET", "/v1/people?limit=200");
  const known = items.find((one) => one.email === email);
  return known === undefined
    ? call("POST", "/v1/people", { name, email, role })
    : call("POST", `/v1/people/${known.personId}/invitations`);
}

/** A memory of two conversations, one of them in another script. */
async function remembered() {
  const { vaultId } = await call("POST", "/v1/vaults", { title: "Customers" });
  const about = { title: "What we know of Ana", subject: "ana", model: "offline" };
  const { memoryId } = await call("POST", `/v1/vaults/${vaultId}/memories`, about);
  const memory = `/v1/memories/${memoryId}`;
  const said = ["My parcel comes to Turin.", "Noted: Turin.", "أفضّل أن تكتبوا لي بالعربية.", "Of course."];
  const messages = said.map((content, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content }));
  await call("POST", `${memory}/threads/orders/messages`, { messages });
  await call("POST", `${memory}/threads/orders/end`, {});
  await call("POST", `${memory}/await-consistency`, { threadId: "orders", level: "context", timeoutMs: 20_000 });
  const { entryId } = await call("POST", `${memory}/entries`, {
    rawEntry: "Ana is allergic to nuts.",
    tags: { kind: "health" },
  });
  const at = `/console/memories/${memoryId}`;
  return { memory: at, entry: `${at}/entries/${entryId}`, context: `${at}/context/1`, found: `${at}?words=parcel` };
}

/** Something to be seen: people, a call that waits for approval, a text that was changed, a receiver. */
async function furnish() {
  await person("Grace Hopper", "grace@example.com", "reviewer");
  await person("حسن العلي", "hasan@example.com", "operator");
  await call("PUT", "/v1/webhooks/crm", { url: "https://crm.example/hook", events: ["turn.completed", "ask.opened"] });
  const queues = [
    { name: "Refunds", kind: "approval" },
    { name: "Reviews", kind: "review" },
  ];
  await call("PATCH", "/v1/tenant", { settings: { queues } });
  let conversation;
  for (const content of [
    "My card is 4111 1111 1111 1111. How long does delivery take?",
    "Refund order 1001, please.",
  ]) {
    const { sessionId } = await call("POST", "/v1/sessions", { agent: "shop", subject: "ana" });
    await call("POST", `/v1/sessions/${sessionId}/messages`, { content });
    conversation ??= `/console/conversations/${sessionId}`;
  }
  const topic = "Do we answer customers on Sundays?";
  const { sessionId } = await call("POST", "/v1/roundtables", { topic, mode: "collaborative", agentCount: 3 });
  const clerk = { id: "clerk", description: "Orders", capabilities: { skills: ["order"] }, model: "offline" };
  const team = { supervisor: { strategy: "skill-based" }, workers: [clerk] };
  const { runId } = await call("POST", "/v1/runs", { team, input: "Where is my order?", subject: "ana" });
  const redirect_uri = "http://127.0.0.1:7777/callback";
  const program = { client_name: "An editor", redirect_uris: [redirect_uri] };
  const { client_id } = await call("POST", "/oauth/register", program);
  const asked = { response_type: "code", client_id, redirect_uri, code_challenge_method: "S256" };
  const authorize = `/console/authorize?${new URLSearchParams({ ...asked, code_challenge: "x".repeat(43) })}`;
  return {
    authorize,
    ...(await remembered()),
    ...(await evidence()),
    conversation,
    roundtable: `/console/roundtables/${sessionId}`,
    run: `/console/runs/${runId}`,
  };
}

/** A dataset, an eval over it that has ended, and an experiment that runs. */
async function evidence() {
  await call("PUT", "/v1/datasets/knives", { description: "What customers write about knives." });
  const lines = Array.from({ length: 40 }, (_none, at) => [
    { input: `Is there a knife block for bread knife ${at}?`, expected: { action: "allow" } },
    { input: `I will come with a knife at ${at}.`, expected: { action: "block" } },
  ]).flat();
  const strange = [{ input: "هل لديكم سكين للخبز؟" }, { input: `${"knife".repeat(60)} \u202Eesrever <b>bold</b>` }];
  const text = [...strange, ...lines].map((line) => JSON.stringify(line)).join("\n");
  await call("POST", "/v1/datasets/knives/items", text, "application/jsonl");
  const stops = (phrase) => ({
    kind: "rules",
    hooks: ["request"],
    config: { rules: [{ match: { type: "phrases", phrases: [phrase] }, action: "block", reason: "No weapons." }] },
  });
  const candidates = [
    { name: "now", supervisors: [stops("knife")] },
    { name: "narrower", supervisors: [stops("with a knife")] },
  ];
  const { evalId } = await call("POST", "/v1/evals", { dataset: "knives", candidates });
  const { items } = await call("GET", "/v1/experiments");
  if (items.length === 0) {
    const variants = [{ name: "short", agent: "assistant", share: 0.1 }];
    await call("PUT", "/v1/experiments/short-answers", { agent: "shop", variants });
    await call("POST", "/v1/experiments/short-answers/start");
  }
  const dataset = "/console/datasets/knives?item=first";
  return { dataset, eval: `/console/evals/${evalId}`, experiment: "/console/experiments/short-answers" };
}

/** What docs/console.md shows. */
const shown = ["overview", "inbox", "roundtable", "memory", "authorize", "decisions", "eval", "supervisors", "people"];
const views = folder
  ? [1440, 800, 390].flatMap((width) => ["light", "dark"].map((colorScheme) => ({ width, colorScheme })))
  : [{ width: 1120, colorScheme: "light" }];
const to = folder ?? "docs/pictures";
mkdirSync(to, { recursive: true });
const furnished = await furnish();
const { link } = await person("Ada Lovelace", "ada@example.com", "admin");
const browser = await launcher.launch({
  args: ["--no-sandbox", "--headless=shell"],
  executablePath: await chromium.executablePath(),
});
const context = await browser.newContext();
const page = await context.newPage();
await page.goto(link.replace(origin, site));
await page.getByRole("button", { name: "Sign in" }).click();
await page.getByRole("heading", { name: "You" }).waitFor();
const paths = await page.locator("nav a").evaluateAll((links) => links.map((one) => one.getAttribute("href")));
for (const { width, colorScheme } of views) {
  await page.setViewportSize({ width, height: 700 });
  await page.emulateMedia({ colorScheme });
  const named = [...paths, "/console/you"].map((path) => [path.split("/").at(-1), path]);
  for (const [name, path] of [...named, ...Object.entries(furnished)]) {
    if (!folder && !shown.includes(name)) continue;
    await page.goto(site + path);
    if (name === "inbox") {
      // With the first one open; where there is little room the list is shown.
      const first = page.locator("#asks ol a").first();
      if (width > 1_000 && (await first.count()) > 0) {
        await first.click();
        await page.locator(".inbox.one").waitFor();
      }
      await page.waitForTimeout(700);
    }
    // Its verdicts are open, as they are labelled.
    if (name === "conversation")
      await page.evaluate("for (const fold of document.querySelectorAll('.shield')) fold.open = true");
    const file = folder ? `${name}-${width}-${colorScheme}.png` : `console-${name}.png`;
    await page.screenshot({ path: `${to}/${file}`, fullPage: folder !== undefined && width < 500 });
    console.log(`${to}/${file}`);
  }
}
await browser.close();
