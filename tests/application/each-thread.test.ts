import { expect, it } from "vitest";
import { eachThread } from "../../src/application/memory/each-thread.js";

const memory = { tenantId: "ten_1", memoryId: "mem_1", vaultId: "vlt_1", key: 1, models: [], erasures: 0 };

it.each([0, 1, 100, 101, 350])("every thread of a memory is called once, of %i as of any number", async (count) => {
  const all = Array.from({ length: count }, (_, at) => (at === 0 ? "" : `t${String(at).padStart(4, "0")}`));
  const pages: number[] = [];
  const threads = async (_memory: unknown, after: string | undefined, limit: number): Promise<string[]> => {
    const page = all.filter((id) => after === undefined || id > after).slice(0, limit);
    pages.push(page.length);
    return page;
  };
  const called: string[] = [];
  await eachThread(memory, { threads }, async (threadId) => void called.push(threadId));
  expect(called).toEqual(all);
  expect(Math.max(...pages)).toBeLessThanOrEqual(100);
});
