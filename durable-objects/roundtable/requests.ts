/** The context requests of a roundtable from the caller's side: answered at any time, given up, and closed with their asks. */
import { type Answerer, mayAnswer } from "../../src/asks/ask.js";
import type { ActorRecord } from "../../src/conversation/actor-record.js";
import { defined } from "../../src/conversation/defined.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import type { ContextRequest } from "../../src/roundtable/context-request.js";
import { applyResults, type ContextResult, type ResultOutcome } from "../../src/roundtable/context-results.js";
import { isCompleted } from "../../src/roundtable/debate.js";
import { RequestBook } from "../../src/roundtable/request-book.js";
import type { Kit } from "../kit/kit.js";
import { debateOf } from "./roundtable-view.js";
import type { RoundtableStore } from "./store.js";

export interface RequestsPorts {
  readonly store: RoundtableStore;
  readonly kit: Kit;
  readonly now: () => number;
  readonly changed: () => void;
}

export class Requests {
  constructor(private readonly ports: RequestsPorts) {}

  /** Takes what a caller brings, item by item. Nothing of it is taken where one may not answer what it names. */
  give(results: readonly ContextResult[], answerer: Answerer): Result<readonly ResultOutcome[]> {
    const { store, kit, now, changed } = this.ports;
    const debate = debateOf(store);
    const asks = results.flatMap(({ requestId, id }) => kit.asks.get(requestId ?? id ?? "") ?? []);
    if (asks.some((ask) => !mayAnswer(ask, answerer))) {
      return refuse("forbidden", "These requests are for staff to answer: use a key of role operator.");
    }
    const facts = { ended: isCompleted(debate), now: new Date(now()).toISOString() };
    const { outcomes, accepted } = applyResults(debate.requests, results, facts);
    kit.write(() => {
      for (const request of accepted) this.take(request, answerer);
      if (accepted.length > 0) changed();
    });
    kit.deliverSoon();
    return ok(outcomes);
  }

  /** What became of the asks: in the write that closed one. */
  sync(): void {
    const { store, kit, changed } = this.ports;
    this.book().sync(kit.asks.ofWork(store.roundtable().roundtableId));
    changed();
  }

  /** Gives up what is open: what is optional, and where the caller says so what is required. */
  closeOpen({ skipRequired, by }: { readonly skipRequired: boolean; readonly by: ActorRecord }): void {
    this.close(({ priority }) => (priority === "optional" ? "withdrawn" : skipRequired ? "skipped" : undefined), by);
  }

  /** Nobody will read any answer any more. */
  withdrawAll(by: ActorRecord): void {
    this.close(() => "withdrawn", by);
  }

  private close(becomes: (request: ContextRequest) => "withdrawn" | "skipped" | undefined, by: ActorRecord): void {
    const { store, kit, now } = this.ports;
    const closedAt = new Date(now()).toISOString();
    for (const request of debateOf(store).requests) {
      const status = request.status === "open" ? becomes(request) : undefined;
      if (status === undefined) continue;
      this.book().replace([{ ...request, status, closedAt }]);
      kit.asks.cancel(request.requestId, by);
    }
  }

  /** Its ask closes with it, if that is open still; what comes late is kept for later rounds. */
  private take(request: ContextRequest, answerer: Answerer): void {
    const { kit } = this.ports;
    const { requestId, result, error, source } = request;
    if (kit.asks.get(requestId)?.status === "open") {
      const answer = result === undefined ? { error } : { result };
      const outcome = kit.asks.answer(requestId, { ...answer, ...defined({ source }) }, answerer);
      if (outcome?.kind === "accepted") return;
    }
    this.book().replace([request]);
  }

  private book(): RequestBook {
    const { store } = this.ports;
    return new RequestBook(store.requests(), store.roundtable().definition.panel.requests, {
      open: () => {
        throw new RangeError("only a seat opens a request");
      },
      save: (booked) => store.putRequest(booked),
    });
  }
}
