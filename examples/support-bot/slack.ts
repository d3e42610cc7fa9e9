// Slack as far as the example needs it, on this machine: the API is the fake of the tests, and events are signed as Slack signs them.
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { answerPlatform } from "../../tests/support/fake-platforms.js";

const postSchema = z.looseObject({
  channel: z.string().default(""),
  text: z.string().default(""),
  blocks: z.array(z.unknown()).default([]),
});
const buttonSchema = z.object({ text: z.object({ text: z.string() }), value: z.string() });
const rowSchema = z.object({ type: z.literal("actions"), elements: z.array(buttonSchema) });

/** How long a post is waited for, in milliseconds. */
const patienceMs = 30_000;

export interface Post {
  readonly channel: string;
  readonly text: string;
  /** Values of buttons by their labels. */
  readonly buttons: Readonly<Record<string, string>>;
}

export class LocalSlack {
  readonly posts: Post[] = [];
  private server: Server | undefined;
  private waiting: (() => void)[] = [];
  private last = 0;

  constructor(private readonly signingSecret: string) {}

  /** The base URL of its API. */
  async start(): Promise<string> {
    this.server = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      const body: unknown = JSON.parse(text);
      const headers = { authorization: request.headers.authorization ?? "" };
      const answer = answerPlatform("slack", { method: "POST", path: request.url ?? "", headers, body });
      response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(answer.body));
      this.note(postSchema.parse(body));
    });
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    const address = this.server.address();
    return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  }

  stop(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  /** The first post in a channel that fits. */
  async until(channel: string, fits: (post: Post) => boolean): Promise<Post> {
    const deadline = Date.now() + patienceMs;
    while (Date.now() < deadline) {
      const found = this.posts.find((post) => post.channel === channel && fits(post));
      if (found !== undefined) return found;
      await Promise.race([new Promise<void>((resolve) => this.waiting.push(resolve)), setTimeout(1_000)]);
    }
    throw new Error(`nothing of the kind was posted in ${channel}: ${JSON.stringify(this.posts)}`);
  }

  /** A direct message of a user to the bot. */
  message(address: string, user: string, text: string): Promise<void> {
    const ts = this.time();
    const event = { type: "message", channel: `D${user}`, channel_type: "im", user, text, ts };
    const body = JSON.stringify({ type: "event_callback", event, authorizations: [{ user_id: "UBOT" }] });
    return this.send(address, body, "application/json");
  }

  press(address: string, user: string, channel: string, value: string): Promise<void> {
    const payload = {
      type: "block_actions",
      user: { id: user, username: user },
      trigger_id: "1.1",
      channel: { id: channel },
      message: { ts: this.time() },
      actions: [{ value, action_ts: this.time() }],
    };
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    return this.send(address, body, "application/x-www-form-urlencoded");
  }

  private async send(address: string, body: string, type: string): Promise<void> {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signature = createHmac("sha256", this.signingSecret).update(`v0:${timestamp}:${body}`).digest("hex");
    const headers = {
      "content-type": type,
      "x-slack-request-timestamp": timestamp,
      "x-slack-signature": `v0=${signature}`,
    };
    const answer = await fetch(address, { method: "POST", headers, body });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  }

  private time(): string {
    this.last += 1;
    return `${Math.floor(Date.now() / 1_000)}.${String(this.last).padStart(6, "0")}`;
  }

  private note({ channel, text, blocks }: z.infer<typeof postSchema>): void {
    const rows = blocks.map((block) => rowSchema.safeParse(block)).flatMap(({ data }) => data?.elements ?? []);
    this.posts.push({ channel, text, buttons: Object.fromEntries(rows.map((row) => [row.text.text, row.value])) });
    const waiting = this.waiting;
    this.waiting = [];
    for (const wake of waiting) wake();
  }
}
