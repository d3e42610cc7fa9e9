/** What goes on, heard by the page that shows it: the events of a turn, to whoever may read them, and no longer than it goes on. */
import { expect, it } from "vitest";
import { newTenant } from "../support/conclave.js";
import { signIn } from "../support/console.js";
import { eventually } from "../support/eventually.js";

it("a page says where its events are while a turn runs, and they bring the reply as far as it is written", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", {});
  await model.reply({ chunks: ["It comes ", "on Monday."], hold: { name: "h", afterChunks: 1 } });
  const session = await tenant.session();
  const { turnId } = (await tenant.call("POST", `/v1/sessions/${session}/messages`, { content: "When?", waitMs: 0 }))
    .body;
  const at = `/console/conversations/${session}`;
  const events = `${at}/turns/${turnId}/events`;
  const [ada, rita] = [await signIn(tenant), await signIn(tenant, { role: "reviewer" })];
  await eventually(async () => {
    expect(await (await ada.visit(at)).text()).toContain(`data-events="${events}"`);
  });
  // A reviewer's page is asked for anew, as every page is; its events are not for them.
  expect(await (await rita.visit(at)).text()).not.toContain("data-events");
  expect((await rita.visit(events)).status).toBe(403);
  expect((await (await signIn(await newTenant())).visit(events)).status).toBe(404);

  const stream = await ada.visit(events);
  expect(stream.headers.get("content-type")).toBe("text/event-stream");
  expect(stream.headers.get("cache-control")).toBe("no-store");
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  let heard = "";
  const hear = async (text: string) => {
    while (!heard.includes(text)) {
      const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
      heard += value ?? "";
      if (done) return;
    }
  };
  await hear("It comes");
  expect(heard).toContain("event: reply.delta");
  expect(heard).not.toContain("Monday");
  await model.release("h");
  await hear("the end: nothing says this");
  expect(heard).toContain("event: turn.completed");
  expect(await (await ada.visit(at)).text()).not.toContain("data-events");
});
