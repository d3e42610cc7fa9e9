import { describe, expect, it } from "vitest";
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
