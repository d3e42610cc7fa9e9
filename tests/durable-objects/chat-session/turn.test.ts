import { describe, expect, it } from "vitest";
import { newTenant, shownText } from "../../support/conclave.js";

describe("a turn", () => {
  it("is supervised, answered by the agent's model and stored", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Hello Ada." });
    const session = await tenant.session();

    const turn = await tenant.say(session, "Hi, I am Ada.");

    expect(turn.status).toBe("completed");
    expect(turn.message).toMatchObject({ role: "user", content: "Hi, I am Ada." });
    expect(turn.reply?.modelReply.turns).toMatchObject([{ message: "Hello Ada." }]);
    const transcript = await tenant.call("GET", `/v1/sessions/${session}/messages`);
    expect(transcript.body.items).toMatchObject([{ role: "user" }, { role: "assistant" }]);
  });

  it("streams the same reply as events", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "One two three four five." });
    const events = await tenant.stream(await tenant.session(), "Count.");
    expect(shownText(events)).toBe("One two three four five.");
    expect(events.at(-1)).toMatchObject({ event: "turn.completed", data: { status: "completed" } });
  });
});
