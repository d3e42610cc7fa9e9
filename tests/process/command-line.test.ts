/** `conclave` against a Worker: a tenant as a folder, there and back; what is wrong in it; drift; what the pages say. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { Conclave } from "../../src/client/index.js";
import { commands } from "../../src/command-line/commands.js";
import { input } from "../../src/command-line/place.js";
import { run } from "../../src/command-line/run.js";
import { root } from "../docs/pages.js";
import { WorkerProcess } from "./worker.js";

let worker: WorkerProcess;
let folder: string;
let url: string;

beforeAll(async () => {
  worker = new WorkerProcess();
  await worker.start();
  url = (await worker.scriptEnv()).CONCLAVE_URL ?? "";
});
afterAll(() => worker.end());

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "conclave-folder-"));
  vi.stubEnv("XDG_CONFIG_HOME", folder);
  vi.stubEnv("CONCLAVE_URL", url);
  await asNewTenant();
  return () => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  };
});

async function asNewTenant(): Promise<Conclave> {
  const { CONCLAVE_KEY = "" } = await worker.scriptEnv();
  vi.stubEnv("CONCLAVE_KEY", CONCLAVE_KEY);
  return new Conclave({ baseUrl: url, token: CONCLAVE_KEY });
}

/** What a command says and comes to. */
async function conclave(...argv: string[]): Promise<{ code: number; said: string; wrong: string }> {
  let [said, wrong] = ["", ""];
  const out = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    said += String(text);
    return true;
  });
  const err = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    wrong += String(text);
    return true;
  });
  try {
    return { code: await run([...argv, "--dir", join(folder, "shop")]), said, wrong };
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, "shop", path)), { recursive: true });
  writeFileSync(join(folder, "shop", path), text);
}
const read = (path: string): string => readFileSync(join(folder, "shop", path), "utf8");

const agent =
  "# who answers\nkind: model\nmodel: offline # no key needed\ninstructions: Help.\nsupervisors: [guard]\nrules: [rule-1]\n";
const guard =
  "kind: rules\nhooks: [request]\nconfig:\n  rules:\n    - match: { type: phrases, phrases: [swordfish] }\n      action: block\n      reason: No.\n";

const desk = guard.replace("swordfish", "refund").replace("block", "review").replace("No.", "A refund.");

/** A tenant of 79 resources. */
function writeShop(): void {
  write("agents/clerk.yaml", agent);
  write("supervisors/guard.yaml", guard);
  for (let at = 1; at <= 40; at++)
    write(`rules/rule-${at}.md`, `---\npriority: ${at} # how much it counts\n---\n# Rule ${at}\n\nBe kind.\n`);
  for (let at = 1; at <= 36; at++) write(`references/ref-${at}.md`, `Goods ${at}.\n\n---\n\nAnd more.\n`);
  write(
    "tools/orders.yaml",
    "server: shop\ndescription: Finds.\nhttp:\n  url: https://shop.example/orders\n  headers:\n    authorization: { $secret: SHOP_TOKEN }\n",
  );
  write("settings.yaml", "strict: true\n");
  write("limits/few.yaml", "per: tenant\nmeasure: messages\nmax: 1000\n");
  write("webhooks/crm.yaml", "url: https://crm.example/hooks\nevents: [turn.completed]\n");
}

/** The bytes of every file of the folder. */
function bytes(): Record<string, string> {
  const files = readdirSync(join(folder, "shop"), { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  );
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = relative(join(folder, "shop"), join(parentPath, name));
      return [path, read(path)];
    }),
  );
}

it("a tenant of 79 resources goes there and back, into an empty one, byte for byte", async () => {
  writeShop();
  const written = bytes();
  const missing = await conclave("apply");
  expect(missing).toMatchObject({
    code: 1,
    wrong: expect.stringMatching(/tools\/orders\.yaml:6: http\.headers\.authorization: there is no secret SHOP_TOKEN/),
  });
  const first = await asNewTenant();
  await first.api.secrets.putSecret({ name: "SHOP_TOKEN", body: { value: "will" } });
  expect(await conclave("diff")).toMatchObject({ code: 2, said: expect.stringContaining("+ agents/clerk") });
  expect(await conclave("apply", "--prune", "--yes")).toMatchObject({ code: 0, wrong: "" });
  expect(await conclave("diff", "--prune")).toMatchObject({ code: 0 });
  // What somebody wrote stays as it is, with its comments and its order.
  expect(await conclave("pull")).toMatchObject({ code: 0, said: "0 written\n" });
  expect(bytes()).toEqual(written);

  const shop = join(folder, "shop");
  rmSync(shop, { recursive: true });
  expect(await conclave("pull")).toMatchObject({ code: 0 });
  const pulled = bytes();
  expect(Object.keys(pulled).toSorted()).toEqual(Object.keys(written).toSorted());
  expect(pulled["agents/clerk.yaml"]).toContain(`# yaml-language-server: $schema=${url}/schemas/agents.json`);
  expect(pulled["tools/orders.yaml"]).toContain("$secret: SHOP_TOKEN");

  const second = await asNewTenant();
  await second.api.secrets.putSecret({ name: "SHOP_TOKEN", body: { value: "another will" } });
  expect(await conclave("apply", "--prune", "--yes")).toMatchObject({ code: 0, wrong: "" });
  expect(await conclave("diff", "--prune")).toMatchObject({ code: 0 });
  rmSync(shop, { recursive: true });
  expect(await conclave("pull")).toMatchObject({ code: 0 });
  expect(bytes()).toEqual(pulled);
  const { items } = await second.api.rules.listRules({ limit: 200 });
  expect(items).toHaveLength(40);
});

it("one broken file changes nothing, and is named with its line and what would be right", async () => {
  const client = await asNewTenant();
  write("agents/good.yaml", "kind: model\nmodel: offline\ninstructions: Help.\n");
  write("agents/bad.yaml", "# who\nkind: model\nmodel: offline\ninstructions: Help.\nsupervisers: [guard]\n");
  expect(await conclave("apply")).toMatchObject({
    code: 1,
    wrong: expect.stringMatching(/agents\/bad\.yaml:5: supervisers: there is no such field/),
  });
  write("agents/bad.yaml", "kind: model\n  model: [\n");
  expect(await conclave("apply")).toMatchObject({ code: 1, wrong: expect.stringMatching(/agents\/bad\.yaml:\d: /) });
  write("agents/bad.yaml", "kind: model\nmodel: offline\ninstructions: Help.\n");
  write("rules/open.md", "---\npriority: 1\nBe kind.\n");
  expect((await conclave("apply")).wrong).toMatch(/rules\/open\.md:1: its front matter doesn't end/);
  rmSync(join(folder, "shop/rules/open.md"));
  const unversioned = {
    limits: [
      "per: tenant\nmeasure: mesages\nmax: 10\n",
      /limits\/bad\.yaml:2: measure: it has to be one of requests, messages/,
    ],
    webhooks: ["url: https://crm.example/hooks\nevents:\n  - turn.ended\n", /webhooks\/bad\.yaml:3: events\.0: /],
    channels: [
      "kind: slack\nagent: goood\ncredentials: { signingSecret: s, botToken: t }\n",
      /channels\/bad\.yaml:2: agent: there is no agents\/goood/,
    ],
  } as const;
  for (const [kind, [text, wrong]] of Object.entries(unversioned)) {
    write(`${kind}/bad.yaml`, text);
    expect(await conclave("apply")).toMatchObject({ code: 1, wrong: expect.stringMatching(wrong) });
    rmSync(join(folder, `shop/${kind}/bad.yaml`));
  }
  expect((await client.api.agents.listAgents()).items).toEqual([]);
});

it("comments and order survive a pull; what differs is written, what is the same is left", async () => {
  const client = await asNewTenant();
  write(
    "agents/clerk.yaml",
    "# who answers\ninstructions: Help. # short\nkind: model\nmodel: offline # no key needed\n",
  );
  write("agents/other.yaml", "kind: model\nmodel: offline\ninstructions: Help.\n");
  await conclave("apply");
  const {
    version: _,
    updatedAt: __,
    name: ___,
    ...stored
  } = await client.request<Record<string, unknown>>("GET", "/v1/agents/clerk");
  await client.request("PUT", "/v1/agents/clerk", { body: { ...stored, instructions: "Help well." } });
  expect(await conclave("diff")).toMatchObject({
    code: 2,
    said: expect.stringContaining("~ agents/clerk  (instructions)"),
  });
  const before = read("agents/other.yaml");
  await conclave("pull");
  expect(read("agents/clerk.yaml")).toMatch(
    /^# who answers\ninstructions: Help well\. # short\nkind: model\nmodel: offline # no key needed\n/,
  );
  expect(read("agents/other.yaml")).toBe(before);
  expect((await conclave("diff")).code).toBe(0);
});

it("deletes only what was asked for, and says what it would", async () => {
  const client = await asNewTenant();
  write("agents/clerk.yaml", "kind: model\nmodel: offline\ninstructions: Help.\n");
  await conclave("apply");
  rmSync(join(folder, "shop/agents/clerk.yaml"));
  write("rules/kind.md", "Be kind.\n");
  expect((await conclave("diff")).said).not.toContain("clerk");
  const refused = await conclave("apply", "--prune");
  expect(refused).toMatchObject({ code: 1, wrong: expect.stringContaining("agents/clerk") });
  expect((await client.api.agents.listAgents()).items).toHaveLength(1);
  expect(await conclave("apply", "--prune", "--yes")).toMatchObject({ code: 0 });
  expect((await client.api.agents.listAgents()).items).toEqual([]);
});

it("what a key may not read is not what isn't there: its files stay, and are not compared", async () => {
  const admin = await asNewTenant();
  write("limits/few.yaml", "per: tenant\nmeasure: messages\nmax: 1000\n");
  expect(await conclave("apply")).toMatchObject({ code: 0 });
  const operator = await admin.api.tenant.createKey({ body: { label: "ci", role: "operator" } });
  vi.stubEnv("CONCLAVE_KEY", operator.key);

  expect(await conclave("pull", "--prune")).toMatchObject({ code: 0, wrong: "" });
  expect(read("limits/few.yaml")).toContain("max: 1000");
  const refused = {
    code: 1,
    wrong: expect.stringMatching(/limits\/few\.yaml:1: this key may not read limits.*an admin's key/),
  };
  expect(await conclave("diff", "--prune")).toMatchObject(refused);
  expect(await conclave("apply", "--prune", "--yes")).toMatchObject(refused);
  expect((await admin.api.limits.listLimits()).items).toContainEqual(expect.objectContaining({ name: "few" }));

  rmSync(join(folder, "shop/limits"), { recursive: true });
  write("settings.yaml", "strict: true # ours\n");
  expect(await conclave("pull", "--prune")).toMatchObject({ code: 0, wrong: "" });
  expect(read("settings.yaml")).toBe("strict: true # ours\n");
  expect(await conclave("apply")).toMatchObject({
    code: 1,
    wrong: expect.stringMatching(/settings\.yaml:1: settings are an admin's/),
  });
});

it("keeps a key in a file of its owner's", async () => {
  const key = process.env.CONCLAVE_KEY ?? "";
  expect(await conclave("login", "--key", key, "--url", url)).toMatchObject({ code: 0 });
  expect(statSync(join(folder, "conclave/keys.json")).mode & 0o777).toBe(0o600);
  vi.stubEnv("CONCLAVE_KEY", undefined);
  expect(await conclave("diff", "--json")).toMatchObject({ code: 0 });
  expect((await conclave("login", "--key", "cnk_wrong", "--url", url)).code).toBe(1);
});

describe("knowledge", () => {
  it("is cut at its headings, and stored again without doubling", async () => {
    const client = await asNewTenant();
    write("docs/returns.md", "# Returns\n\nWithin 30 days.\n\n## Costs\n\nNone.\n\n```\n# no heading\n```\n");
    write("docs/faq.html", "<h1>Questions</h1><p>Ask &amp; see.</p><script>evil()</script>");
    const docs = join(folder, "shop/docs");
    expect((await conclave("import", docs)).said).toContain("3 stored, 0 corrected, 0 as they were");
    expect((await conclave("import", docs)).said).toContain("0 stored, 0 corrected, 3 as they were");
    const { items } = await client.api.references.listReferences();
    expect(JSON.stringify(items)).toContain("Ask & see.");
    expect(JSON.stringify(items)).not.toContain("evil");

    // The same names elsewhere are others; what left a folder is said, and goes with --prune.
    write("more/docs/returns.md", "# Returns\n\nNever.\n");
    const more = join(folder, "shop/more/docs");
    expect((await conclave("import", more, "--as", "wholesale")).said).toContain(
      "+ wholesale-returns-returns\n1 stored",
    );
    write("docs/returns.md", "# Returns\n\nWithin 60 days.\n");
    const gone = await conclave("import", docs);
    expect(gone.said).toContain("~ docs-returns-returns\ndocs-returns-costs: it isn't in ");
    expect((await conclave("import", docs, "--prune")).said).toBe(
      "- docs-returns-costs\n0 stored, 0 corrected, 2 as they were, 1 taken away\n",
    );
    expect((await client.api.references.listReferences()).items.map(({ name }) => name)).toEqual([
      ...["docs-faq-questions", "docs-returns-returns", "wholesale-returns-returns"],
    ]);
  });

  it("is entries of a memory, where one is named: once each, and corrected where its text differs", async () => {
    const { api } = await asNewTenant();
    const { vaultId } = await api.memory.createVault({ body: { title: "Shop" } });
    const { memoryId } = await api.memory.createVaultMemory({ vaultId, body: { title: "Returns" } });
    await api.memory.createMemoryEntry({ memoryId, body: { rawEntry: "Said by somebody." } });
    write("docs/returns.md", "# Returns\n\nWithin 30 days.\n\n## Costs\n\nNone.\n");
    const docs = join(folder, "shop/docs");
    const into = ["import", docs, "--memory", memoryId];
    expect((await conclave(...into)).said).toContain("2 stored, 0 corrected, 0 as they were");
    expect((await conclave(...into)).said).toContain("0 stored, 0 corrected, 2 as they were");
    write("docs/returns.md", "# Returns\n\nWithin 60 days.\n\n## Costs\n\nNone.\n");
    expect((await conclave(...into)).said).toBe("~ docs-returns-returns\n0 stored, 1 corrected, 1 as they were\n");
    expect((await conclave(...into)).said).toContain("0 stored, 0 corrected, 2 as they were");
    const holding = async (): Promise<string[]> => {
      const { items } = await api.memory.listMemoryEntries({ memoryId });
      return items.flatMap(({ supersededBy, rawEntry }) => (supersededBy === undefined ? [rawEntry] : [])).toSorted();
    };
    expect(await holding()).toEqual(["# Returns\n\nWithin 60 days.", "## Costs\n\nNone.", "Said by somebody."]);

    // Another folder's files of the same names don't correct these; what left one is said, and goes with --prune.
    write("more/docs/returns.md", "# Returns\n\nNever.\n");
    const more = ["import", join(folder, "shop/more/docs"), "--as", "wholesale", "--memory", memoryId];
    expect((await conclave(...more)).said).toBe("+ wholesale-returns-returns\n1 stored, 0 corrected, 0 as they were\n");
    write("docs/returns.md", "# Costs\n\nNone.\n");
    expect((await conclave(...into)).said).toContain("docs-returns-returns: it isn't in ");
    expect(JSON.parse((await conclave(...into, "--prune", "--json")).said)).toEqual({
      ...{ stored: [], corrected: [], unchanged: 1, gone: [], removed: ["docs-returns-returns"] },
    });
    expect(await holding()).toEqual(["# Costs\n\nNone.", "# Returns\n\nNever.", "Said by somebody."]);
    await asNewTenant();
    expect(await conclave(...into)).toMatchObject({ code: 1, said: "" });
  });
});

/** What a chat shows for lines that somebody types; the words of an answer may depend on what it showed before. */
async function typed(lines: readonly string[], ...argv: string[]): Promise<Awaited<ReturnType<typeof conclave>>> {
  const input = Readable.from(lines.map((line) => `${line}\n`));
  const real = Object.getOwnPropertyDescriptor(process, "stdin");
  Object.defineProperty(process, "stdin", { configurable: true, value: input });
  try {
    return await conclave(...argv);
  } finally {
    if (real !== undefined) Object.defineProperty(process, "stdin", real);
  }
}

/** What a command says in the end: usage and counts come a moment after what they count. */
function says(pattern: RegExp, ...argv: string[]): Promise<void> {
  return vi.waitFor(async () => expect((await conclave(...argv)).said).toMatch(pattern), 10_000);
}

it("talks, shows what supervision did, and answers what is asked in place; then what a person left can be seen, handed out and erased", async () => {
  const client = await asNewTenant();
  write("supervisors/guard.yaml", guard);
  write("supervisors/desk.yaml", desk);
  write("agents/clerk.yaml", "kind: model\nmodel: offline\ninstructions: Help.\nsupervisors: [guard, desk]\n");
  await conclave("apply");
  const talk = await typed(
    ["Hello.", "A refund, please.", "accept", "Say swordfish.", ""],
    "chat",
    "clerk",
    "--subject",
    "ida",
  );
  expect(talk.code).toBe(0);
  expect(talk.said).toMatch(/^ses_\w+ with clerk/);
  expect(talk.said).toContain("review, for staff");
  expect(talk.said).toContain("accept, reject, or edit followed by the text: ");
  expect(talk.said).toContain("[supervision of the request: block. No.]");

  // What nobody is there to answer waits for others, who answer it by its id.
  await typed(["A refund, please."], "chat", "clerk", "--subject", "ida");
  const [askId = ""] = /^ask_\w+/.exec((await conclave("asks")).said) ?? [];
  expect(await conclave("answer", askId, "perhaps")).toMatchObject({
    code: 1,
    wrong: expect.stringContaining("accept, reject, or edit"),
  });
  expect((await conclave("answer", askId, "edit", "No", "refund.")).said).toBe(`${askId} is answered\n`);
  expect((await conclave("asks")).said).toBe("nothing waits\n");
  await vi.waitFor(async () => {
    expect((await client.sessions.list()).items.map(({ status }) => status)).toEqual(["idle", "idle"]);
  }, 10_000);
  await says(/^turns: [1-9]/, "usage");
  await says(/^\S+ {2}block +guard \(request\) {2}\S+\n$/, "tail", "--once", "--blocked");
  const audit = join(folder, "audit.jsonl");
  await says(/^[1-9]\d* rows in /, "export", audit);
  expect(readFileSync(audit, "utf8")).toContain("ask.answered");
  expect(statSync(audit).mode & 0o777).toBe(0o600);

  await says(/^sessions: 2$/m, "subjects", "show", "ida");
  const ida = join(folder, "ida");
  expect((await conclave("subjects", "export", "ida", ida)).said).toContain(`wrote ${join(ida, "sessions.jsonl")}`);
  expect(readFileSync(join(ida, "sessions.jsonl"), "utf8")).toContain("A refund, please.");
  expect((await conclave("subjects", "list")).said).toMatch(/export {2}completed {2}ida\n$/);
  expect(await conclave("subjects", "delete", "ida")).toMatchObject({
    code: 1,
    wrong: expect.stringMatching(/2 sessions.* would be erased for good: say --yes/),
  });
  expect((await client.sessions.list()).items).toHaveLength(2);
  const { said: erased } = await conclave("subjects", "delete", "ida", "--yes");
  expect(erased).toMatch(/^sessions: 2 erased, 0 left$/m);
  expect(erased).toMatch(/ is completed\n$/);
  expect((await client.sessions.list()).items).toEqual([]);
  // The export went with the person, whose name is nowhere.
  expect((await conclave("subjects", "list")).said).toMatch(/^\S+ {2}sjb_\w+ {2}erasure {2}completed {2}psn_\w+\n$/);
  for (const [argv, wrong] of [
    [["forget", "ida"], '"forget" can\'t be done with subjects'],
    [["show"], "whom?"],
    [["export", "ida"], "into which folder?"],
  ] as const) {
    expect(await conclave("subjects", ...argv)).toMatchObject({ code: 1, wrong: expect.stringContaining(wrong) });
  }
});

it("hands out originals where they are asked for; what a hold keeps isn't erased, and why it was is on record", async () => {
  const client = await asNewTenant();
  write("supervisors/guard.yaml", guard.replace("action: block", "action: redact"));
  write("agents/clerk.yaml", "kind: model\nmodel: offline\ninstructions: Help.\nsupervisors: [guard]\n");
  await conclave("apply");
  const { sessionId } = await client.sessions.create({ agent: "clerk", subject: "eve" });
  await client.sessions.send(sessionId, { content: "The word is swordfish." });
  const handedOut = async (...more: string[]): Promise<string> => {
    const into = join(folder, `out${more.length}`);
    expect(await conclave("subjects", "export", "eve", into, ...more)).toMatchObject({ code: 0, wrong: "" });
    return readdirSync(into)
      .map((file) => readFileSync(join(into, file), "utf8"))
      .join("");
  };
  expect(await handedOut()).not.toContain("swordfish");
  expect(await handedOut("--originals")).toContain("The word is swordfish.");

  await client.api.personalData.putHold({ name: "court", body: { subjects: ["eve"], reason: "A lawsuit." } });
  expect((await conclave("subjects", "show", "eve")).said).toContain("kept by the hold court");
  const erase = ["subjects", "delete", "eve", "--yes", "--reason", "asked by letter"];
  expect(await conclave(...erase)).toMatchObject({ code: 1, wrong: expect.stringContaining("court") });
  expect((await client.sessions.list()).items).toHaveLength(1);
  await client.api.personalData.deleteHold({ name: "court" });
  expect(await conclave(...erase)).toMatchObject({
    code: 0,
    said: expect.stringMatching(/sessions: 1 erased, 0 left/),
  });
  await conclave("export", join(folder, "audit.jsonl"));
  expect(readFileSync(join(folder, "audit.jsonl"), "utf8")).toContain("asked by letter");
});

it("a tenant goes into files and into another one, behind the last page where it was interrupted; what waits is answered there", async () => {
  const { api, sessions } = await asNewTenant();
  write("supervisors/desk.yaml", desk);
  write("agents/clerk.yaml", "kind: model\nmodel: offline\ninstructions: Help.\nsupervisors: [desk]\n");
  for (const name of "abcdefghij") write(`references/${name}.md`, "Words upon words. ".repeat(2_700));
  await conclave("apply");
  const { sessionId } = await sessions.create({ agent: "clerk" });
  await sessions.send(sessionId, { content: "A refund, please." });
  await vi.waitFor(async () => expect((await api.asks.listAsks({ status: "open" })).items).toHaveLength(1), 10_000);
  const { tenantId } = await api.tenant.getTenant();
  const other = await asNewTenant();
  const { tenantId: to } = await other.api.tenant.getTenant();

  const copy = join(folder, "copy");
  const asOwner = (...argv: string[]) => {
    vi.stubEnv("CONCLAVE_KEY", worker.variables.ADMIN_SECRET);
    return conclave("tenants", ...argv);
  };
  expect((await asOwner("export", tenantId, copy)).code).toBe(0);
  const pages = readdirSync(copy).filter((name) => name.startsWith("page-"));
  expect(pages.length).toBeGreaterThan(1);
  expect(statSync(join(copy, "page-000001.json")).mode & 0o777).toBe(0o600);
  rmSync(join(copy, pages.at(-1) ?? ""));
  expect((await asOwner("import", to, copy)).wrong).toContain("was interrupted");
  expect((await asOwner("export", to, copy)).wrong).toContain("name another folder");
  expect((await asOwner("export", tenantId, copy)).said).toMatch(new RegExp(`${pages.length} pages? in `));
  expect((await asOwner("export", tenantId, copy)).said).toContain("whole already");
  const taken = JSON.parse((await asOwner("import", to, copy, "--json")).said);
  expect(taken).toMatchObject({ pages: pages.length, warnings: [] });
  expect(JSON.parse((await asOwner("import", to, copy, "--json")).said)).toEqual(taken);
  expect(JSON.parse((await asOwner("import", to, copy, "--again", "--json")).said)).toMatchObject({ stored: 0 });
  const [ask] = await vi.waitFor(async () => {
    const { items } = await other.api.asks.listAsks({ status: "open" });
    expect(items).toHaveLength(1);
    return items;
  }, 10_000);
  expect(await other.asks.answer(ask?.askId ?? "", { decision: "accept" })).toMatchObject({ status: "answered" });
  expect((await asOwner("nonsense", to, copy)).code).toBe(1);
}, 60_000);

it("every command answers --json with JSON alone, a failure too", async () => {
  const { api, sessions } = await asNewTenant();
  write("supervisors/guard.yaml", guard);
  write("supervisors/desk.yaml", desk);
  write("agents/clerk.yaml", "kind: model\nmodel: offline\ninstructions: Help.\nsupervisors: [guard, desk]\n");
  write("docs/faq.md", "# Returns\n\nWithin 30 days.\n");
  write("text.txt", "Say swordfish.");
  write("evals/guard.jsonl", JSON.stringify({ input: "Say swordfish.", expected: { action: "block" } }));
  const candidates = "[{ name: now, supervisors: [guard] }]";
  write(
    "evals/guard.yaml",
    `dataset: swords\nitems: guard.jsonl\ncandidates: ${candidates}\nthresholds: { failed: 0 }\n`,
  );
  const key = process.env.CONCLAVE_KEY ?? "";
  const path = (name: string): string => join(folder, "shop", name);
  await api.secrets.putSecret({ name: "TOKEN", body: { value: "will" } });
  const each: Readonly<Record<string, () => Promise<Awaited<ReturnType<typeof conclave>>>>> = {
    login: () => conclave("login", "--json", "--url", url, "--key", key),
    diff: () => conclave("diff", "--json"),
    apply: () => conclave("apply", "--json"),
    pull: () => conclave("pull", "--json"),
    secrets: () => conclave("secrets", "--json"),
    secret: () => conclave("secret", "NEW", "--json"),
    import: () => conclave("import", path("docs"), "--json"),
    chat: () => typed(["Hello.", "A refund, please.", "reject", ""], "chat", "clerk", "--json", "--subject", "ida"),
    tail: () => conclave("tail", "--once", "--json"),
    asks: () => conclave("asks", "--json"),
    answer: async () => {
      const { sessionId } = await sessions.create({ agent: "clerk" });
      const { asks } = await sessions.send(sessionId, { content: "A refund, please." });
      return conclave("answer", asks[0]?.askId ?? "", "accept", "--json");
    },
    try: () => conclave("try", "guard", path("text.txt"), "--json"),
    usage: () => conclave("usage", "--json"),
    subjects: () => conclave("subjects", "show", "ida", "--json"),
    export: () => conclave("export", join(folder, "audit.jsonl"), "--json"),
    audit: () => conclave("audit", "verify", "--json"),
    tenants: async () => {
      vi.stubEnv("CONCLAVE_KEY", worker.variables.ADMIN_SECRET);
      const done = await conclave(
        "tenants",
        "export",
        (await api.tenant.getTenant()).tenantId,
        join(folder, "copy"),
        "--json",
      );
      vi.stubEnv("CONCLAVE_KEY", key);
      return done;
    },
    eval: () => conclave("eval", "run", path("evals/guard.yaml"), "--json"),
  };
  expect(Object.keys(each).toSorted()).toEqual(commands.map(({ name }) => name).toSorted());
  vi.spyOn(input, "read").mockReturnValue("a new will\n");
  for (const [name, does] of Object.entries(each)) {
    const { said, wrong, code } = await does();
    expect([name, wrong, code]).toEqual([name, "", ["diff", "try"].includes(name) ? 2 : 0]);
    const values = name === "chat" || name === "tail" ? said.trimEnd().split("\n") : [said];
    for (const value of values) expect(() => JSON.parse(value), `${name}: ${value}`).not.toThrow();
  }
  for (const argv of [["apply"], ["answer", "ask_none", "yes"], ["login", "--nonsense"], ["nonsense"], ["import"]]) {
    write("agents/bad.yaml", "kind: modl\n");
    const { said, wrong, code } = await conclave(...argv, "--json");
    expect([argv, wrong, code]).toEqual([argv, "", 1]);
    const { errors, ...error } = JSON.parse(said).error;
    expect(error).toEqual({ code: expect.any(String), detail: expect.any(String) });
    if (argv[0] === "apply") {
      expect(errors).toEqual([{ path: expect.stringMatching(/agents\/bad\.yaml:1$/), message: expect.any(String) }]);
    }
  }
});

it("staging goes to production by a script: said first, done with --yes, and then the same", async () => {
  const staging = await asNewTenant();
  const stagingKey = process.env.CONCLAVE_KEY ?? "";
  const clerk = { kind: "model" as const, model: "offline", instructions: "Help well." };
  await staging.api.agents.putAgent({ name: "clerk", body: clerk });
  const production = await asNewTenant();
  for (const name of ["clerk", "old"])
    await production.api.agents.putAgent({ name, body: { ...clerk, instructions: "Help." } });

  const bin = join(folder, "bin");
  mkdirSync(bin);
  const command = `exec "${root}/node_modules/.bin/tsx" "${root}/src/command-line/main.ts" "$@"`;
  writeFileSync(join(bin, "conclave"), `#!/bin/sh\n${command}\n`, { mode: 0o755 });
  const env = {
    ...process.env,
    ...{ PATH: `${bin}:${process.env.PATH}`, STAGING_URL: url, STAGING_KEY: stagingKey, PRODUCTION_URL: url },
    ...{ PRODUCTION_KEY: process.env.CONCLAVE_KEY, GIT_CONFIG_GLOBAL: "/dev/null" },
    ...{ GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@shop.example" },
    ...{ GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "ada@shop.example" },
  };
  const shop = join(folder, "shop");
  mkdirSync(shop);
  const does = async (program: string, ...args: string[]) => {
    const child = spawn(program, args, { cwd: shop, env, stdio: ["ignore", "pipe", "pipe"] });
    const [said, wrong] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    return { code: child.exitCode, said, wrong };
  };
  const promote = join(root, "examples/promote/promote.sh");
  await does("git", "init", "--quiet");

  const first = await does(promote);
  expect(first).toMatchObject({ code: 2, wrong: "" });
  expect(first.said).toContain("~ agents/clerk  (instructions)\n- agents/old");
  expect((await production.api.agents.listAgents()).items).toHaveLength(2);
  expect((await does("git", "log", "--format=%s")).said).toBe("What staging has\n");

  // What came after the review waits for the next one.
  await staging.api.agents.putAgent({ name: "later", body: clerk });
  expect(await does(promote, "--yes")).toMatchObject({ code: 0, wrong: "" });
  const { items } = await production.api.agents.listAgents();
  expect(items).toMatchObject([{ name: "clerk", instructions: "Help well." }]);
  await staging.api.agents.deleteAgent({ name: "later" });
  expect(await does(promote)).toMatchObject({ code: 0, said: "0 written\n" });

  write("agents/clerk.yaml", "kind: model\n");
  expect(await does(promote, "--yes")).toMatchObject({ code: 1, wrong: expect.stringContaining("commit or drop") });
});

it("shows what a supervisor makes of a text", async () => {
  write("supervisors/guard.yaml", guard);
  await conclave("apply");
  write("text.txt", "Say swordfish.");
  const tried = await conclave("try", "guard", join(folder, "shop/text.txt"), "--json");
  expect(tried.said).toContain("block");
});

it("runs an eval that a file describes, and fails where a threshold isn't met; the audit is as it was sealed", async () => {
  write("supervisors/guard.yaml", guard);
  await conclave("apply");
  const texts = Array.from({ length: 40 }, (_none, at) =>
    JSON.stringify({
      input: `${at % 2 === 0 ? "Say swordfish" : "Say hello"} ${at}.`,
      expected: { action: at % 2 === 0 ? "block" : "allow" },
    }),
  );
  write("evals/guard.jsonl", texts.join("\n"));
  const plan = (thresholds: string): void =>
    write(
      "evals/guard.yaml",
      `dataset: swords\nitems: guard.jsonl\ncandidates:\n  - { name: now, supervisors: [guard] }\nthresholds: ${thresholds}\n`,
    );
  const run = () => conclave("eval", "run", join(folder, "shop/evals/guard.yaml"));
  plan("{ recall: 0.95, falseAlarms: 0.02, failed: 0, worse: false }");
  expect(await run()).toMatchObject({ code: 0, said: expect.stringContaining("met") });
  plan("{ recall: 0.95, flips: 0.1 }");
  expect(await run()).toMatchObject({ code: 2, said: expect.stringContaining("flips of now isn't known") });
  plan("{ rekall: 0.95 }");
  expect(await run()).toMatchObject({ code: 1, wrong: expect.stringContaining('no threshold "rekall"') });

  expect(await conclave("audit", "verify", "--json")).toMatchObject({
    code: 0,
    said: expect.stringContaining('"faults": []'),
  });
});
