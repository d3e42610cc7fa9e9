/** The rules of the memory agent: ours, a tenant's own, and names that are none. */
import { expect, it } from "vitest";
import { newTenant } from "../support/conclave.js";
import { newMemory } from "../support/memory.js";

it("are read with the defaults that a tenant's own replace, and take no other names", async () => {
  const tenant = await newTenant();
  const read = async () => (await tenant.call("GET", "/v1/memory-prompts")).body;
  const { prompts, defaults } = await read();
  expect(prompts).toEqual(defaults);
  expect(Object.keys(defaults).sort()).toEqual(["context", "entry-capture", "summary"]);
  await tenant.put("prompts", "summary", { text: "Like a telegram." });
  expect(await read()).toEqual({ prompts: { ...defaults, summary: "Like a telegram." }, defaults });

  const refused = await tenant.call("PUT", "/v1/prompts/sumary", { text: "Like a telegram." });
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: "name" }] } });
  expect(refused.body.errors[0].message).toContain("entry-capture, summary, context");
});

it("waits for no context that no flush was asked for", async () => {
  const memory = await newMemory();
  await memory.say(["I live in Turin."], "main");
  const goal = { threadId: "main", level: "context", timeoutMs: 60_000 };
  // It would wait longer than a test may take.
  const answer = await memory.call("POST", "/await-consistency", goal);
  expect(answer).toMatchObject({ reached: false, watermarks: { stored: 1, context: 0 } });
  await memory.end("main");
  expect(await memory.call("POST", "/await-consistency", goal)).toMatchObject({ reached: true });
});
