/** What is remembered, as pages of the console: found, followed to where it is from, corrected, forgotten. */
import { expect, it } from "vitest";
import { newTenant } from "../support/conclave.js";
import { signIn } from "../support/console.js";
import { eventually } from "../support/eventually.js";
import { hostileTexts } from "../support/hostile-texts.js";
import { newMemory } from "../support/memory.js";

it("a memory shows its entries by thread, time and words, each with where it is from; corrected and forgotten for good", async () => {
  const memory = await newMemory();
  const { tenant, memoryId } = memory;
  await tenant.call("PATCH", memory.path, { title: "Ana's <b>memory</b>", subject: "ana" });
  const session = await tenant.agent("assistant").then(() => tenant.session());
  await memory.say(["My cat is called Tom.", "A fine name."], session);
  await memory.settled("indexed", session);
  await memory.call("POST", "/entries", { rawEntry: "Ana is allergic to nuts.", tags: { kind: "health" } });
  const ada = await signIn(tenant, { name: "Ada Lovelace" });
  const page = async (path: string): Promise<string> => (await ada.visit(path)).text();
  const at = `/console/memories/${memoryId}`;

  const list = await page("/console/memories?subject=ana&words=cat");
  expect(list).toContain("Ana&#39;s &lt;b&gt;memory&lt;/b&gt;");
  expect(list).toContain("My cat is called Tom.");
  expect(await page("/console/memories?subject=bob")).toContain("None.");

  const shown = await page(at);
  expect(shown).toContain(`href="/console/conversations/${session}"`);
  for (const text of ["My cat is called Tom.", "Ana is allergic to nuts."]) expect(shown).toContain(text);
  expect(await page(`${at}?tag=kind%3Dhealth`)).not.toContain("My cat");
  expect(await page(`${at}?threadId=${session}`)).not.toContain("allergic");
  expect(await page(`${at}?asOf=2020-01-01`)).not.toContain("My cat");
  expect(await page(`${at}?words=cat`)).toContain("Found by");

  const [cat] = (await memory.entries()).filter(({ rawEntry }) => String(rawEntry).includes("cat"));
  const entry = `${at}/entries/${cat?.entryId}`;
  expect(await page(entry)).toContain("What holds from now on");
  const empty = await ada.visit(entry, { do: "correct", rawEntry: " " });
  expect([empty.status, (await empty.text()).includes('aria-invalid="true"')]).toEqual([422, true]);
  const corrected = await ada.visit(entry, { do: "correct", rawEntry: `My cat is called Tim. ${hostileTexts[0]}` });
  const next = (corrected.headers.get("location") ?? "").replace("?done=saved", "");
  expect(next).toMatch(new RegExp(`^${at}/entries/ent_`));
  expect(await page(entry)).toContain(`href="${next}"`);
  const now = await page(next);
  expect(now).toContain("Ada Lovelace");
  expect(now).not.toContain(hostileTexts[0]);
  expect(await page(at)).not.toContain("called Tom");

  expect((await ada.visit(next, { do: "forget" })).headers.get("location")).toBe(`${at}?done=deleted`);
  expect((await ada.visit(next)).status).toBe(404);
  expect(JSON.stringify(await memory.entries())).not.toContain("Tim");
});

it("a version of what it says leads to the entries that it rests on; another tenant and a reviewer have none of it", async () => {
  const memory = await newMemory();
  await memory.say(Array.from({ length: 6 }, (_, n) => `The parcel of order ${n} comes on Monday.`));
  await memory.end();
  await memory.settled("context");
  const { version, document } = await memory.context();
  expect(version).toBeGreaterThan(0);
  const ada = await signIn(memory.tenant);
  const at = `/console/memories/${memory.memoryId}`;
  await eventually(async () => expect(await (await ada.visit(at)).text()).toContain(`href="${at}/context/${version}"`));
  const rests = await (await ada.visit(`${at}/context/${version}`)).text();
  expect(rests).toContain(String(document).split("\n")[0]);
  const [, entry = ""] = new RegExp(`href="(${at}/entries/ent_\\w+)"`).exec(rests) ?? [];
  expect((await ada.visit(entry)).status).toBe(200);

  const stranger = await signIn(await newTenant());
  for (const path of [at, entry, `${at}/context/${version}`]) expect((await stranger.visit(path)).status).toBe(404);
  expect((await stranger.visit(entry, { do: "forget" })).status).toBe(404);
  const reviewer = await signIn(memory.tenant, { role: "reviewer" });
  for (const path of ["/console/memories", at, entry]) expect((await reviewer.visit(path)).status).toBe(403);
  expect((await reviewer.visit(entry, { do: "forget" })).status).toBe(403);
});
