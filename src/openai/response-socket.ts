/** `/v1/responses` over a WebSocket: one response after the other, each a message of the client's, its events ours. */
import type { Context } from "hono";
import { type ChatCaller, streamChat } from "../application/openai/complete-chat.js";
import { keepStateless } from "../application/openai/forget-stateless.js";
import { readResponseId } from "../application/openai/response-ref.js";
import { removeSession } from "../application/removal.js";
import type { Services } from "../application/services.js";
import { authenticateCaller, isStillLetIn } from "../application/tenants/authenticate.js";
import { ProblemError } from "../conversation/problem.js";
import type { FaceEnv } from "../http/face.js";
import { describeError, log } from "../platform/logging.js";
import type { Actor } from "../tenancy/actor.js";
import { readBody } from "./body.js";
import { actorOf, answering } from "./calls.js";
import { bodyOf, OpenAiError, refusalOf } from "./errors.js";
import { lookUpItems } from "./item-look-ups.js";
import { createEventSchema } from "./response-body.js";
import { echoSchema } from "./response-echo.js";
import { responseEvents } from "./response-events.js";
import { responseInput, subjectOf } from "./response-request.js";
import { headAt } from "./stored-response.js";

/** The most that a message may have, in characters, and how deep it may be nested: as a body over HTTP. */
const maxMessage = 1_000_000;
/** Messages that may wait for their turn. */
const maxWaiting = 16;
/** So often is looked whether the caller may still have the socket, also while it says nothing; milliseconds. */
const recheckMs = 15_000;
/** A socket that says nothing for so long is closed; milliseconds. */
const idleMs = 300_000;

export function connect(c: Context<FaceEnv>): Promise<Response> {
  return answering(c, async () => {
    const actor = actorOf(c);
    if (c.req.header("upgrade")?.toLowerCase() !== "websocket") {
      throw new OpenAiError(426, "upgrade_required", "Open a WebSocket here, or send a POST.");
    }
    const offered = c.req.header("sec-websocket-protocol");
    const secret = secretOf(c.req.header("authorization"), offered);
    const { 0: client, 1: server } = new WebSocketPair();
    new ResponseSocket(server, actor, secret, c.get("services"), (work) => c.executionCtx.waitUntil(work)).open();
    const protocol = offered === undefined ? {} : { "sec-websocket-protocol": "conclave" };
    return new Response(null, { status: 101, webSocket: client, headers: protocol });
  });
}

/** What the caller presented: it is asked again before each response, as a key may be deleted while a socket is open. */
function secretOf(authorization = "", protocols = ""): string {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? protocols.split(",")[1]?.trim() ?? "";
}

class ResponseSocket {
  private readonly gone = new AbortController();
  private waiting = 0;
  private last: Promise<void> = Promise.resolve();
  private idle: ReturnType<typeof setTimeout> | undefined;
  private recheck: ReturnType<typeof setInterval> | undefined;
  /** Sessions of responses that aren't stored, each followed by the next: the newest can be gone on from. */
  private chain: string[] = [];

  constructor(
    private readonly socket: WebSocket,
    private readonly actor: Actor,
    private readonly secret: string,
    private readonly services: Services,
    private readonly background: ChatCaller["background"],
  ) {}

  open(): void {
    this.socket.accept();
    this.socket.addEventListener("message", ({ data }) => this.take(data));
    this.socket.addEventListener("close", () => this.end());
    this.socket.addEventListener("error", () => this.end());
    this.recheck = setInterval(() => this.background(this.look()), recheckMs);
    this.rest();
  }

  /** A key or token that was deleted or revoked, or has expired, holds no socket open, and hears no more of what is under way. */
  private async look(): Promise<void> {
    try {
      if (!(await isStillLetIn(this.secret, this.actor, this.services))) this.turnOut();
    } catch (error) {
      log("warn", "socket.not_rechecked", { tenantId: this.actor.tenantId, ...describeError(error) });
    }
  }

  private turnOut(): void {
    this.refuse(new OpenAiError(401, "invalid_api_key", "The key or token isn't valid any more."));
    this.socket.close(1008, "unauthorized");
    this.end();
  }

  private take(data: string | ArrayBuffer): void {
    if (this.waiting >= maxWaiting) {
      this.refuse(new OpenAiError(429, "rate_limit_exceeded", `${maxWaiting} messages are waiting already.`));
      return;
    }
    clearTimeout(this.idle);
    this.waiting++;
    this.last = this.last.then(async () => {
      await this.respond(data).catch((error: unknown) => this.fail(error));
      this.waiting--;
      if (this.waiting === 0) this.rest();
    });
    this.background(this.last);
  }

  private async respond(data: string | ArrayBuffer): Promise<void> {
    if (this.gone.signal.aborted) return;
    if (typeof data !== "string" || data.length > maxMessage) {
      throw new OpenAiError(413, "request_too_large", `A message is text of at most ${maxMessage} characters.`);
    }
    const caller = await authenticateCaller(this.secret, this.services);
    if (caller?.actor.id !== this.actor.id) {
      this.turnOut();
      return;
    }
    const body = readBody(createEventSchema, data);
    const follows =
      body.previous_response_id == null ? undefined : readResponseId(body.previous_response_id)?.sessionId;
    const isFollowing = follows !== undefined && follows === this.chain.at(-1);
    // A conversation may be longer than what isn't stored is left alone by housekeeping.
    if (isFollowing) await keepStateless(caller.actor, this.chain, this.services);
    let isKept = false;
    try {
      const { type: _, ...request } = body;
      const input = responseInput(
        {
          ...request,
          input: await lookUpItems(body.input, { actor: caller.actor, subject: subjectOf(body) }, this.services),
        },
        undefined,
      );
      const { signal } = this.gone;
      const kept = {
        has: (sessionId: string) => sessionId === this.chain.at(-1),
        keep: (sessionId: string) => {
          isKept = true;
          if (!isFollowing) this.forget();
          this.chain.push(sessionId);
        },
      };
      const chat = { input, caller: { signal, background: this.background, kept } };
      const { place, events } = await streamChat(caller.actor, chat, this.services);
      const echo = echoSchema.parse(input.request.note);
      const sent = { model: body.model, echo, instructions: body.instructions ?? null };
      const head = headAt(place, sent, new Date(this.services.now()).toISOString());
      for await (const event of responseEvents(head, events)) {
        // A failure ends a response here; an `error` would stand for a request that was refused.
        if (event.type !== "error") this.send(event);
      }
    } finally {
      // What couldn't be gone on from is gone.
      if (isFollowing && !isKept && body.store === false) this.forget();
    }
  }

  private forget(): void {
    const { tenantId } = this.actor;
    for (const sessionId of this.chain.splice(0)) this.background(removeSession(tenantId, sessionId, this.services));
  }

  private fail(error: unknown): void {
    if (error instanceof OpenAiError || error instanceof ProblemError) {
      this.refuse(refusalOf(error));
      return;
    }
    log("error", "request.failed", { tenantId: this.actor.tenantId, path: "/v1/responses", ...describeError(error) });
    this.refuse(new OpenAiError(500, "server_error", "Something went wrong here, and has been logged."));
  }

  private refuse(error: OpenAiError): void {
    this.send({ type: "error", status: error.status, ...bodyOf(error) });
  }

  private send(message: unknown): void {
    if (!this.gone.signal.aborted) this.socket.send(JSON.stringify(message));
  }

  private rest(): void {
    clearTimeout(this.idle);
    this.idle = setTimeout(() => {
      this.socket.close(1000, "idle");
      this.end();
    }, idleMs);
  }

  private end(): void {
    clearTimeout(this.idle);
    clearInterval(this.recheck);
    if (this.gone.signal.aborted) return;
    this.gone.abort();
    this.forget();
  }
}
