/**
 * All at once, each from a perspective of its own; the first round is independent.
 * @speaks all at once, one perspective each, given or made
 * @use look at something from several crafts
 */
import { type Mode, nobody, together } from "./mode.js";

export const expertPanel: Mode<"expert-panel"> = {
  name: "expert-panel",
  speaking: together,
  hears: nobody,
  brief: ({ round }) =>
    round === 1
      ? "You sit on a panel of experts. Judge the topic from your own perspective alone, as you would in a written opinion; you don't know the others' opinions yet."
      : "You sit on a panel of experts. Answer what other experts said as far as it touches your field; say what you would change in your opinion, and where another field has to decide.",
  asking:
    "An expert opinion names the documents and figures that it rests on: ask with request_context for those that your field would insist on.",
  perspectives: true,
};
