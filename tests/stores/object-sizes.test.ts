/** How large the file of an object is: a page of 4 KB for each table and index that it has come to need. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import figures from "../../tools/turn-figures.json" with { type: "json" };
import { atRest } from "../support/at-rest.js";
import { connect, genericMessage, platforms } from "../support/chat-platforms.js";
import { newTenant } from "../support/conclave.js";
import { newMemory } from "../support/memory.js";
import { newPanel, seat, takes } from "../support/roundtables.js";
import { newTeam, routesTo, startRun } from "../support/teams.js";

const pageBytes = 4_096;
/** As counted, and one more where it depends on how far the work is. Ten turns: of 200 KB that they took once, half is left. */
const most = {
  ...{ session: 7, turn: 16, tenTurns: 25 },
  ...{ run: 12, roundtable: 14, thread: 13, conversation: 12, budget: 10, dataset: 7, job: 10 },
} as const;

const pagesOf = (object: DurableObjectStub): Promise<number> =>
  runInDurableObject(object, (_instance, { storage }) => storage.sql.databaseSize / pageBytes);

it("an object of each kind begins with at most 16 pages, and has few more once it has done its work", async () => {
  const tenant = await newTenant();
  const { tenantId } = tenant;
  const pages: Record<keyof typeof most, number> = { ...most };

  await tenant.rules("privacy", [{ match: { type: "personalData" }, action: "redact", reason: "personal" }]);
  const model = await tenant.agent("assistant", { supervisors: ["privacy"] });
  await model.reply({ text: "It is on its way.", repeat: true });
  const session = await tenant.session();
  pages.session = await pagesOf(tenant.object(session));
  await tenant.say(session, "Where is my parcel?");
  pages.turn = await pagesOf(tenant.object(session));
  for (let turn = 1; turn < 10; turn++) await tenant.say(session, "Where is my parcel?");
  await atRest(tenant.object(session));
  pages.tenTurns = await pagesOf(tenant.object(session));

  const team = newTeam({ billing: {} });
  await tenant.put("teams", "help", team.definition);
  await team.supervisor.reply(routesTo("billing"));
  await team.workers.billing?.reply({ text: "Done." });
  const run = await startRun(tenant, "help", "Paid?");
  pages.run = await pagesOf(env.ROUTING_RUN.getByName(`${tenantId}/${run.runId}`));

  const panel = newPanel(["a", "b"], { rounds: 1 });
  for (const id of ["a", "b"]) await seat(panel, id).reply({ ...takes("Yes."), repeat: true });
  const debate = await tenant.call("POST", "/v1/roundtables", { topic: "Do we ship?", ...panel.fields });
  pages.roundtable = await pagesOf(env.ROUNDTABLE.getByName(`${tenantId}/${debate.body.sessionId}`));

  const memory = await newMemory("offline", tenant);
  await memory.say(["One.", "Two.", "Three.", "Four."]);
  pages.thread = await pagesOf(memory.object());

  const channel = await connect(tenant, platforms.generic);
  await channel.deliver(await genericMessage({ conversation: "room", messageId: "1", text: "Where is it?" }));
  pages.conversation = await pagesOf(channel.conversation("room"));

  await tenant.call("PUT", "/v1/limits/few", { per: "tenant", measure: "messages", max: 2, window: "day" });
  await tenant.say(session, "And now?");
  pages.budget = await pagesOf(env.TENANT_BUDGET.getByName(tenantId));

  await tenant.call("PUT", "/v1/datasets/texts", {});
  pages.dataset = await pagesOf(env.DATASET.getByName(`${tenantId}/texts`));

  const { jobId } = (await tenant.call("POST", "/v1/subjects/nobody/export", {})).body;
  pages.job = await pagesOf(env.SUBJECT_JOB.getByName(`${tenantId}/${jobId}`));

  expect(pages.tenTurns * pageBytes).toBeLessThanOrEqual(figures.sessionBytes);
  for (const [kind, found] of Object.entries(pages)) {
    const bound = { ...most }[kind as keyof typeof most];
    expect([kind, found <= bound, found > bound - 4], JSON.stringify(pages)).toEqual([kind, true, true]);
  }
});
