/**
 * The console in a real browser, against a Worker in its own process. The browser is started with none of its package's own arguments, some of
 * which switch off what is tested here.
 */
import { readFileSync } from "node:fs";
import chromium from "@sparticuz/chromium";
import axe from "axe-core";
import { type Browser, type BrowserContext, chromium as launcher, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { screens } from "../../src/console/screens.js";
import { hostileTexts } from "../support/hostile-texts.js";
import { WorkerProcess } from "./worker.js";

let worker: WorkerProcess;
let browser: Browser;
/** As browsers come: passkeys have no address of numbers. */
let origin: string;
let admin: { readonly key: string; readonly tenantId: string };
/** Where a program sends somebody who is to let it in. */
let consent: string;
let people = 0;
const contexts: BrowserContext[] = [];

beforeAll(async () => {
  worker = new WorkerProcess();
  await worker.start();
  origin = worker.variables.URL.replace("127.0.0.1", "localhost");
  admin = await worker.tenant();
  consent = await askedByProgram();
  const executablePath = await chromium.executablePath();
  browser = await launcher.launch({ args: ["--no-sandbox", "--headless=shell"], executablePath });
});

afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

afterAll(async () => {
  await browser?.close();
  await worker?.end();
});

/** A program with a hostile name registers itself. @returns the search of the address to which it sends its person */
async function askedByProgram(): Promise<string> {
  const redirect_uri = "http://127.0.0.1:7777/callback";
  const program = { client_name: hostileTexts[0]?.slice(0, 100), redirect_uris: [redirect_uri] };
  const answer = await fetch(`${origin}/oauth/register`, { method: "POST", body: JSON.stringify(program) });
  const { client_id } = z.object({ client_id: z.string() }).parse(await answer.json());
  const pkce = { code_challenge: "x".repeat(43), code_challenge_method: "S256" };
  return `?${new URLSearchParams({ response_type: "code", client_id, redirect_uri, ...pkce, scope: "role" })}`;
}

const invitationSchema = z.object({ personId: z.string(), link: z.string() });

/** Somebody new, with a link that hasn't been used. */
async function invited(role = "admin", tenant = admin) {
  people += 1;
  const person = { name: `Person ${people}`, email: `person${people}@example.com`, role };
  const { personId, link } = invitationSchema.parse(await worker.call("POST", "/v1/people", tenant.key, person));
  return { ...person, personId, link: link.replace("127.0.0.1", "localhost") };
}

async function newPage(options: Parameters<Browser["newContext"]>[0] = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  contexts.push(context);
  context.setDefaultTimeout(10_000);
  return context.newPage();
}

async function join(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "You" }).waitFor();
}

/** Somebody who is signed in. */
async function signedIn(options: Parameters<Browser["newContext"]>[0] = {}, role = "admin") {
  const page = await newPage(options);
  const person = await invited(role);
  await join(page, person.link);
  return { page, ...person };
}

/** A device in the browser that says yes. */
async function addDevice(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const options = { protocol: "ctap2", transport: "internal", hasResidentKey: true } as const;
  const yes = { hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true };
  await session.send("WebAuthn.addVirtualAuthenticator", { options: { ...options, ...yes } });
}

describe("somebody comes in", () => {
  it("by a link once, adds a passkey, signs out, and comes in by the passkey", async () => {
    const page = await newPage();
    await addDevice(page);
    const { link, name } = await invited("reviewer");
    await join(page, link);
    // Neither the address nor the history keeps the code.
    expect(page.url()).toBe(`${origin}/console/you`);
    await page.getByLabel("Name of the passkey").fill("Laptop");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("cell", { name: "Laptop", exact: true }).waitFor();

    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("link", { name }).waitFor();

    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ name: "conclave", httpOnly: true, sameSite: "Lax", path: "/" });
    const second = await newPage();
    await second.goto(link);
    await second.getByRole("button", { name: "Sign in" }).click();
    await second.getByText("This link was used before").waitFor();
    expect(await second.context().cookies()).toEqual([]);
  });

  it("without script: what stands behind # is put in by hand", async () => {
    const page = await newPage({ javaScriptEnabled: false });
    const { link, name } = await invited();
    await page.goto(link);
    await page.getByLabel("What stands behind # in your link").fill(link);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("link", { name }).waitFor();
  });

  it("and is out with the next page once an admin says so; what they had written is still there", async () => {
    const { page, personId } = await signedIn();
    await page.goto(`${origin}/console/keys`);
    await page.getByText("Make a key").click();
    await page.getByLabel("Name").fill("The nightly job");
    await worker.call("DELETE", `/v1/people/${personId}/sessions`, admin.key);
    await page.getByRole("button", { name: "Make it" }).click();
    await page.getByText("You are signed out.").waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("The nightly job");
    await page.goto(`${origin}/console/keys`);
    await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
  });

  it("to the page that they wanted, and to no other host", async () => {
    const page = await newPage();
    await page.goto(`${origin}/console/audit?type=key.created`);
    expect(page.url()).toBe(`${origin}/console/sign-in?to=%2Fconsole%2Faudit%3Ftype%3Dkey.created`);
    for (const to of ["//evil.example", "https://evil.example", "/\\evil.example", "/console/../v1"]) {
      const html = await (await fetch(`${origin}/console/sign-in?to=${encodeURIComponent(to)}`)).text();
      expect([to, /name="to" value="([^"]*)"/.exec(html)?.[1]]).toEqual([to, "/console"]);
    }
  });
});

describe("what is sent by whom", () => {
  it("has strict headers on every answer, and may be kept only where its address changes with it", async () => {
    for (const path of ["/console/sign-in", "/console/join", "/console/nowhere", "/console/people"]) {
      const { headers } = await fetch(origin + path, { redirect: "manual" });
      const policy = headers.get("content-security-policy") ?? "";
      for (const part of [
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "require-trusted-types-for 'script'",
      ])
        expect(policy, path).toContain(part);
      expect(policy).not.toMatch(/unsafe|\*/);
      expect(Object.fromEntries(headers)).toMatchObject({
        "cache-control": "no-store",
        "cross-origin-opener-policy": "same-origin",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
      });
    }
    const html = await (await fetch(`${origin}/console/join`)).text();
    const [script = ""] = /\/console\/assets\/\w+\.js/.exec(html) ?? [];
    const asset = await fetch(origin + script);
    expect(asset.headers.get("cache-control")).toContain("immutable");
    expect(Buffer.from(await asset.arrayBuffer()).length).toBeGreaterThan(1_000);
  });

  it("is a form of our own pages, or nothing", async () => {
    const { page } = await signedIn();
    const [cookie] = await page.context().cookies();
    const post = (headers: Record<string, string>) =>
      fetch(`${origin}/console/keys`, {
        method: "POST",
        redirect: "manual",
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          cookie: `${cookie?.name}=${cookie?.value}`,
          ...headers,
        },
        body: "do=create&label=forged&role=admin",
      });
    for (const headers of [
      {},
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
      { "sec-fetch-site": "cross-site", origin },
    ]) {
      const { status } = await post(headers as Record<string, string>);
      expect([headers, status]).toEqual([headers, 403]);
    }
    const { items } = await worker.call("GET", "/v1/keys", admin.key);
    expect(JSON.stringify(items)).not.toContain("forged");
    expect((await post({ "sec-fetch-site": "same-origin" })).status).toBe(200);
    expect((await post({ origin })).status).toBe(200);
  });

  it("leaves the API alone: the cookie counts at the console only, and keys don't count there", async () => {
    const { page } = await signedIn();
    const [cookie] = await page.context().cookies();
    const withCookie = await fetch(`${origin}/v1/keys`, { headers: { cookie: `${cookie?.name}=${cookie?.value}` } });
    expect(withCookie.status).toBe(401);
    const withKey = await fetch(`${origin}/console/people`, {
      redirect: "manual",
      headers: { authorization: `Bearer ${admin.key}` },
    });
    expect(withKey.status).toBe(302);
  });

  it("does once what is sent twice", async () => {
    const { page } = await signedIn();
    await page.goto(`${origin}/console/keys`);
    const once = await page.locator('form[aria-label="Make a key"] [name=once]').inputValue();
    const send = () =>
      page.request.post(`${origin}/console/keys`, {
        form: { do: "create", label: "sent twice", role: "client", once },
        headers: { "sec-fetch-site": "same-origin" },
      });
    const answers = [await send(), await send()];
    expect(answers.map((answer) => answer.status())).toEqual([200, 200]);
    const { items } = await worker.call("GET", "/v1/keys?limit=200", admin.key);
    expect(JSON.stringify(items).split("sent twice")).toHaveLength(2);
  });

  it("is a 404 where it is another tenant's, and a page of its own where the role isn't enough", async () => {
    const other = await worker.tenant();
    const hook = { url: "https://crm.example/hook", events: ["turn.completed"] };
    await worker.call("PUT", "/v1/webhooks/theirs", other.key, hook);
    const { page } = await signedIn();
    expect((await page.goto(`${origin}/console/webhooks/theirs`))?.status()).toBe(404);
    const reviewer = await signedIn({}, "reviewer");
    expect(await reviewer.page.getByRole("navigation").getByRole("link", { name: "Keys" }).count()).toBe(0);
    for (const { path, needs } of screens.filter(
      ({ needs }) => needs.role !== "person" && needs.reviewers === undefined && !needs.act.includes("readWebhook"),
    )) {
      if (path.includes(":")) continue;
      const answer = await reviewer.page.goto(`${origin}/console${path}`);
      expect([needs.act, answer?.status()]).toEqual([needs.act, 403]);
    }
  });
});

describe("people, keys and settings", () => {
  it("are looked after: invited, given another role, suspended, removed; a wrong form comes back as it was filled in", async () => {
    const { page } = await signedIn();
    await page.goto(`${origin}/console/people`);
    await page.getByText("Invite somebody").click();
    await page.getByLabel("Name").fill("Grace");
    await page.getByLabel("Address").fill("person1@example.com");
    await page.getByRole("button", { name: "Make a link" }).click();
    await page.getByText("somebody has this address").waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("Grace");
    await page.getByLabel("Address").fill("grace@example.com");
    await page.getByRole("button", { name: "Make a link" }).click();
    await page.getByLabel("Link for Grace").waitFor();
    expect(await page.getByLabel("Link for Grace").inputValue()).toMatch(/\/console\/join#[\w-]{22}$/);

    const row = page.getByRole("row", { name: "grace@example.com" });
    await row.getByText("Change").click();
    await row.getByLabel("Role").selectOption("operator");
    await row.getByRole("button", { name: "Save role" }).click();
    await row.getByRole("cell", { name: "operator invited" }).waitFor();
    await row.getByText("Change").click();
    await row.getByRole("button", { name: "Suspend" }).click();
    await row.getByText("suspended").waitFor();
    await row.getByText("Change").click();
    await row.getByText("Remove", { exact: true }).click();
    await row.getByRole("button", { name: "Remove now" }).click();
    await row.waitFor({ state: "detached" });
  });

  it("say what holds: a setting that is saved is the API's", async () => {
    const tenant = await worker.tenant();
    const page = await newPage();
    await join(page, (await invited("admin", tenant)).link);
    await page.goto(`${origin}/console/settings`);
    await page.getByLabel("Pages that may call").fill("https://app.example");
    await page.getByLabel("When a supervisor fails").selectOption("yes");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    const stored = await worker.call("GET", "/v1/tenant", tenant.key);
    expect(stored).toMatchObject({
      settings: { strict: true, corsOrigins: ["https://app.example"], reviews: { audience: "staff" } },
    });
  });

  it("tell in the browser that something waits, and not what, to whoever wants it", async () => {
    const { page } = await signedIn({ permissions: ["notifications"] });
    await page.addInitScript(() => {
      const told: unknown[] = [];
      class Told {
        static readonly permission = "granted";
        static readonly requestPermission = async () => "granted";
        constructor(...said: unknown[]) {
          told.push(said);
        }
      }
      Object.assign(globalThis, { Notification: Told, told });
      Object.assign(Reflect.get(globalThis, "document"), { hasFocus: () => false });
    });
    const told = () => page.evaluate(() => Reflect.get(globalThis, "told"));
    let waits = 1;
    await page.route("**/console/inbox", async (route) => {
      const answer = await route.fetch();
      const body = (await answer.text()).replace(/<title>[^<]*/, `<title>(${waits}) Inbox`);
      return route.fulfill({ response: answer, body });
    });
    await page.goto(`${origin}/console/inbox`);
    waits = 2;
    await expect.poll(() => page.title(), { timeout: 15_000 }).toMatch(/^\(2\)/);
    expect(await told()).toEqual([]);
    await page.goto(`${origin}/console/you`);
    await page.getByLabel("Tell me when something waits").check();
    await page.goto(`${origin}/console/inbox`);
    waits = 3;
    await expect.poll(() => page.title(), { timeout: 15_000 }).toMatch(/^\(3\)/);
    expect(await told()).toEqual([["Conclave", { body: "Something waits for a person.", tag: "waits" }]]);
  });

  it("keep what is written while the network is away", async () => {
    const { page } = await signedIn();
    await page.goto(`${origin}/console/keys`);
    await page.getByText("Make a key").click();
    await page.getByLabel("Name").fill("Written on a train");
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Make it" }).click();
    await page.getByText("You are offline.").waitFor();
    await page.context().setOffline(false);
    await page.getByRole("button", { name: "Make it" }).click();
    await page.getByLabel("The new key").waitFor();
  });

  it("keep what is written while the Worker is killed and started anew; what is sent again is done once", async () => {
    const { page } = await signedIn();
    await page.goto(`${origin}/console/keys`);
    await page.getByText("Make a key").click();
    await page.getByLabel("Name").fill("Written meanwhile");
    const { port } = new URL(worker.variables.URL);
    await worker.kill();
    await page.getByRole("button", { name: "Make it" }).click();
    await page.getByText("That didn't arrive.").waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("Written meanwhile");
    await worker.start(port);
    await page.getByRole("button", { name: "Make it" }).click();
    await page.getByLabel("The new key").waitFor();
    const { items } = await worker.call("GET", "/v1/keys?limit=200", admin.key);
    expect(JSON.stringify(items).split("Written meanwhile")).toHaveLength(2);
  });
});

describe("what is kept of an end user", () => {
  it("is found by their name, made into files, and erased by whoever types the name; operators can't", async () => {
    const tenant = await furnished();
    const { sessionId } = await worker.call("POST", "/v1/sessions", tenant.key, { agent: "assistant", subject: "ida" });
    await worker.call("POST", `/v1/sessions/${sessionId}/messages`, tenant.key, { content: "Where is my parcel?" });
    const address = `${origin}/console/end-users?subject=ida`;
    const operator = await newPage();
    await join(operator, (await invited("operator", tenant)).link);
    await operator.goto(address);
    await operator.getByRole("button", { name: "Make files of it" }).click();
    const [file] = await Promise.all([
      operator.waitForEvent("download"),
      operator.getByRole("link", { name: "sessions.jsonl" }).click(),
    ]);
    expect(readFileSync(await file.path(), "utf8")).toContain("Where is my parcel?");
    await operator.goto(address);
    expect(await operator.getByText("Erase it").count()).toBe(0);

    const page = await newPage({ bypassCSP: true });
    await join(page, (await invited("admin", tenant)).link);
    await page.goto(address);
    await page.getByText("Erase it", { exact: true }).click();
    await page.getByLabel("Type the name once more").fill("ada");
    await page.getByLabel("Why").fill("Asked for it by mail.");
    await page.getByRole("button", { name: "Erase everything" }).click();
    await page.getByText("It isn't the name above.").waitFor();
    await page.getByLabel("Type the name once more").fill("ida");
    await page.getByRole("button", { name: "Erase everything" }).click();
    await page.getByText("done", { exact: true }).waitFor();
    await page.getByRole("cell", { name: "sessions" }).waitFor();
    await page.addScriptTag({ content: axe.source });
    const found = await page.evaluate(async () => (await Reflect.get(globalThis, "axe").run()).violations.length);
    expect(found).toBe(0);
    await page.goto(address);
    await page.getByText("Nothing is kept under this name.").waitFor();
  });
});

describe("a conversation", () => {
  it("is taken over, written in, corrected and handed back; its customer has what staff wrote, and everybody can use its pages", async () => {
    const tenant = await furnished();
    const call = async (method: string, path: string, body?: unknown) =>
      z.record(z.string(), z.any()).parse(await worker.call(method, path, tenant.key, body));
    const { sessionId } = await call("POST", "/v1/sessions", { agent: "assistant", subject: "ana" });
    const session = `/v1/sessions/${sessionId}`;
    const { turnId, reply } = await call("POST", `${session}/messages`, {
      content: hostileTexts.join("\n").slice(0, 9_000),
    });
    const about = { turnId };
    await call("PUT", `${session}/feedback`, { about, score: -1, label: "too-long", comment: "Not what I asked." });
    await call("POST", `${session}/person`, { speaker: "Ana" });
    const waiting = await call("POST", `${session}/messages`, { content: "I want a person." });
    const page = await newPage({ bypassCSP: true });
    const ada = await invited("operator", tenant);
    await join(page, ada.link);
    const address = `${origin}/console/conversations/${sessionId}`;
    await page.goto(address);
    await page.getByText("A person is wanted").waitFor();
    await page.getByText("Not what I asked.").waitFor();
    await page.getByRole("button", { name: "Take over" }).click();
    await page.getByText("You have taken it over").waitFor();
    await page.getByRole("textbox", { name: "Write to the customer" }).fill("I am Ada.");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Sent.").waitFor();
    // By their name, not their id.
    await page.locator(".bubbles .staff .by", { hasText: ada.name }).waitFor();
    const answered = await call("GET", `${session}/turns/${waiting.turnId}`);
    expect(answered).toMatchObject({ status: "completed", reply: { author: { kind: "person" } } });
    await page.goto(`${address}/messages/${reply.messageId}`);
    await page.getByLabel("What it says from now on").fill("Corrected.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      for (const path of ["", `/messages/${reply.messageId}`, `/turns/${turnId}`]) {
        await page.goto(address + path);
        await page.addScriptTag({ content: axe.source });
        const found = await page.evaluate(async () => (await Reflect.get(globalThis, "axe").run()).violations);
        expect([path, found]).toEqual([path, []]);
        expect([path, await page.evaluate("document.documentElement.scrollWidth - innerWidth")]).toEqual([path, 0]);
      }
    }
    await page.goto(address);
    await page.getByRole("button", { name: "Hand back", exact: true }).click();
    await page.getByText("The agent answers again.").waitFor();
    expect((await call("GET", session)).hold).toBeUndefined();
  });
});

describe("runs and roundtables", () => {
  it("are watched: what comes is shown without a press, what is asked leads to the inbox, and everybody can use the pages", async () => {
    const tenant = await furnished();
    const call = async (method: string, path: string, body?: unknown) =>
      z.record(z.string(), z.any()).parse(await worker.call(method, path, tenant.key, body));
    const hostile = hostileTexts.join("\n").slice(0, 9_000);
    const worker1 = { id: "clerk", description: "Everything", capabilities: { skills: ["help"] }, model: "offline" };
    const team = { supervisor: { strategy: "skill-based", fallbackWorker: "clerk" }, workers: [worker1] };
    const { runId } = await call("POST", "/v1/runs", { team, input: hostile, subject: "ana" });
    const table = { topic: hostile, mode: "collaborative", agentCount: 2, rounds: 3, exitOnConsensus: false };
    const { sessionId } = await call("POST", "/v1/roundtables", table);
    const page = await newPage({ bypassCSP: true });
    await join(page, (await invited("operator", tenant)).link);
    await page.goto(`${origin}/console/roundtables/${sessionId}`);
    await page.getByRole("table", { name: "What they asked for" }).getByRole("link").first().click();
    await page.getByRole("link", { name: "the roundtable" }).click();
    const rounds = page.getByRole("navigation", { name: "Rounds" });
    await rounds.getByRole("link", { name: "1" }).waitFor();
    expect(await rounds.getByRole("link").count()).toBe(1);
    await call("POST", `/v1/roundtables/${sessionId}/continue`, { skipPending: true });
    await rounds.getByRole("link", { name: "2" }).waitFor();
    await rounds.getByRole("link", { name: "1" }).click();
    await page.waitForURL(/round=1$/);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("paused").waitFor();
    for (const path of [`/runs/${runId}`, `/runs/${runId}/trace`, `/roundtables/${sessionId}`]) {
      await page.setViewportSize({ width: 390, height: 800 });
      await page.goto(`${origin}/console${path}`);
      await page.addScriptTag({ content: axe.source });
      const found = await page.evaluate(async () => (await Reflect.get(globalThis, "axe").run()).violations);
      expect([path, found]).toEqual([path, []]);
      expect([path, await page.evaluate("document.documentElement.scrollWidth - innerWidth")]).toEqual([path, 0]);
      expect(await page.evaluate(() => Reflect.get(globalThis, "harmed"))).toBe(undefined);
    }
    const other = await newPage();
    await join(other, (await invited()).link);
    for (const path of [`/runs/${runId}`, `/roundtables/${sessionId}`])
      expect((await other.goto(`${origin}/console${path}`))?.status()).toBe(404);
  });
});

/** A tenant that has something on every screen. */
async function furnished() {
  const tenant = await worker.tenant();
  await worker.call("PUT", "/v1/agents/assistant", tenant.key, {
    kind: "model",
    model: "offline",
    instructions: "Help.",
  });
  const hook = { url: "https://crm.example/hook", events: ["turn.completed", "ask.opened"] };
  await worker.call("PUT", "/v1/webhooks/crm", tenant.key, hook);
  const credentials = { secret: "a secret of the channel", replyUrl: "https://chat.example/replies" };
  await worker.call("PUT", "/v1/channels/chat", tenant.key, { kind: "generic", agent: "assistant", credentials });
  const { sessionId } = await worker.call("POST", "/v1/sessions", tenant.key, { agent: "assistant" });
  const turn = { content: hostileTexts.join(" ") };
  const { turnId } = await worker.call("POST", `/v1/sessions/${sessionId}/messages`, tenant.key, turn);
  const replay = `/conversations/${sessionId}/replay?turn=${turnId}`;
  const comparison = "/supervisors/privacy/comparison?with=privacy&version=1";
  return { ...tenant, more: [await withEvidence(tenant.key), replay, comparison] };
}

/** A dataset of hostile texts, an eval over it, which has ended, and an experiment that runs. @returns the path of the eval */
async function withEvidence(key: string): Promise<string> {
  const description = hostileTexts.join(" ").slice(0, 2_000);
  await worker.call("PUT", "/v1/datasets/texts", key, { description });
  const lines = hostileTexts.map((input) =>
    JSON.stringify({ input, group: input.slice(0, 200), expected: { action: "allow" } }),
  );
  await fetch(`${origin}/v1/datasets/texts/items`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/jsonl" },
    body: lines.join("\n"),
  });
  const rules = [{ match: { type: "phrases", phrases: ["script"] }, action: "block", reason: "No." }];
  const stops = { kind: "rules", hooks: ["request"], config: { rules } };
  const candidates = ["now", "a-name-as-long-as-names-may-be".repeat(3)].map((name) => ({
    name,
    supervisors: [stops],
  }));
  const { evalId } = await worker.call("POST", "/v1/evals", key, { dataset: "texts", candidates });
  await expect.poll(async () => (await worker.call("GET", `/v1/evals/${evalId}`, key)).status).toBe("completed");
  const variants = [{ name: "other", agent: "assistant", share: 0.1 }];
  await worker.call("PUT", "/v1/experiments/brief", key, { agent: "assistant", variants });
  await worker.call("POST", "/v1/experiments/brief/start", key);
  return `/evals/${evalId}`;
}

const addresses = screens
  .map(({ path }) =>
    path
      .replace("/webhooks/:name", "/webhooks/crm")
      .replace("/channels/:name", "/channels/chat")
      .replace("/datasets/:name", "/datasets/texts")
      .replace("/experiments/:name", "/experiments/brief"),
  )
  .filter((path) => !path.includes(":"));
/** With what the address of a screen needs behind it. */
const addressed = (path: string) => `${origin}/console${path}${path === "/authorize" ? consent : ""}`;

describe("every screen", () => {
  it("can be used by everybody: wide and narrow, in light and dark", async () => {
    const tenant = await furnished();
    const page = await newPage({ bypassCSP: true });
    await join(page, (await invited("admin", tenant)).link);
    for (const path of [
      ...addresses,
      "/datasets/texts?item=first",
      ...tenant.more,
      "/link?to=https%3A%2F%2Fevil.example%2F",
      "/nowhere",
      "/sign-in",
      "/join",
    ]) {
      await page.goto(addressed(path));
      await page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true");
      await page.addScriptTag({ content: axe.source });
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 800 });
        // In dark nothing but the colours is another, and they don't change with the width.
        for (const colorScheme of width === 390 ? (["light"] as const) : (["light", "dark"] as const)) {
          await page.emulateMedia({ colorScheme });
          const found = await page.evaluate(
            async (rules) => {
              const { violations } = await Reflect.get(globalThis, "axe").run(rules);
              return violations.map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => [id, nodes[0]?.html]);
            },
            colorScheme === "dark" ? { runOnly: ["color-contrast"] } : {},
          );
          expect([path, width, colorScheme, found]).toEqual([path, width, colorScheme, []]);
        }
        const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect([path, width, overflow]).toEqual([path, width, 0]);
      }
      // Twice as large on a wide screen.
      await page.setViewportSize({ width: 640, height: 400 });
      expect([path, await page.evaluate("document.documentElement.scrollWidth - innerWidth")]).toEqual([path, 0]);
    }
  });

  it("is a whole page without script", async () => {
    const tenant = await furnished();
    const page = await newPage({ javaScriptEnabled: false });
    const { link, name } = await invited("admin", tenant);
    await page.goto(link);
    await page.getByLabel("What stands behind # in your link").fill(link);
    await page.getByRole("button", { name: "Sign in" }).click();
    for (const path of [...addresses, ...tenant.more]) {
      expect([path, (await page.goto(addressed(path)))?.status()]).toEqual([path, 200]);
      await page.getByRole("heading", { level: 1 }).waitFor();
      expect(await page.getByRole("link", { name }).count()).toBe(1);
    }
  });

  it("shows 40 hostile texts as texts: nothing runs, nothing is asked for elsewhere, what is hidden is seen", async () => {
    const tenant = await furnished();
    expect(hostileTexts).toHaveLength(40);
    for (const label of hostileTexts) await worker.call("POST", "/v1/keys", tenant.key, { role: "client", label });
    for (const [at, name] of hostileTexts.entries())
      await worker.call("POST", "/v1/people", tenant.key, { name, email: `h${at}@example.com`, role: "reviewer" });
    const page = await newPage();
    const asked: string[] = [];
    const errors: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    await join(page, (await invited("admin", tenant)).link);
    for (const how of ["by its address", "by a link"]) {
      for (const path of addresses) {
        if (path === "/authorize") await page.goto(addressed(path));
        else if (how === "by its address" || path.split("/").length > 2 || path === "/you")
          await page.goto(`${origin}/console${path}?limit=200`);
        else await page.getByRole("navigation").locator(`a[href="/console${path}"]`).click();
        await page.waitForURL((url) => url.pathname === `/console${path}`);
        const strange = await page
          .locator("main :is(script, iframe, object, img, svg, math, style, link, meta, base, template)")
          .count();
        expect([how, path, strange, await page.evaluate(() => Reflect.get(globalThis, "harmed"))]).toEqual([
          how,
          path,
          0,
          undefined,
        ]);
      }
    }
    await page.goto(`${origin}/console/keys`);
    const shown = await page.locator("table").textContent();
    for (const text of hostileTexts.slice(0, 20)) expect(shown).toContain(text);
    for (const mark of [
      "right-to-left override",
      "zero-width space",
      "Latin and Cyrillic",
      "invisible tag",
      "control character",
    ])
      expect(await page.locator(`b.mark[title*="${mark}"]`).count(), mark).toBeGreaterThan(0);
    expect(asked.filter((url) => !url.startsWith(origin) && !url.startsWith("data:,"))).toEqual([]);
    expect(errors).toEqual([]);
  });

  it("opens links of others on a page that says where they lead", async () => {
    const { page } = await signedIn();
    await page.goto(`${origin}/console/link?to=${encodeURIComponent("https://evil.example/login?a=b")}`);
    await page.getByText("evil.example", { exact: true }).waitFor();
    const link = page.getByRole("link", { name: "Open it in a new window" });
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer nofollow");
    await page.goto(`${origin}/console/link?to=${encodeURIComponent("javascript:alert(1)")}`);
    await page.getByText("isn't an address of the web").waitFor();
    expect(await page.getByRole("link", { name: "Open it in a new window" }).count()).toBe(0);
  });

  it("sends little: the script 8 kB at most, a first view 20 kB", async () => {
    const { page } = await signedIn();
    const html = await (await page.request.get(`${origin}/console/people`)).text();
    const { gzipSync } = await import("node:zlib");
    const sizes = await Promise.all(
      [...html.matchAll(/\/console\/assets\/\w+\.(?:js|css)/g)].map(
        async ([path]) => gzipSync(await (await page.request.get(origin + path)).body()).length,
      ),
    );
    const [script = 0] = sizes.slice(-1);
    expect(script).toBeLessThan(8_192);
    expect(sizes.reduce((sum, size) => sum + size, gzipSync(html).length)).toBeLessThan(20_480);
  });
});
