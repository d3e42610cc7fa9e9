/** The list of what supervisors didn't let pass, over more than a page. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { newTenant, origin } from "../support/conclave.js";
import { signIn } from "../support/console.js";
import { eventually } from "../support/eventually.js";
import { numberedRows } from "../support/numbered-rows.js";

const linksOf = (page: string): string[] =>
  [...page.matchAll(/href="([^"]+)"/g)].map(([, href = ""]) => href.replaceAll("&amp;", "&"));

it("leads from the last decision of a page to the first of the next, and stays on it when one is opened or labelled", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", { supervisors: ["rules"] });
  await tenant.rules("rules", [{ match: { type: "phrases", phrases: ["refund"] }, action: "block", reason: "money" }]);
  await model.reply({ text: "Yes.", repeat: true });
  const session = await tenant.session();
  for (const text of ["A refund?", "My refund?"]) await tenant.say(session, text);
  const list = async () => (await tenant.call("GET", "/v1/decisions")).body.items;
  await eventually(async () => expect(await list()).toHaveLength(2));
  const [newer, older] = (await list()).map(({ decisionId }: { decisionId: string }) => decisionId);
  // 49 that came later: the newer one is the last of the first page.
  const columns = "owner_id, revision, step, at, work_id, hook, supervisor, mode, action, decision, body";
  const values = `'run_x', n, '0', ${Date.now() + 60_000} + n, 'w', 'request', 'rules', 'enforce', 'block', 'block', '{"reasons":[],"about":{}}'`;
  await env.DB.batch([numberedRows(49)("decisions", columns, values, tenant.tenantId)]);

  const { visit } = await signIn(tenant);
  const page = async (path: string) => linksOf(await (await visit(path)).text());
  const first = await page(`/console/decisions/${newer}`);
  const next = first.find((href) => href.includes(older)) ?? "";
  expect(next).toMatch(/\?cursor=./);
  // Beside the older one stands its own page of the list, and what is done there leads back to it.
  const beside = await page(next);
  expect(beside).toContain(next);
  expect(beside.some((href) => href.includes("run_x"))).toBe(false);
  const labelled = await visit(next, { do: "wrong" });
  expect(labelled.headers.get("location")).toContain(new URL(next, origin).search.slice(1));
});

it("names people wherever records hold their ids: who writes and labels, to others, and the visitor as such", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", { supervisors: ["rules"] });
  await tenant.rules("rules", [{ match: { type: "phrases", phrases: ["refund"] }, action: "block", reason: "money" }]);
  await model.reply({ text: "Yes.", repeat: true });
  const session = await tenant.session();
  await tenant.say(session, "A refund?");
  const ada = await signIn(tenant, { name: "Ada Lovelace", role: "admin" });
  const grace = await signIn(tenant, { name: "Grace Hopper" });
  const said = `/console/conversations/${session}`;
  await ada.visit(said, { do: "hold" });
  await ada.visit(said, { do: "write", content: "I look into it." });
  const list = async () => (await tenant.call("GET", "/v1/decisions")).body.items;
  await eventually(async () => expect(await list()).toHaveLength(1));
  const [{ decisionId }] = await list();
  await ada.visit(`/console/decisions/${decisionId}`, { do: "wrong" });
  const { body } = await tenant.call("GET", `/v1/sessions/${session}/messages`);
  const { messageId } = body.items.at(-1);
  for (const path of [said, `${said}/messages/${messageId}`, `/console/decisions/${decisionId}`]) {
    const page = await (await grace.visit(path)).text();
    expect(page, path).toContain("Ada Lovelace");
    expect(page, path).not.toContain(ada.personId);
    expect(await (await ada.visit(path)).text(), path).not.toContain(ada.personId);
  }
});

it("a verdict is labelled where the conversation shows it, by a key each; what passed is labelled from its own page", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", { supervisors: ["rules"] });
  await tenant.rules("rules", [{ match: { type: "phrases", phrases: ["refund"] }, action: "block", reason: "money" }]);
  await model.reply({ text: "Yes.", repeat: true });
  const [session, other] = [await tenant.session(), await tenant.session()];
  for (const of of [session, other]) await tenant.say(of, "A refund?");
  const said = `/console/conversations/${session}`;
  const ada = await signIn(tenant);
  const page = async (path = said) => (await ada.visit(path)).text();
  await eventually(async () => expect(await page()).toContain('data-key="v"'));
  const shown = await page();
  const { items } = (await tenant.call("GET", `/v1/decisions?sessionId=${session}`)).body;
  expect(items).toMatchObject([{ sessionId: session, supervisor: "rules" }]);
  expect((await tenant.call("GET", "/v1/decisions?sessionId=ses_none")).body.items).toEqual([]);
  const [{ decisionId, about }] = items;
  expect(shown.split(`name="decision" value="${decisionId}"`)).toHaveLength(2);
  for (const key of ["r", "w", "u"]) expect(shown).toContain(`data-key="${key}"`);

  const done = await ada.visit(`${said}?before=99`, { do: "wrong", decision: decisionId });
  expect(done.headers.get("location")).toBe(`${said}?before=99&done=saved`);
  expect((await tenant.call("GET", `/v1/decisions/${decisionId}`)).body.labels).toMatchObject([
    { label: "wrong", by: { kind: "person", id: ada.personId } },
  ]);
  const after = await page();
  expect(after).not.toContain('data-key="v"');
  expect(after).toContain("wrong");

  const passed = await ada.visit(`${said}/messages/${about.messageId}`, { do: "passed" });
  expect(passed.headers.get("location")).toContain(`/console/decisions/dec_${session}_0_${about.messageId}`);
  const stranger = await signIn(await newTenant());
  expect((await stranger.visit(said, { do: "wrong", decision: decisionId })).status).toBe(404);
});
