/** What a deployment names doesn't leave the folder, and what is written for its owner alone is read by nobody else. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Conclave } from "../../src/client/index.js";
import { partsOf } from "../../src/command-line/knowledge.js";
import { keepKey } from "../../src/command-line/place.js";
import { fileNamed } from "../../src/command-line/private-file.js";
import { pullFolder } from "../../src/command-line/sync.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "conclave-private-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const names = ["../../evil", "/etc/evil", "a/b", "..", "", "a\0b", "a\\b", "ü"];

it("a name that leaves the folder is refused, and nothing is written", async () => {
  for (const name of names) expect(() => fileNamed(folder, name, "yaml"), name).toThrow("no file in");
  for (const name of names) {
    const answer = async (address: RequestInfo | URL): Promise<Response> => {
      const isAgents = new URL(String(address instanceof Request ? address.url : address)).pathname === "/v1/agents";
      const items = isAgents ? [{ name, kind: "model" }] : [];
      return Response.json({ items, nextCursor: null, settings: {} });
    };
    const url = "https://conclave.test";
    const conclave = new Conclave({ baseUrl: url, token: "cnk_x", fetch: answer });
    const place = { url, root: join(folder, "deep/shop"), conclave };
    await expect(
      pullFolder(place, false, () => {}),
      name,
    ).rejects.toThrow("no file in");
  }
  expect(readdirSync(folder)).toEqual([]);
});

it("a file that others could read is closed to them when a key is kept in it", () => {
  const env = { ...process.env, XDG_CONFIG_HOME: folder };
  const path = keepKey("https://one.test", "cnk_one", env);
  chmodSync(path, 0o644);
  expect(keepKey("https://two.test/", "cnk_two", env)).toBe(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
    "https://one.test": "cnk_one",
    "https://two.test": "cnk_two",
  });
  expect(existsSync(`${path}.part`)).toBe(false);
});

it("headings of one name, and one that is called as the second of them would be, are parts of their own", () => {
  writeFileSync(
    join(folder, "faq.md"),
    "# Costs\n\nNone.\n\n# Costs\n\nSome.\n\n# Costs 2\n\nMany.\n\n# Costs\n\nAll.\n",
  );
  const parts = partsOf(folder, "shop");
  expect(new Set(parts.map(({ name }) => name)).size).toBe(4);
  expect(parts.map(({ text }) => text.split("\n").at(-1))).toEqual(["None.", "Some.", "Many.", "All."]);
});
