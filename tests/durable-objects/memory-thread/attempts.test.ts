import { abortAllDurableObjects, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import { eventually } from "../../support/eventually.js";
import { addEntryReply, newMemory } from "../../support/memory.js";

afterEach(() => vi.useRealTimers());

it("a thread whose work died twice with a model is tried without one: its message becomes an entry all the same", async () => {
  const memory = await newMemory("scripted");
  await memory.model.reply({ ...addEntryReply("Never."), hold: "for ever", repeat: true });
  await memory.say(["I moved to Turin."]);
  /** Its overdue lease finds what died, which waits before it is tried again: time passes until it was. */
  const ringUntil = (wasTried: () => Promise<boolean>) =>
    eventually(async () => {
      if (await wasTried()) return;
      vi.setSystemTime(Date.now() + 16_000);
      await runDurableObjectAlarm(memory.object());
      expect(await wasTried()).toBe(true);
    });
  for (let death = 1; death <= 2; death++) {
    await ringUntil(async () => (await memory.model.requests()).length === death);
    await abortAllDurableObjects();
  }
  await ringUntil(async () => (await memory.entries()).length > 0);
  expect(await memory.entries()).toMatchObject([{ rawEntry: "I moved to Turin.", summarySource: "extractive" }]);
  expect(await memory.model.requests()).toHaveLength(2);
});
