import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { newTenant } from "../../support/conclave.js";
import { eventually } from "../../support/eventually.js";
import { runHousekeeping } from "../../support/housekeeping.js";
import { newMemory, type TestMemory } from "../../support/memory.js";
import { type UpstreamModel, upstreamFor } from "../../support/upstream-client.js";

/** The meanings that the scripted embedding model knows. */
const meanings = [
  ["dog", "puppy", "terrier"],
  ["car", "vehicle"],
];

async function embeddedMemory(): Promise<{ memory: TestMemory; embeddings: UpstreamModel }> {
  const embeddings = upstreamFor(env.TEST_UPSTREAM);
  const tenant = await newTenant({
    providers: { vectors: { baseUrl: embeddings.baseURL, apiKey: "secret" } },
    embeddings: { provider: "vectors", model: embeddings.model },
  });
  return { memory: await newMemory("offline", tenant), embeddings };
}

async function stored(memory: TestMemory): Promise<{ vectors: number; due: number }> {
  const count = async (table: string) =>
    (
      await env.DB.prepare(
        `SELECT COUNT(*) AS n FROM ${table} t JOIN entries e ON e.key = t.entry_key WHERE e.tenant_id = ?`,
      )
        .bind(memory.tenant.tenantId)
        .first<{ n: number }>()
    )?.n ?? 0;
  return { vectors: await count("entry_vectors"), due: await count("entry_vectors_due") };
}

function ask(memory: TestMemory, query: string) {
  return memory.call("POST", "/search", { query, topEntries: 5 });
}

it("finds by its meaning what shares no word with the question, and says how much that counts", async () => {
  const { memory, embeddings } = await embeddedMemory();
  await embeddings.reply({ embedding: meanings, repeat: true });
  await memory.say(["Our terrier is called Rex.", "Nice weather today."]);
  await memory.settled();
  await eventually(async () => expect(await stored(memory)).toEqual({ vectors: 2, due: 0 }));
  const { entries } = await ask(memory, "Which puppy?");
  expect(entries[0].entry.rawEntry).toBe("Our terrier is called Rex.");
  expect(entries[0].why.vector).toBeGreaterThan(0);
  const [request] = await embeddings.requests();
  expect(request).toMatchObject({ path: "/v1/embeddings", headers: { authorization: "Bearer secret" } });
});

it("goes on without vectors when the provider is down, and fetches them later", async () => {
  const { memory, embeddings } = await embeddedMemory();
  await embeddings.reply({ status: 500, body: {} });
  await memory.say(["Our terrier is called Rex."]);
  await memory.settled();
  await embeddings.until({ requests: 1 });
  expect(await stored(memory)).toEqual({ vectors: 0, due: 1 });
  expect((await ask(memory, "Rex")).entries[0]).toMatchObject({ why: { vector: 0 } });

  await embeddings.reply({ embedding: meanings, repeat: true });
  vi.setSystemTime(Date.now() + 3_600_000);
  await runHousekeeping();
  vi.useRealTimers();
  expect(await stored(memory)).toEqual({ vectors: 1, due: 0 });
});

it("embeds entries without a conversation too, and deletes vectors with their entries", async () => {
  const { memory, embeddings } = await embeddedMemory();
  await embeddings.reply({ embedding: meanings, repeat: true });
  const { entryId } = await memory.call("POST", "/entries", { rawEntry: "The vehicle is red." });
  await eventually(async () => expect(await stored(memory)).toEqual({ vectors: 1, due: 0 }));
  await memory.call("DELETE", `/entries/${entryId}`);
  expect(await stored(memory)).toEqual({ vectors: 0, due: 0 });
});
