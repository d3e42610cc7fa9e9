import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { memoryOperations } from "../../src/application/memory/operations.js";
import { composeServices } from "../../src/composition.js";
import type { Actor } from "../../src/tenancy/actor.js";
import { newTenant } from "../support/conclave.js";

const services = composeServices(env);

async function run(tenantId: string, name: string, args: unknown) {
  const operation = memoryOperations.find((one) => one.name === name);
  if (operation === undefined) throw new Error(`there is no operation ${name}`);
  const actor: Actor = { tenantId, kind: "key", id: "key_of_an_operator", role: "operator" };
  const result = await operation.run(actor, args, services);
  return result.ok ? JSON.parse(JSON.stringify(result.value)) : { problem: result.problem };
}

describe("the seed's operations", () => {
  it("lead from a vault to a context, under the seed's names", async () => {
    const { tenantId } = await newTenant();
    const { vaultId } = await run(tenantId, "create_vault", { title: "Vault" });
    expect(await run(tenantId, "list_vaults", {})).toMatchObject({ items: [{ vaultId }], nextCursor: null });
    const { memoryId } = await run(tenantId, "create_memory_in_vault", { vaultId, title: "Memory", model: "offline" });
    expect(await run(tenantId, "list_memories", { vaultId })).toMatchObject({ items: [{ memoryId }] });
    expect(await run(tenantId, "get_memory", { memoryId })).toMatchObject({ title: "Memory" });

    const thread = { memoryId, threadId: "main" };
    expect(await run(tenantId, "start_session", thread)).toMatchObject({ control: "START_SESSION" });
    const message = { ...thread, role: "user", content: "The cat is called Tom.", idempotencyKey: "m1" };
    const taken = await run(tenantId, "process_conversation_message", message);
    expect(taken).toMatchObject({ control: "PROCESS_MESSAGE", lastSeq: 1 });
    expect(await run(tenantId, "process_conversation_message", message)).toEqual(taken);
    expect(await run(tenantId, "end_session", thread)).toMatchObject({ control: "END_SESSION" });
    const waited = await run(tenantId, "await_consistency", { ...thread, level: "context" });
    expect(waited).toMatchObject({ reached: true, watermarks: { context: 1 } });

    const { entryId } = await run(tenantId, "add_entry", { memoryId, rawEntry: "The dog is called Rex." });
    expect(await run(tenantId, "get_entry", { memoryId, entryId })).toMatchObject({
      rawEntry: "The dog is called Rex.",
    });
    expect((await run(tenantId, "list_entries", { memoryId })).items).toHaveLength(2);
    const found = await run(tenantId, "search_memories", { memoryId, query: "What is the dog called?", topEntries: 1 });
    expect(found.entries).toMatchObject([{ entry: { entryId } }]);

    const { version } = await run(tenantId, "get_context", { memoryId });
    const document = "## Facts\n- The cat is called Tom.";
    expect(await run(tenantId, "put_context", { memoryId, document, version })).toEqual({ version: version + 1 });
    expect(await run(tenantId, "put_context", { memoryId, document, version })).toMatchObject({
      problem: { code: "precondition_failed" },
    });
  });

  it("give a list in pages, and name the actor as the author of what it wrote", async () => {
    const { tenantId } = await newTenant();
    const { vaultId } = await run(tenantId, "create_vault", { title: "Vault" });
    const create = (title: string) => run(tenantId, "create_memory_in_vault", { vaultId, title });
    const [first, second] = [await create("First"), await create("Second")];
    const page = await run(tenantId, "list_memories", { vaultId, limit: 1 });
    expect(page.items).toMatchObject([{ memoryId: first.memoryId }]);
    const next = await run(tenantId, "list_memories", { vaultId, limit: 1, cursor: page.nextCursor });
    expect(next).toMatchObject({ items: [{ memoryId: second.memoryId }], nextCursor: null });
    await run(tenantId, "put_context", { memoryId: first.memoryId, document: "## Facts\n- One.", version: 0 });
    expect(await run(tenantId, "get_context", { memoryId: first.memoryId })).toMatchObject({
      version: 1,
      author: "key_of_an_operator",
    });
  });

  it("know nothing of another tenant's memory", async () => {
    const [{ tenantId }, stranger] = [await newTenant(), await newTenant()];
    const { vaultId } = await run(tenantId, "create_vault", { title: "Vault" });
    const { memoryId } = await run(tenantId, "create_memory_in_vault", { vaultId, title: "Memory" });
    for (const name of ["get_memory", "get_context", "list_entries"]) {
      expect(await run(stranger.tenantId, name, { memoryId })).toMatchObject({ problem: { code: "not_found" } });
    }
    expect(await run(stranger.tenantId, "list_memories", { vaultId })).toMatchObject({
      problem: { code: "not_found" },
    });
  });
});
