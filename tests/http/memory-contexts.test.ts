import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { MemoryService } from "../../src/application/memory/memory-service.js";
import { composeServices } from "../../src/composition/services.js";
import { api } from "../../src/http/api.js";
import { createApp } from "../../src/http/app.js";
import type { MemoryRef } from "../../src/stores/memory/memory-store.js";
import { addEntryReply, newMemory, numbered, putContextReply } from "../support/memory.js";

describe("contexts", () => {
  it("are empty at version 0: no sentinel, no error", async () => {
    const memory = await newMemory();
    const answer = await memory.tenant.call("GET", `${memory.path}/context`);
    expect(answer).toMatchObject({ status: 200, body: { version: 0, document: "", coverage: {} } });
    expect(answer.headers.get("etag")).toBe('"0"');
  });

  it("are put by hand by compare-and-set", async () => {
    const memory = await newMemory();
    const put = (document: string, etag: string) =>
      memory.tenant.call("PUT", `${memory.path}/context`, { document }, { "if-match": etag });
    expect(await put("## Facts\n- One.", '"0"')).toMatchObject({ status: 200, body: { version: 1 } });
    expect(await put("## Facts\n- Lost.", '"0"')).toMatchObject({ status: 412, body: { code: "precondition_failed" } });
    expect(await put("## Facts\n- Early.", '"7"')).toMatchObject({ status: 412 });
    expect(await put("## Facts\n- Two.", '"1"')).toMatchObject({ status: 200, body: { version: 2 } });
    expect(await memory.context()).toMatchObject({ version: 2, document: "## Facts\n- Two.", source: "person" });
    const tooLong = await put("x".repeat(5_001), '"2"');
    expect(tooLong.status).toBe(422);
    // The seed's name of the field does as well; both at once don't.
    await memory.call("PUT", "/context", { content: "## Facts\n- Three." });
    expect(await memory.context()).toMatchObject({ version: 3, document: "## Facts\n- Three." });
    const both = await memory.tenant.call("PUT", `${memory.path}/context`, { content: "a", document: "b" });
    expect(both.status).toBe(422);
  });

  it("have versions, diffs, and can be restored: as a new version that covers what the old one covered", async () => {
    const memory = await newMemory("scripted");
    await memory.model.reply(
      { ...addEntryReply("Something."), repeat: 6 },
      putContextReply("## Facts\n- The cat is called Tom."),
    );
    await memory.say(numbered(6));
    await memory.settled("context");
    await memory.model.reply(
      { ...addEntryReply("Something."), repeat: 6 },
      putContextReply("## Facts\n- The cat is called Tim."),
    );
    await memory.say(numbered(6, 7));
    await memory.settled("context");

    const { items } = await memory.call("GET", "/contexts");
    expect(items).toMatchObject([{ version: 2 }, { version: 1 }]);
    const { diff } = await memory.call("GET", "/contexts/1/diff/2");
    expect(diff).toContain("-- The cat is called Tom.\n+- The cat is called Tim.");
    const { version } = await memory.call("POST", "/contexts/1/restore", {});
    expect(version).toBe(3);
    expect(await memory.context()).toMatchObject({
      version: 3,
      source: "restored",
      document: "## Facts\n- The cat is called Tom.",
      coverage: { main: 6 },
    });
    const { recentEntries } = await memory.start("other");
    expect(recentEntries).toHaveLength(6);

    // The next flush takes in what the restored version doesn't cover.
    await memory.model.reply(
      { ...addEntryReply("Something."), repeat: 6 },
      putContextReply("## Facts\n- The cat is called Tam."),
    );
    await memory.say(numbered(6, 13));
    await memory.settled("context");
    const prompt = JSON.stringify((await memory.model.requests()).at(-1)?.body);
    for (const text of numbered(12, 7)) expect(prompt).toContain(text);
    expect(prompt.split("<session>").at(-1)).not.toContain("Message 6.");
    expect(await memory.context()).toMatchObject({ version: 4, coverage: { main: 18 } });
  });

  it("are put once under an Idempotency-Key", async () => {
    const memory = await newMemory();
    const put = (document: string) =>
      memory.tenant.call("PUT", `${memory.path}/context`, { document }, { "idempotency-key": "same" });
    expect(await put("## Facts\n- One.")).toMatchObject({ status: 200, body: { version: 1 } });
    expect(await put("## Facts\n- One.")).toMatchObject({ status: 200, body: { version: 1 } });
    expect(await put("## Facts\n- Two.")).toMatchObject({ status: 409, body: { code: "idempotency_conflict" } });
    expect((await memory.call("GET", "/contexts")).items).toHaveLength(1);
  });

  it("can't be restored while an entry that they rest on is being deleted", async () => {
    const memory = await newMemory();
    const { messages } = await memory.say(["I own bluebottle.", ...numbered(5, 2)]);
    await memory.settled("context");
    await memory.call("PUT", "/context", { document: "## Facts\n- Nothing of note." });

    // The entry goes just after the old version was read.
    const services = composeServices(env);
    const contexts = Object.create(services.memory.ports.contexts, {
      version: {
        value: async (ref: MemoryRef, version: number) => {
          const found = await services.memory.ports.contexts.version(ref, version);
          await memory.call("DELETE", `/entries/${messages[0].entryId}`);
          return found;
        },
      },
    });
    const app = createApp(
      () => ({ ...services, memory: new MemoryService({ ...services.memory.ports, contexts }) }),
      { callers: "tenant" },
      api,
    );
    const answer = await app.request(
      `${memory.path}/contexts/1/restore`,
      { method: "POST", headers: { authorization: `Bearer ${memory.tenant.key}` } },
      env,
      createExecutionContext(),
    );
    expect(answer.status).toBe(409);
    expect(JSON.stringify(await memory.context())).not.toContain("bluebottle");
  });

  it("say which entries they rest on", async () => {
    const memory = await newMemory();
    await memory.call("POST", "/entries", { rawEntry: "Said without a conversation." });
    const { messages } = await memory.say(numbered(6));
    await memory.settled("context");
    const { items } = await memory.call("GET", "/contexts/1/sources");
    const [direct] = await memory.entries("&threadId=");
    expect(items.map(({ entryId }: { entryId: string }) => entryId).sort()).toEqual(
      [direct?.entryId, ...messages.map(({ entryId }: { entryId: string }) => entryId)].sort(),
    );
  });
});
