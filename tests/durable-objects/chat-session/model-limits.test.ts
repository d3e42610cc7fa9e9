import { describe, expect, it } from "vitest";
import { newTenant, shownText } from "../../support/conclave.js";

const rule = { match: { type: "phrases", phrases: ["crown jewels"] }, action: "block", reason: "A secret." };

describe("a reply of a session's model", () => {
  it("that is blocked at its first words isn't generated to its end: the upstream's connection is closed", async () => {
    const tenant = await newTenant();
    await tenant.rules("guard", [rule]);
    const model = await tenant.agent("assistant", { supervisors: ["guard"] });
    // Where nobody follows, the rules look after a thousand characters at the latest.
    const chunks = ["The crown jewels ", "are in the tower. ".repeat(60), "Nowhere else."];
    await model.reply({ chunks, text: chunks.join(""), hold: { name: "for ever", afterChunks: 2 } });
    const turn = await tenant.say(await tenant.session(), "Where?");
    expect(turn.status).toBe("blocked");
    expect(JSON.stringify(turn)).not.toContain("crown");
    await model.until({ aborted: 1, open: 0 });
    expect(await model.requests()).toHaveLength(1);
  });

  it("that goes on for megabytes fails the turn after one request, and what was shown is retracted", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const chunk = "All work and no play. ".repeat(10_000);
    const chunks = Array.from({ length: 60 }, () => chunk);
    await model.reply({ chunks, text: "", repeat: true });
    const events = await tenant.stream(await tenant.session(), "Tell me.");
    expect(events.at(-1)).toMatchObject({ event: "turn.completed", data: { status: "failed" } });
    expect(events.at(-2)?.event).toBe("reply.retracted");
    expect(shownText(events)).toBe("");
    expect(await model.requests()).toHaveLength(1);
  });

  it("that was cut says so, and one that takes longer than its agent waits is given up", async () => {
    const tenant = await newTenant();
    const teller = await tenant.agent("teller");
    await teller.reply({ text: "Once upon a", finishReason: "length" });
    const cut = await tenant.say(await tenant.session({ agent: "teller" }), "Tell me.");
    expect(cut.reply?.modelReply.turns).toMatchObject([{ message: "Once upon a", cut: "length" }]);
    // Long enough for each call to arrive.
    const model = await tenant.agent("assistant", { modelTimeoutMs: 1_000 });
    await model.reply({ text: "late", hold: "for ever", repeat: true });
    expect((await tenant.say(await tenant.session(), "And then?")).status).toBe("failed");
    await model.until({ aborted: 3, open: 0 });
  });
});
