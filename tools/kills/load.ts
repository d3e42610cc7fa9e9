/** The mixed load: conversations, streamed and not, with tools, questions, a team and a memory; runs; things made under keys. */
import { type Body, type Client, pause } from "./client.js";
import { faces, type Places, preparePlaces } from "./faces.js";
import { type Kind, kinds, messageOf, replyOf } from "./upstream.js";
import { Writes } from "./writes.js";

/** A message or run that was accepted. */
export interface Sent {
  readonly n: number;
  readonly kind: Kind;
  /** The turn's or run's id. */
  readonly id: string;
}

export interface Conversation {
  readonly name: string;
  readonly sessionId: string;
  readonly memoryId: string | undefined;
  readonly sent: Sent[];
  /** What whole streams showed, by number. */
  readonly shown: Map<number, string>;
}

/** What was done, and so what has to be there. */
export interface LoadRecord {
  readonly conversations: Conversation[];
  readonly runs: Sent[];
  /** What was made: the ids that each key was answered with. */
  readonly made: Map<string, Set<string>>;
  /** What was sent by a face of its own, and answered. */
  readonly faces: Sent[];
  /** What a client was told that it shouldn't have been. */
  readonly complaints: string[];
}

export function newRecord(): LoadRecord {
  return { conversations: [], runs: [], made: new Map(), faces: [], complaints: [] };
}

export class Load {
  private over = false;
  private last = 0;
  private places: Places | undefined;
  readonly writes: Writes;

  constructor(
    private readonly client: Client,
    private readonly record: LoadRecord,
    private readonly random: () => number,
  ) {
    this.writes = new Writes(client);
  }

  /** Where faces send, and the number of a request that is new. */
  get ofFaces(): { readonly places: Places; readonly next: (count: number) => number } {
    if (this.places === undefined) throw new Error("the load isn't prepared");
    const next = (count: number): number => {
      this.last += count;
      return this.last - count + 1;
    };
    return { places: this.places, next };
  }

  /** Agents, tools and a team, and the sessions to talk in. @param upstream where tools are */
  async prepare(upstream: string): Promise<void> {
    const { client, record } = this;
    const parameters = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    for (const name of ["charge", "note"]) {
      const http = { method: "POST", url: `${upstream}/tool/${name}` };
      const tool = { server: "shop", description: name, parameters, http, idempotent: name === "note" };
      await client.call("PUT", `/v1/tools/${name}`, tool);
    }
    const tools = ["shop/charge", "shop/note"].map((name) => ({ server: "shop", tool: name.split("/")[1] }));
    const asking = { server: "conclave", tool: "ask_human" };
    const agent = { kind: "model", model: "openai/scripted", instructions: "", tools: [...tools, asking] };
    await client.call("PUT", "/v1/agents/assistant", agent);
    await client.call("PUT", "/v1/teams/desk", {
      supervisor: { strategy: "llm-based", model: "openai/scripted", tools: ["ask_human"] },
      workers: [
        {
          id: "worker",
          description: "Does all",
          model: "openai/scripted",
          tools: ["shop/charge", "shop/note", "ask_human"],
        },
      ],
    });
    await client.call("PUT", "/v1/agents/desk", { kind: "team", team: "desk" });
    this.places = await preparePlaces(client, upstream);
    await this.writes.prepare();
    const webhook = { url: `${upstream}/events`, events: ["turn.completed"] };
    await client.call("PUT", "/v1/webhooks/receiver", webhook, "webhook");
    const vault = await client.call("POST", "/v1/vaults", { title: "Kills" }, "vault");
    for (const name of ["plain", "streamed", "team"]) {
      const title = { title: name, model: "offline" };
      const memory = await client.call(
        "POST",
        `/v1/vaults/${String(vault.body.vaultId)}/memories`,
        title,
        `mem-${name}`,
      );
      const memoryId = String(memory.body.memoryId);
      const definition = { agent: name === "team" ? "desk" : "assistant", memory: { memoryId, threadId: "main" } };
      const { body } = await client.call("POST", "/v1/sessions", definition, `ses-${name}`);
      record.conversations.push({ name, sessionId: String(body.sessionId), memoryId, sent: [], shown: new Map() });
    }
  }

  stop(): void {
    this.over = true;
  }

  /** Until it is stopped: everybody at once. Ends when each has an answer to the last they sent. */
  async run(): Promise<void> {
    const users = this.record.conversations.map((conversation) => this.talk(conversation));
    const others = [this.startRuns(), this.make(), this.answer(), this.useFaces(), this.useFaces(), this.write()];
    await Promise.all([...users, ...others]);
  }

  private async repeat(name: string, work: (n: number) => Promise<void>): Promise<void> {
    while (!this.over) {
      const n = ++this.last;
      await work(n).catch((error: unknown) => this.record.complaints.push(`${name} ${n}: ${String(error)}`));
      await pause(this.random() * 300);
    }
  }

  private kind(): Kind {
    return kinds[Math.floor(this.random() * kinds.length)] ?? "plain";
  }

  private talk({ name, sessionId, sent, shown }: Conversation): Promise<void> {
    const path = `/v1/sessions/${sessionId}/messages`;
    return this.repeat(name, async (n) => {
      const kind = this.kind();
      const content = messageOf(n, kind);
      const key = `message-${n}`;
      if (name === "streamed") {
        const text = await this.client.stream(path, { content }, key);
        if (text?.includes("event: turn.completed")) shown.set(n, text);
      }
      // Sent again under its key: what broke off is picked up, what was done is only told.
      const { body } = await this.client.call("POST", path, { content, waitMs: name === "streamed" ? 0 : 2_000 }, key);
      sent.push({ n, kind, id: String(body.turnId) });
    });
  }

  private startRuns(): Promise<void> {
    return this.repeat("run", async (n) => {
      const kind = this.kind();
      const { body } = await this.client.call(
        "POST",
        "/v1/runs",
        { team: "desk", input: messageOf(n, kind), waitMs: 2_000 },
        `run-${n}`,
      );
      this.record.runs.push({ n, kind, id: String(body.runId) });
    });
  }

  /** Each by another face, none of which asks anything: their callers are programs. */
  private useFaces(): Promise<void> {
    const { places } = this.ofFaces;
    return this.repeat("face", async (n) => {
      const face = faces[n % faces.length];
      const kind = (["plain", "charge", "note"] as const)[Math.floor(this.random() * 3)] ?? "plain";
      if (face === undefined) return;
      const text = await face.send(this.client, places, n, kind);
      if (text !== undefined && !text.includes(replyOf(n, kind)))
        throw new Error(`${face.name}: ${text.slice(0, 300)}`);
      this.record.faces.push({ n, kind, id: face.name });
    });
  }

  private write(): Promise<void> {
    return this.repeat("write", (n) => this.writes.write(n));
  }

  /** Each key is sent twice, as by a double click. */
  private make(): Promise<void> {
    return this.repeat("make", async (n) => {
      const what = n % 3;
      const key = `made-${n}`;
      const [path, body, id]: [string, object, string] =
        what === 0
          ? ["/v1/sessions", { agent: "assistant", metadata: { made: n } }, "sessionId"]
          : what === 1
            ? ["/v1/vaults", { title: `made ${n}` }, "vaultId"]
            : ["/v1/keys", { role: "client", label: `made ${n}` }, "keyId"];
      const ids = new Set<string>();
      this.record.made.set(`${path} ${n}`, ids);
      const replies = await Promise.all([1, 2].map(() => this.client.call("POST", path, body, key)));
      for (const { body: made } of replies) ids.add(String(made[id]));
    });
  }

  /** The person who is asked: answers whatever is open, after a while. */
  private async answer(): Promise<void> {
    while (!this.over) {
      await this.answerOpen().catch((error: unknown) => this.record.complaints.push(`answering: ${String(error)}`));
      await pause(300);
    }
  }

  async answerOpen(): Promise<number> {
    const open = await this.client.list("/v1/asks?status=open");
    await Promise.all(open.map((ask) => this.answerAsk(ask)));
    return open.length;
  }

  private async answerAsk({ askId, question }: Body): Promise<void> {
    const n = /\d+/.exec(String(question))?.[0];
    const answer = this.client.call("POST", `/v1/asks/${String(askId)}/answer`, { response: `person ${n}` });
    await answer.catch((error: unknown) => {
      // The load itself cancels turns that ask: their question may be closed between the list and the answer.
      if (!String(error).includes("closed already (cancelled)")) throw error;
    });
  }
}
