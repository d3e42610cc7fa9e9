/** What is seen of an ask: by whoever may answer it, by an end user, by everybody who follows the work, and once its texts were erased. */
import { type Answerer, type Ask, mayAnswer } from "./ask.js";
import { withoutMessage } from "./origin.js";
import { previewOf, withoutSchema } from "./proposal.js";

/** Proposals and answers hold what isn't cleared yet: only who may answer an ask sees them. */
export function askShownTo(ask: Ask, reader: Answerer): Ask {
  if (reader.by.role === "user") {
    return mayAnswer(ask, reader)
      ? withPreview(withoutSchema(withoutNote(withoutAgents(withoutClaim(ask)))))
      : bare(ask);
  }
  if (mayAnswer(ask, reader)) return withPreview(reader.asStaff ? ask : withoutNote(withoutClaim(ask)));
  const { proposal: _, answer: __, ...shown } = withoutClaim(ask);
  return shown;
}

function withPreview(ask: Ask): Ask {
  return { ...ask, preview: previewOf(ask) };
}

/** Who of the staff is at it, has put it off or decides it with others is the staff's business. */
function withoutClaim({ claim: _, deferred: __, batchId: ___, ...ask }: Ask): Ask {
  return ask;
}

/** An end user knows of a question to staff that there is one, and whether it is open. */
export function askForUsers(ask: Ask): Ask {
  return ask.audience === "staff" ? bare(ask) : withoutAgents(withoutClaim(ask));
}

/** A team's workers and a panel's seats are none of an end user's business. */
function withoutAgents(ask: Ask): Ask {
  const { agent: _, team: __, path: ___, ...from } = ask.from;
  return { ...ask, from };
}

function bare({ askId, kind, priority, audience, status, openedAt, closedAt, from: { sessionId, turnId } }: Ask): Ask {
  const from = { sessionId, turnId, about: {} };
  return { askId, kind, question: "Staff is asked.", priority, audience, status, openedAt, closedAt, from };
}

/** Everybody who follows the work reads events: who may answer reads what isn't cleared yet from the ask itself. */
export function askForAll(ask: Ask): Ask {
  const { proposal: _, answer, ...shown } = withoutNote(withoutClaim(ask));
  return ask.audience === "staff" || answer === undefined ? shown : { ...shown, answer };
}

/** A note is for staff. */
function withoutNote(ask: Ask): Ask {
  if (ask.answer === undefined || !("note" in ask.answer)) return ask;
  const { note: _, ...answer } = ask.answer;
  return { ...ask, answer };
}

/** What is left of an ask when the texts that it is about were erased: that it was, and what became of it. */
export function withoutTexts(ask: Ask): Ask {
  const { context: _, reason: __, suggestions: ___, proposal: ____, ...rest } = ask;
  const { defaultResponse: _____, answer: ______, ...left } = rest;
  return { ...left, question: "[erased]", from: withoutMessage(ask.from) };
}

/** An ask of work whose message was erased: what else it says stays. */
export function withoutItsMessage(ask: Ask): Ask {
  return { ...ask, from: withoutMessage(ask.from) };
}
