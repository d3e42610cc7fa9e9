/** Many conversations at once: all are answered, none is lost, each by itself. */
import { expect, it } from "vitest";
import { connect, genericMessage, platforms } from "../support/chat-platforms.js";
import { newTenant } from "../support/conclave.js";

/** How many; `tools/many-conversations.ts` does the same with a thousand, against a Worker of its own. */
const conversations = 40;

it("a message in each of many conversations at once is answered in its own", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "Here I am.", repeat: true });
  const channel = await connect(tenant, platforms.generic);
  const rooms = Array.from({ length: conversations }, (_none, at) => `room-${at}`);
  const answers = await Promise.all(
    rooms.map(async (conversation) =>
      channel.deliver(await genericMessage({ conversation, messageId: "m1", text: `I am in ${conversation}.` })),
    ),
  );
  expect(answers.every(({ status }) => status === 202)).toBe(true);
  await expect.poll(async () => (await channel.calls()).length).toBe(conversations);
  const answered = (await channel.calls()).map((call) => channel.platform.chatOf(call));
  expect(answered.sort()).toEqual(rooms.sort());
});
