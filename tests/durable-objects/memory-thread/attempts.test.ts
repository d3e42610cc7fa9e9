import { abortAllDurableObjects, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import { eventually } from "../../support/eventually.js";
import { addEntryReply, newMemory } from "../../support/memory.js";

afterEach(() => vi.useRealTimers());

it("a thread whose work died twice with a model is tried without one: its message becomes an entry all the same", async () => {
  const memory = await newMemory("scripted");
  await memory.model.reply({ ...addEntryReply("Never."), hold: "for ever", repeat: true });
  await memory.say(["I moved to Turin."]);
  const ring = async (afterMs: number) => {
    vi.setSystemTime(Date.now() + afterMs);
    await runDurableObjectAlarm(memory.object());
  };
  for (let death = 1; death <= 2; death++) {
    await memory.model.until({ requests: death });
    await abortAllDurableObjects();
    // Its overdue lease finds it; what died waits before it is tried again.
    await ring(31_000);
    await ring(15_000);
  }
  await eventually(async () =>
    expect(await memory.entries()).toMatchObject([{ rawEntry: "I moved to Turin.", summarySource: "extractive" }]),
  );
  expect(await memory.model.requests()).toHaveLength(2);
});
