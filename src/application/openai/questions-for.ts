/** Questions as this face puts them: as the text of an answer, which whoever sent the message shows to their own user. */
import { mayAnswer } from "../../asks/ask.js";
import { askForUsers } from "../../asks/views.js";
import type { Turn } from "../../chat/session.js";
import type { Actor } from "../../tenancy/actor.js";
import { answererOf } from "../asks/ask-view.js";

/** Of what only staff may answer it says that staff is asked. */
export function withQuestionsFor(actor: Actor, turn: Turn): Turn {
  const answerer = answererOf(actor);
  return { ...turn, asks: turn.asks.map((ask) => (mayAnswer(ask, answerer) ? ask : askForUsers(ask))) };
}
