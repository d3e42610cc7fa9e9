/** Writes under keys that aren't messages: each changes something that can be counted, or that only the last one decides. */
import { z } from "zod";
import type { Client } from "./client.js";
import { messageOf } from "./upstream.js";

const addressed = z.looseObject({ address: z.string() });

/** How often each was done, as its clients were told. */
export class Writes {
  private rules = 0;
  private changes = 0;
  private contexts = 0;
  private sessionId = "";
  private memoryId = "";
  private readonly tables: { readonly id: string; rounds: number }[] = [];

  constructor(private readonly client: Client) {}

  async prepare(): Promise<void> {
    const { client } = this;
    const session = await client.call("POST", "/v1/sessions", { agent: "assistant" }, "ses-writes");
    this.sessionId = String(session.body.sessionId);
    const vault = await client.call("POST", "/v1/vaults", { title: "Writes" }, "vault-writes");
    const memories = `/v1/vaults/${String(vault.body.vaultId)}/memories`;
    const memory = await client.call("POST", memories, { title: "Writes", model: "offline" }, "mem-writes");
    this.memoryId = String(memory.body.memoryId);
    await client.call("PUT", "/v1/rules/kind", { text: "Be kind." }, "kind");
    const credentials = { secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", replyUrl: "http://127.0.0.1:1/" };
    await client.call("PUT", "/v1/channels/spare", { kind: "generic", agent: "assistant", credentials }, "spare");
  }

  /** The n-th write. @throws where an answer isn't what holds then */
  async write(n: number): Promise<void> {
    const { client } = this;
    const key = `write-${n}`;
    const context = `/v1/sessions/${this.sessionId}/context`;
    switch (n % 7) {
      case 0:
        await client.call("PUT", "/v1/rules/counted", { text: `Rule ${n}.` }, key);
        this.rules += 1;
        return;
      case 1: {
        const { body } = await client.call("POST", "/v1/channels/spare/rotate", undefined, key);
        const now = addressed.parse((await client.call("GET", "/v1/channels/spare")).body).address;
        if (now !== body.address) throw new Error(`rotated to ${String(body.address)}, and it is ${now}`);
        return;
      }
      case 2: {
        const change = this.changes % 2 === 0 ? { add: { rules: ["kind"] } } : { remove: { rules: ["kind"] } };
        await client.call("POST", context, change, key);
        this.changes += 1;
        return;
      }
      case 3:
        await client.call("PUT", `/v1/memories/${this.memoryId}/context`, { document: `## Facts\n- ${n}` }, key);
        this.contexts += 1;
        return;
      case 4: {
        const session = await client.call("POST", "/v1/sessions", { agent: "assistant" }, `${key}-made`);
        await client.call("DELETE", `/v1/sessions/${String(session.body.sessionId)}`, undefined, key);
        return;
      }
      case 5: {
        const session = await client.call("POST", "/v1/sessions", { agent: "assistant" }, `${key}-made`);
        const path = `/v1/sessions/${String(session.body.sessionId)}`;
        const said = { content: messageOf(n, "ask"), waitMs: 0 };
        const { body } = await client.call("POST", `${path}/messages`, said, `${key}-said`);
        await client.call("POST", `${path}/turns/${String(body.turnId)}/cancel`, undefined, key);
        return;
      }
      default:
        await this.debate(n, key);
    }
  }

  /** A debate that goes on by one round each time, until it has had its five. */
  private async debate(n: number, key: string): Promise<void> {
    const { client } = this;
    let table = this.tables.find(({ rounds }) => rounds < 5);
    if (table === undefined) {
      const seats = ["a", "b"].map((id) => ({ id, name: id, model: "openai/scripted" }));
      const models = { analyst: "openai/scripted", synthesis: "openai/scripted" };
      const panel = { mode: "collaborative", seats, models, rounds: 5, analysis: false, exitOnConsensus: false };
      const topic = messageOf(n, "plain");
      const { body } = await client.call("POST", "/v1/roundtables", { topic, ...panel, waitMs: 20_000 }, `${key}-made`);
      table = { id: String(body.sessionId), rounds: 1 };
      this.tables.push(table);
      await this.rest(table.id);
    }
    await client.call("POST", `/v1/roundtables/${table.id}/continue`, { waitMs: 20_000 }, key);
    table.rounds += 1;
    await this.rest(table.id);
  }

  private async rest(tableId: string): Promise<void> {
    for (;;)
      if ((await this.client.call("GET", `/v1/roundtables/${tableId}?waitMs=10000`)).body.running !== true) return;
  }

  /** What isn't as often there as it was done. */
  async faults(): Promise<string[]> {
    const { client } = this;
    const context = await client.call("GET", `/v1/sessions/${this.sessionId}/context`);
    const written = (await client.list(`/v1/memories/${this.memoryId}/contexts`)).length;
    const counts = [
      ["versions of a rule", (await client.list("/v1/rules/counted/versions").catch(() => [])).length, this.rules],
      ["versions of a session's context", context.body.version, this.changes + 1],
      ["versions of a memory's context", written, this.contexts],
      ...(await Promise.all(
        this.tables.map(async ({ id, rounds }) => {
          const { body } = await client.call("GET", `/v1/roundtables/${id}`);
          return [`rounds of ${id}`, body.currentRound, rounds] as const;
        }),
      )),
    ] as const;
    return counts.flatMap(([what, there, done]) => (there === done ? [] : [`${String(there)} ${what} for ${done}`]));
  }
}
