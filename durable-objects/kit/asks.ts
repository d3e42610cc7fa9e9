/** The asks of an object in its SQLite: opened, answered, expired, cancelled, each with what goes with it in the same write. */
import {
  type Answerer,
  type AnswerOutcome,
  type Ask,
  type AskRequest,
  answerAsk,
  cancelAsk,
  cancelAskBy,
  expireAsk,
  mayAnswer,
  openAsk,
  storedAskSchema,
} from "../../src/asks/ask.js";
import { type Claim, type Claimant, claim, claimOfAnother, deferralFault, type Holding } from "../../src/asks/claim.js";
import type { AskWork } from "../../src/asks/origin.js";
import { type CheckArguments, hookOf } from "../../src/asks/proposal.js";
import { withoutItsMessage, withoutTexts } from "../../src/asks/views.js";
import { type ActorRecord, recordOf } from "../../src/conversation/actor-record.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import { exec } from "../../src/platform/sql.js";

export interface AskBookPorts {
  readonly sql: SqlStorage;
  /** Does a write: all of it, or nothing. */
  readonly write: <T>(change: () => T) => T;
  readonly now: () => number;
  readonly newAskId: () => string;
  /** What is known of the work that an ask is opened for. */
  readonly describe: (work: string) => AskWork;
  /** Called in the same write that opened or closed an ask: events, inbox, deadline, resumption. */
  readonly changed: (ask: Ask, work: string) => void;
  /** Says what is wrong with arguments that a call is to be made with. */
  readonly checkArguments: CheckArguments;
  /** Called in the same write that claimed an ask, or gave its claim back. */
  readonly claimed: (ask: Ask) => void;
  /** Called in the same write that put an ask off, or brought it back. */
  readonly deferred: (ask: Ask, work: string, by: ActorRecord) => void;
  /** Called in the same write in which somebody took over what another had claimed. */
  readonly takenOver: (ask: Ask, work: string, from: Claim, by: ActorRecord) => void;
  /** Called in the same write that took the texts out of an ask. */
  readonly rewritten: (ask: Ask) => void;
}

interface Stored {
  readonly ask: Ask;
  readonly work: string;
}

/** The asks that an object owns. The decisions are the domain's; this stores them. */
export class AskBook {
  /** Whether there is no ask at all; unknown until it is looked for, and after a write. */
  private holdsNone: boolean | undefined;

  constructor(private readonly ports: AskBookPorts) {}

  /** A write was rolled back: what is stored is read anew. */
  onRollback(): void {
    this.holdsNone = undefined;
  }

  open(work: string, step: string, request: AskRequest): Ask {
    const ask = openAsk(this.ports.newAskId(), request, this.ports.describe(work), this.ports.now());
    this.ports.write(() => {
      this.holdsNone = undefined;
      exec(this.ports.sql)`INSERT INTO asks (ask_id, work, step, status, body)
        VALUES (${ask.askId}, ${work}, ${step}, ${ask.status}, ${JSON.stringify(ask)})`;
      this.ports.changed(ask, work);
    });
    return ask;
  }

  find(work: string, step: string): Ask | undefined {
    return this.read("SELECT work, body FROM asks WHERE work = ? AND step = ?", work, step)[0]?.ask;
  }

  get(askId: string): Ask | undefined {
    return this.stored(askId)?.ask;
  }

  /** The work that an ask belongs to. */
  workOf(askId: string): string | undefined {
    return this.stored(askId)?.work;
  }

  ofWork(work: string): Ask[] {
    return this.read("SELECT work, body FROM asks WHERE work = ? ORDER BY ask_id", work).map(({ ask }) => ask);
  }

  all(): Ask[] {
    return this.read("SELECT work, body FROM asks ORDER BY ask_id").map(({ ask }) => ask);
  }

  openOfWork(work: string): Ask[] {
    return this.ofWork(work).filter((ask) => ask.status === "open");
  }

  answer(askId: string, response: unknown, answerer: Answerer): AnswerOutcome | undefined {
    const found = this.stored(askId);
    if (found === undefined) return undefined;
    const { checkArguments, now } = this.ports;
    const outcome = answerAsk(found.ask, response, answerer, now(), checkArguments);
    if ("ask" in outcome) this.store(found, outcome.ask);
    return outcome;
  }

  /** Claims it for ten minutes, or renews that; gives a claim back, but another's stays; puts it off, or brings it back; notes that its user declined. */
  hold(askId: string, claimant: Claimant, holding: Holding): AnswerOutcome | undefined {
    const found = this.stored(askId);
    const refused = this.refusedHolding(found, claimant, holding);
    if (found === undefined || refused !== undefined) return refused;
    const { claim: held, deferred, ...ask } = found.ask;
    const now = this.ports.now();
    if (holding === "decline")
      return this.keepHolding(found, { ...found.ask, declinedAt: new Date(now).toISOString() }, claimant.by);
    if (holding === "claim") {
      const outcome = claim(found.ask, claimant, now);
      if (outcome.kind === "claimed_by_another") return { kind: "claimed", claim: outcome.claim };
      // Who is at it has it before them.
      return this.keepHolding(found, { ...ask, claim: outcome.claim }, claimant.by, outcome.takenFrom);
    }
    const another = claimOfAnother(found.ask, claimant, now);
    if (holding === "release") {
      const isOwn = held !== undefined && another === undefined;
      const left = { ...ask, ...(deferred && { deferred }) };
      return isOwn ? this.keepHolding(found, left, claimant.by) : { kind: "accepted", ask: found.ask };
    }
    if (another !== undefined) return { kind: "claimed", claim: another };
    const { until } = holding;
    if (until === deferred?.until) return { kind: "accepted", ask: found.ask };
    const fault = until === undefined ? undefined : deferralFault(ask, until, now);
    if (fault !== undefined) return { kind: "invalid", issues: [{ path: "until", message: fault }] };
    const put = until === undefined ? ask : { ...ask, deferred: { by: recordOf(claimant.by), until } };
    return this.keepHolding(found, put, claimant.by);
  }

  private refusedHolding(found: Stored | undefined, claimant: Claimant, holding: Holding): AnswerOutcome | undefined {
    if (found === undefined) return undefined;
    const isTheirs = holding === "decline" ? found.ask.audience === "user" : claimant.asStaff;
    if (!isTheirs || !mayAnswer(found.ask, claimant)) return { kind: "forbidden" };
    const ask = expireAsk(found.ask, this.ports.now());
    return ask.status === "open" ? undefined : { kind: "already_closed", ask };
  }

  private keepHolding(
    { work, ask: before }: Stored,
    ask: Ask,
    by: ActorRecord,
    takenFrom?: Claim | undefined,
  ): AnswerOutcome {
    this.ports.write(() => {
      exec(this.ports.sql)`UPDATE asks SET body = ${JSON.stringify(ask)} WHERE ask_id = ${ask.askId}`;
      if (takenFrom !== undefined) this.ports.takenOver(ask, work, takenFrom, by);
      if (ask.deferred?.until !== before.deferred?.until) this.ports.deferred(ask, work, by);
      this.ports.claimed(ask);
    });
    return { kind: "accepted", ask };
  }

  expire(askId: string): void {
    const found = this.stored(askId);
    if (found !== undefined) this.store(found, expireAsk(found.ask, this.ports.now()));
  }

  /** Whoever is at it: the work needs no answer any more. */
  cancel(askId: string, by: ActorRecord): AnswerOutcome | undefined {
    const found = this.stored(askId);
    if (found === undefined) return undefined;
    const outcome = cancelAsk(found.ask, by, this.ports.now());
    this.store(found, outcome.ask);
    return outcome;
  }

  cancelBy(askId: string, answerer: Answerer): AnswerOutcome | undefined {
    const found = this.stored(askId);
    if (found === undefined) return undefined;
    const outcome = cancelAskBy(found.ask, answerer, this.ports.now());
    if ("ask" in outcome) this.store(found, outcome.ask);
    return outcome;
  }

  cancelOfWork(work: string, by: ActorRecord): void {
    for (const ask of this.openOfWork(work)) this.cancel(ask.askId, by);
  }

  /**
   * Takes the texts out of the closed asks of some work, those whose hook `of` accepts. Only the inbox gets a copy.
   * @param message whether the message that all of them are about goes too.
   */
  forgetTexts(work: string, of: (hook: string | undefined) => boolean, message: boolean): void {
    for (const ask of this.ofWork(work)) {
      const whole = of(hookOf(ask));
      if (!whole && !message) continue;
      const left = whole ? withoutTexts(ask) : withoutItsMessage(ask);
      exec(this.ports.sql)`UPDATE asks SET body = ${JSON.stringify(left)} WHERE ask_id = ${ask.askId}`;
      this.ports.rewritten(left);
    }
  }

  private stored(askId: string): Stored | undefined {
    return this.read("SELECT work, body FROM asks WHERE ask_id = ?", askId)[0];
  }

  private store(found: Stored, next: Ask): void {
    if (next.status === found.ask.status) return;
    this.ports.write(() => {
      exec(this.ports.sql)`
        UPDATE asks SET status = ${next.status}, body = ${JSON.stringify(next)} WHERE ask_id = ${next.askId}`;
      this.ports.changed(next, found.work);
    });
  }

  private read(query: string, ...bindings: string[]): Stored[] {
    // Most objects never ask anybody.
    this.holdsNone ??= exec(this.ports.sql)`SELECT 1 FROM asks LIMIT 1`.toArray().length === 0;
    if (this.holdsNone) return [];
    return this.ports.sql
      .exec<{ work: string; body: string }>(query, ...bindings)
      .toArray()
      .map(({ work, body }) => ({ work, ask: storedAskSchema.parse(JSON.parse(body)) }));
  }
}

/** What a caller gets for an answer. */
export function answerResult(askId: string, outcome: AnswerOutcome | undefined): Result<Ask> {
  if (outcome === undefined) return refuse("not_found", "There is no such ask.");
  switch (outcome.kind) {
    case "accepted":
    case "same":
      return ok(outcome.ask);
    case "already_closed":
      return refuse(
        "already_closed",
        `This ask is closed already (${outcome.ask.status}); what came first counts. Read it at GET /v1/asks/${outcome.ask.askId}.`,
      );
    case "forbidden":
      return refuse("forbidden", "This ask is for somebody else to answer or to cancel: see its audience.");
    case "claimed": {
      const { by, until } = outcome.claim;
      return refuse(
        "claimed",
        `Somebody else is at this ask: ${by.kind} ${by.id}, until ${until}. Wait for them, or take over: POST /v1/asks/${askId}/claim with {"takeOver": true}.`,
      );
    }
    case "invalid":
      return refuse("invalid", "That doesn't fit this ask; see errors.", { errors: outcome.issues });
  }
}
