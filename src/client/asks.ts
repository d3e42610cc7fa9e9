/** Asks: what waits for an answer. */
import type { Connection } from "./connection.js";
import type { AnswerOf, Ask, AskFilter, AskKind, Page, PageRequest } from "./types.js";

export class Asks {
  constructor(private readonly connection: Connection) {}

  /** The inbox: of the tenant, or of a token's subject. A moment behind; one ask by its id is always current. */
  list(query: AskFilter & PageRequest = {}): Promise<Page<Ask>> {
    return this.connection.json("GET", "/v1/asks", { query: { ...query } });
  }

  get(askId: string): Promise<Ask> {
    return this.connection.json("GET", askPath(askId));
  }

  /**
   * The first answer wins, the same again is harmless, another is refused. What waits goes on at that very step.
   * @param ask its id, or the ask itself: then only an answer of its kind fits
   */
  answer<Kind extends AskKind>(
    ask: string | { readonly askId: string; readonly kind: Kind },
    answer: AnswerOf[Kind],
  ): Promise<Ask> {
    const askId = typeof ask === "string" ? ask : ask.askId;
    return this.connection.json("POST", `${askPath(askId)}/answer`, { body: answer });
  }

  cancel(askId: string): Promise<Ask> {
    return this.connection.json("POST", `${askPath(askId)}/cancel`);
  }
}

function askPath(askId: string): string {
  return `/v1/asks/${encodeURIComponent(askId)}`;
}
