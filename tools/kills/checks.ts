/** What has to be true once everything has come to rest: each fault names what it is about, so that one can look it up. */
import { z } from "zod";
import { ServerSentEventParser } from "../../src/text/server-sent-events.js";
import { type Client, pause } from "./client.js";
import type { Conversation, Load, LoadRecord, Sent } from "./load.js";
import { questionOf, replyOf, type Upstream } from "./upstream.js";

/** How long everything may take to come to rest after the last kill, in milliseconds. */
const restMs = 240_000;

/** How long what is owed to others may take to come to them, in milliseconds. */
const deliveredMs = 180_000;

const turnSchema = z.looseObject({ status: z.string() });
const messageSchema = z.looseObject({ role: z.string(), content: z.string().optional() });
const eventData = z.looseObject({ turnId: z.string().optional() });

export class Checks {
  readonly faults: string[] = [];

  constructor(
    private readonly client: Client,
    private readonly record: LoadRecord,
    private readonly upstream: Pick<Upstream, "calls" | "posts" | "events">,
    /** Rings what the platform rings each minute. */
    private readonly ring: () => Promise<void>,
  ) {}

  async all(load: Load): Promise<void> {
    this.faults.push(...this.record.complaints.map((complaint) => `a client was refused: ${complaint}`));
    const end = Date.now() + restMs;
    for (const conversation of this.record.conversations) {
      for (const sent of conversation.sent) {
        await this.ended(
          sent,
          `/v1/sessions/${conversation.sessionId}/turns/${sent.id}`,
          `turn in ${conversation.name}`,
          load,
          end,
        );
      }
      await this.transcript(conversation);
      await this.events(conversation);
      await this.memory(conversation);
    }
    for (const run of this.record.runs) await this.ended(run, `/v1/runs/${run.id}`, "run", load, end);
    this.effects();
    await this.posts();
    await this.webhooks();
    this.faults.push(...(await load.writes.faults()));
    await this.questions();
    await this.made();
  }

  private fault(what: string): void {
    this.faults.push(what);
  }

  private async ended(sent: Sent, path: string, what: string, load: Load, end: number): Promise<void> {
    const { n, kind, id } = sent;
    for (;;) {
      const { body } = await this.client.call("GET", path);
      const { status } = turnSchema.parse(body);
      if (["queued", "running", "waiting"].includes(status)) {
        if (Date.now() > end)
          return this.fault(`${what} ${id} (${n}, ${kind}) is stuck: ${status}. ${JSON.stringify(body)}`);
        await load.answerOpen();
        await pause(500);
        continue;
      }
      if (status !== "completed")
        return this.fault(`${what} ${id} (${n}, ${kind}) ended ${status}: ${JSON.stringify(body)}`);
      if (!JSON.stringify(body).includes(replyOf(n, kind)))
        this.fault(`${what} ${id} (${n}, ${kind}) has another reply: ${JSON.stringify(body)}`);
      return;
    }
  }

  /** In order, each once, each with its answer behind it. */
  private async transcript({ name, sessionId, sent, shown }: Conversation): Promise<void> {
    const items = z.array(messageSchema).parse(await this.client.list(`/v1/sessions/${sessionId}/messages`));
    const said = items
      .filter(({ role }) => role === "user")
      .map(({ content }) => Number(/n=(\d+)/.exec(content ?? "")?.[1]));
    // Whoever was refused doesn't know whether the message arrived; it is complained of elsewhere.
    const expected = sent.map(({ n }) => n);
    const missing = expected.filter((n) => !said.includes(n));
    const twice = said.filter((n, index) => said.indexOf(n) !== index);
    const known = said.filter((n) => expected.includes(n));
    if (missing.length > 0) this.fault(`${name}: messages ${missing.join(", ")} of session ${sessionId} are lost`);
    if (twice.length > 0) this.fault(`${name}: messages ${twice.join(", ")} of session ${sessionId} are there twice`);
    if (known.some((n, index) => n !== [...known].sort((a, b) => a - b)[index]))
      this.fault(`${name}: the messages of session ${sessionId} are out of order: ${known.join(", ")}`);
    const roles = items.map(({ role }) => role).join(" ");
    if (!/^(user assistant ?)*$/.test(roles))
      this.fault(`${name}: session ${sessionId} isn't question and answer by turns: ${roles}`);
    for (const [n, text] of shown) {
      const deltas = [...text.matchAll(/event: reply\.delta\ndata: (.*)/g)].map(([, data]) => JSON.parse(data ?? "{}"));
      const attempt = Math.max(0, ...deltas.map((delta) => Number(delta.attempt)));
      const whole = deltas
        .filter((delta) => delta.attempt === attempt)
        .map((delta) => String(delta.text))
        .join("");
      const kind = sent.find((one) => one.n === n)?.kind;
      if (kind !== undefined && whole !== replyOf(n, kind)) this.fault(`the stream of message ${n} showed "${whole}"`);
    }
  }

  private async events({ name, sessionId, sent }: Conversation): Promise<void> {
    const { text } = await this.client.call("GET", `/v1/sessions/${sessionId}/events?lingerMs=0`);
    const events = new ServerSentEventParser().push(text).flatMap(({ id, event = "", data = "{}" }) => {
      return id === undefined ? [] : [{ id: Number(id), event, data: eventData.parse(JSON.parse(data)) }];
    });
    const ids = events.map(({ id }) => id);
    const ends = events.flatMap(({ event, data }) => (event === "turn.completed" ? [data.turnId ?? ""] : []));
    if (ids.some((id, index) => index > 0 && id !== (ids[index - 1] ?? 0) + 1))
      this.fault(`${name}: events of ${sessionId} skip or repeat a number`);
    for (const { id, n } of sent) {
      const count = ends.filter((turnId) => turnId === id).length;
      if (count !== 1) this.fault(`${name}: turn ${id} (${n}) ended ${count} times in the events of ${sessionId}`);
    }
  }

  /** Each message and each reply is one entry. */
  private async memory({ name, memoryId, sent }: Conversation): Promise<void> {
    if (memoryId === undefined) return;
    const wait = { threadId: "main", level: "indexed", timeoutMs: 60_000 };
    for (let tries = 0; tries < 4; tries++) {
      const { body } = await this.client.call("POST", `/v1/memories/${memoryId}/await-consistency`, wait);
      if (body.reached === true) break;
      if (tries === 3) this.fault(`${name}: memory ${memoryId} is stuck: ${JSON.stringify(body)}`);
    }
    const entries = (await this.client.list(`/v1/memories/${memoryId}/entries`)).map(({ rawEntry }) =>
      String(rawEntry),
    );
    for (const { n, kind } of sent) {
      const messages = entries.filter((entry) => entry.includes(`[n=${n} `)).length;
      const replies = entries.filter((entry) => entry === replyOf(n, kind)).length;
      if (messages !== 1 || replies !== 1)
        this.fault(`${name}: memory ${memoryId} has message ${n} ${messages} times, its reply ${replies} times`);
    }
  }

  /** The tool server's own log is the witness. */
  private effects(): void {
    const { conversations, runs, faces } = this.record;
    for (const { n, kind, id } of [...conversations.flatMap(({ sent }) => sent), ...runs, ...faces]) {
      const of = (tool: string) => this.upstream.calls.filter((call) => call.n === n && call.tool === tool);
      const charges = of("charge");
      if (charges.length > 1)
        this.fault(
          `${id} (${n}, ${kind}) charged ${charges.length} times: ${charges.map(({ key }) => key).join(", ")}`,
        );
      const keys = new Set(of("note").map(({ key }) => key));
      if (kind === "note" && keys.size !== 1)
        this.fault(`${id} (${n}) noted under ${keys.size} keys: ${[...keys].join(", ")}`);
    }
  }

  /** Everything that was said in a chat channel is answered there. Whether twice, nobody but the platform knows: those are counted. */
  private async posts(): Promise<void> {
    const said = this.record.faces.filter(({ id }) => id === "chat channel");
    const of = (n: number) => this.upstream.posts.filter(({ body }) => JSON.parse(body).text === `Reply ${n}`);
    await this.patiently(
      said,
      ({ n }) => of(n).length > 0,
      ({ n }) => `message ${n} of the chat channel has no reply`,
    );
    const twice = said.filter(({ n }) => of(n).length > 1).length;
    if (twice > 0) console.log(`${twice} of ${said.length} replies were posted to the chat channel more than once`);
  }

  /** What a webhook's receiver is owed, it gets. */
  private async webhooks(): Promise<void> {
    const turns = this.record.conversations.flatMap(({ sent }) => sent);
    const isThere = ({ id }: Sent) => this.upstream.events.some(({ body }) => body.includes(id));
    await this.patiently(turns, isThere, ({ id }) => `the end of turn ${id} never came to its webhook`);
  }

  private async patiently(all: readonly Sent[], holds: (one: Sent) => boolean, fault: (one: Sent) => string) {
    for (const end = Date.now() + deliveredMs; !all.every(holds) && Date.now() < end; ) {
      await this.ring();
      await pause(5_000);
    }
    for (const one of all) if (!holds(one)) this.fault(fault(one));
  }

  private async questions(): Promise<void> {
    const asks = await this.client.list("/v1/asks");
    const all = [...this.record.conversations.flatMap(({ sent }) => sent), ...this.record.runs];
    for (const { n, kind, id } of all) {
      const found = asks.filter(({ question }) => question === questionOf(n));
      const expected = kind === "ask" || kind === "both" ? 1 : 0;
      if (found.length !== expected) this.fault(`${id} (${n}, ${kind}) asked ${found.length} times`);
      if (found.some(({ status }) => status === "open")) this.fault(`the question of ${id} (${n}) is still open`);
    }
  }

  private async made(): Promise<void> {
    for (const [what, ids] of this.record.made) {
      if (ids.size > 1) this.fault(`${what} was made ${ids.size} times: ${[...ids].join(", ")}`);
    }
    const sessions = (await this.client.list("/v1/sessions")).flatMap(
      ({ metadata }) => z.object({ made: z.number().optional() }).parse(metadata).made ?? [],
    );
    const vaults = (await this.client.list("/v1/vaults"))
      .map(({ title }) => String(title))
      .filter((title) => title.startsWith("made"));
    const keys = (await this.client.list("/v1/keys"))
      .map(({ label }) => String(label))
      .filter((label) => label.startsWith("made"));
    for (const [name, list] of [
      ["sessions", sessions],
      ["vaults", vaults],
      ["keys", keys],
    ] as const) {
      const twice = list.map(String).filter((one, index, every) => every.indexOf(one) !== index);
      if (twice.length > 0) this.fault(`${name} made twice: ${twice.join(", ")}`);
    }
  }
}
