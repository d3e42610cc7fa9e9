import { expect, it } from "vitest";
import { connect, genericMessage, genericSecret } from "../support/chat-platforms.js";
import { newTenant } from "../support/conclave.js";

it("a message is answered at the address of the channel, once however often it comes", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "The shop opens at **nine**." });
  const channel = await connect(tenant, "chat", "generic", { secret: genericSecret });
  const event = await genericMessage({ messageId: "m1", text: "When do you open?" });
  expect((await channel.deliver(event)).status).toBe(202);
  expect((await channel.deliver(event)).status).toBe(202);
  await channel.platform.until({ requests: 1 });
  expect((await channel.calls()).map(({ body }) => body)).toEqual([
    { conversation: "room-1", inReplyTo: "m1", text: "The shop opens at **nine**." },
  ]);
});
