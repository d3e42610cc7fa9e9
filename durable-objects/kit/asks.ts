/** The asks of an object in its SQLite: opened, answered, expired, cancelled, each with what goes with it in the same write. */
import {
  type AnswerOutcome,
  type Ask,
  type AskRequest,
  answerAsk,
  askSchema,
  cancelAsk,
  expireAsk,
  hookOf,
  openAsk,
  type Role,
  withoutTexts,
} from "../../src/asks/ask.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";

export interface AskBookPorts {
  readonly storage: DurableObjectStorage;
  readonly now: () => number;
  readonly newAskId: () => string;
  /** Called in the same write that opened or closed an ask: events, inbox, deadline, resumption. */
  readonly changed: (ask: Ask, work: string) => void;
  /** Called in the same write that took the texts out of an ask. */
  readonly rewritten: (ask: Ask) => void;
}

/** The asks that an object owns. The decisions are the domain's; this stores them. */
export class AskBook {
  constructor(private readonly ports: AskBookPorts) {}

  open(work: string, step: string, request: AskRequest): Ask {
    const ask = openAsk(this.ports.newAskId(), request, this.ports.now());
    this.ports.storage.transactionSync(() => {
      this.ports.storage.sql.exec(
        "INSERT INTO asks (ask_id, work, step, status, body) VALUES (?, ?, ?, ?, ?)",
        ask.askId,
        work,
        step,
        ask.status,
        JSON.stringify(ask),
      );
      this.ports.changed(ask, work);
    });
    return ask;
  }

  find(work: string, step: string): Ask | undefined {
    return this.read("SELECT work, body FROM asks WHERE work = ? AND step = ?", work, step)[0]?.ask;
  }

  get(askId: string): Ask | undefined {
    return this.read("SELECT work, body FROM asks WHERE ask_id = ?", askId)[0]?.ask;
  }

  ofWork(work: string): Ask[] {
    return this.read("SELECT work, body FROM asks WHERE work = ? ORDER BY ask_id", work).map(({ ask }) => ask);
  }

  openOfWork(work: string): Ask[] {
    return this.ofWork(work).filter((ask) => ask.status === "open");
  }

  answer(askId: string, response: unknown, by: Role): AnswerOutcome | undefined {
    const found = this.read("SELECT work, body FROM asks WHERE ask_id = ?", askId)[0];
    if (found === undefined) return undefined;
    const outcome = answerAsk(found.ask, response, by, this.ports.now());
    if (outcome.kind === "accepted" || outcome.kind === "already_closed") this.store(found, outcome.ask);
    return outcome;
  }

  expire(askId: string): void {
    this.update(askId, (ask, now) => expireAsk(ask, now));
  }

  cancel(askId: string): Ask | undefined {
    return this.update(askId, cancelAsk);
  }

  cancelOfWork(work: string): void {
    for (const ask of this.openOfWork(work)) this.cancel(ask.askId);
  }

  /** Takes the texts out of the closed asks of some work, those whose hook `of` accepts. Only the inbox gets a copy. */
  forgetTexts(work: string, of: (hook: string | undefined) => boolean): void {
    for (const ask of this.ofWork(work)) {
      if (!of(hookOf(ask))) continue;
      const left = withoutTexts(ask);
      this.ports.storage.sql.exec("UPDATE asks SET body = ? WHERE ask_id = ?", JSON.stringify(left), ask.askId);
      this.ports.rewritten(left);
    }
  }

  private update(askId: string, decide: (ask: Ask, now: number) => Ask): Ask | undefined {
    const found = this.read("SELECT work, body FROM asks WHERE ask_id = ?", askId)[0];
    if (found === undefined) return undefined;
    const next = decide(found.ask, this.ports.now());
    this.store(found, next);
    return next;
  }

  private store(found: { ask: Ask; work: string }, next: Ask): void {
    if (next.status === found.ask.status) return;
    this.ports.storage.transactionSync(() => {
      this.ports.storage.sql.exec(
        "UPDATE asks SET status = ?, body = ? WHERE ask_id = ?",
        next.status,
        JSON.stringify(next),
        next.askId,
      );
      this.ports.changed(next, found.work);
    });
  }

  private read(query: string, ...bindings: string[]): { ask: Ask; work: string }[] {
    return this.ports.storage.sql
      .exec<{ work: string; body: string }>(query, ...bindings)
      .toArray()
      .map(({ work, body }) => ({ work, ask: askSchema.parse(JSON.parse(body)) }));
  }
}

/** What a caller gets for an answer. */
export function answerResult(outcome: AnswerOutcome | undefined): Result<Ask> {
  if (outcome === undefined) return refuse("not_found", "There is no such ask.");
  switch (outcome.kind) {
    case "accepted":
    case "same":
      return ok(outcome.ask);
    case "already_closed":
      return refuse(
        "already_closed",
        `This ask is closed already (${outcome.ask.status}); what was answered first counts. Read it at GET /v1/asks/${outcome.ask.askId}.`,
      );
    case "forbidden":
      return refuse("forbidden", `Only a key of role ${outcome.needs} or above may answer this ask.`);
    case "invalid":
      return refuse("invalid", "The answer doesn't fit the kind of this ask.", { errors: outcome.issues });
  }
}
