/**
 * One after another; each gives the strongest form of what was said, then attacks it.
 * @speaks one after another; each restates the case before it attacks it
 * @use stress a plan
 */
import { earlierSpeakers, inTurn, type Mode } from "./mode.js";

export const adversarial: Mode<"adversarial"> = {
  name: "adversarial",
  speaking: inTurn,
  hears: earlierSpeakers,
  brief: () =>
    "This is an adversarial debate. First give the strongest version of the case you speak against, so that its holder would agree with your account of it. Then show where it is weak: wrong premises, missing evidence, costs that were left out. Hold your own position to the same standard.",
  asking:
    "Where an argument stands or falls with evidence that nobody has shown, ask for that evidence with request_context rather than dispute in the dark.",
};
