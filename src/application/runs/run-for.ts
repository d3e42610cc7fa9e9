/** A run as an actor sees it: what staff was asked shows its answers to who may give them. */
import { clarificationsShownTo } from "../../routing/clarifications.js";
import type { Run } from "../../routing/run.js";
import type { Actor } from "../../tenancy/actor.js";
import { questionReader, withAsksFor } from "../asks/ask-view.js";

export function runFor(actor: Actor, run: Run): Run {
  const shown = withAsksFor(actor, run);
  return { ...shown, clarifications: clarificationsShownTo(questionReader(actor), shown.clarifications) };
}
