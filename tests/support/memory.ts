/** Memories through the HTTP face: what their tests do most. */
import { env } from "cloudflare:workers";
import { defined } from "../../src/conversation/defined.js";
import { type Fields, newTenant, type TestTenant } from "./conclave.js";
import { type ScriptedReply, type UpstreamModel, upstreamFor } from "./upstream-client.js";

/** A memory of a tenant of its own. */
export class TestMemory {
  constructor(
    readonly tenant: TestTenant,
    readonly vaultId: string,
    readonly memoryId: string,
    /** What writes its summaries and contexts, where that is scripted. */
    readonly model: UpstreamModel,
  ) {}

  get path(): string {
    return `/v1/memories/${this.memoryId}`;
  }

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const answer = await this.tenant.call(method, this.path + path, body, headers);
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Sends messages, from the user and the assistant by turns. */
  say(texts: readonly string[], threadId = "main", headers: Record<string, string> = {}) {
    const messages = texts.map((content, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content }));
    return this.call("POST", `/threads/${threadId}/messages`, { messages }, headers);
  }

  start(threadId = "main") {
    return this.call("POST", `/threads/${threadId}/start`, {});
  }

  end(threadId = "main") {
    return this.call("POST", `/threads/${threadId}/end`, {});
  }

  thread(threadId = "main", query = "") {
    return this.call("GET", `/threads/${threadId}${query}`);
  }

  /** Waits until everything that was said is there, or fails the test. */
  async settled(level: "indexed" | "context" = "indexed", threadId = "main", seq?: number) {
    const wanted = { threadId, level, timeoutMs: 60_000, ...defined({ seq }) };
    const answer = await this.call("POST", "/await-consistency", wanted);
    if (!answer.reached) throw new Error(`not ${level}: ${JSON.stringify(answer)}`);
    return answer;
  }

  async entries(query = ""): Promise<Fields[]> {
    const items: Fields[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: { items: Fields[]; nextCursor: string | null } = await this.call(
        "GET",
        `/entries?limit=200${query}${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      items.push(...page.items);
      cursor = page.nextCursor;
    }
    return items;
  }

  context() {
    return this.call("GET", "/context");
  }

  /** The stub of a thread's object, to evict it or to run its alarm. */
  object(threadId = "main") {
    return env.MEMORY_THREAD.getByName(`${this.tenant.tenantId}/${this.memoryId}/${threadId}`);
  }
}

/** A memory whose model is `offline`, or scripted at the upstream. */
export async function newMemory(model: "offline" | "scripted" = "offline", tenant?: TestTenant): Promise<TestMemory> {
  const owner = tenant ?? (await newTenant());
  const scripted = upstreamFor(env.TEST_UPSTREAM);
  const vault = await owner.call("POST", "/v1/vaults", { title: "Vault" });
  const memory = await owner.call("POST", `/v1/vaults/${vault.body.vaultId}/memories`, {
    title: "Memory",
    model: model === "offline" ? "offline" : `openai/${scripted.model}`,
  });
  if (memory.status !== 201) throw new Error(`memory: ${memory.status} ${JSON.stringify(memory.body)}`);
  return new TestMemory(owner, vault.body.vaultId, memory.body.memoryId, scripted);
}

/** A thread restored to how it stood after a message, as a thread of a memory of its own: nothing that is recorded is taken back. */
export async function restoredTo(seq: number, from: TestMemory, threadId = "main"): Promise<TestMemory> {
  const restored = await newMemory("offline", from.tenant);
  const { tenantId } = from.tenant;
  await env.DB.prepare(
    "INSERT INTO memory_threads (tenant_id, memory_key, thread_id, created_at) SELECT tenant_id, key, ?, 0 FROM memories WHERE memory_id = ?",
  )
    .bind(threadId, restored.memoryId)
    .run();
  const identity = { tenantId, memoryId: restored.memoryId, threadId };
  await restored.object(threadId).restore(identity, await from.object(threadId).checkpoint(seq));
  return restored;
}

export function addEntryReply(summary: string, tags: Fields = {}): ScriptedReply {
  return { toolCalls: [{ name: "add_entry", arguments: { summary, tags } }] };
}

export function putContextReply(content: string): ScriptedReply {
  return { toolCalls: [{ name: "put_context", arguments: { content } }] };
}

/** "Message 1.", "Message 2." … */
export function numbered(count: number, from = 1): string[] {
  return Array.from({ length: count }, (_, at) => `Message ${from + at}.`);
}
