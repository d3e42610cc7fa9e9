/**
 * One after another; questions that lay open what is assumed.
 * @speaks one after another, in questions
 * @use find what a plan takes for granted
 */
import { earlierSpeakers, inTurn, type Mode } from "./mode.js";

export const socratic: Mode<"socratic"> = {
  name: "socratic",
  speaking: inTurn,
  hears: earlierSpeakers,
  brief: ({ index, round }) =>
    index === 0 && round === 1
      ? "This is a Socratic dialogue. Open it: state what seems true to you, and which assumptions that rests on."
      : "This is a Socratic dialogue. Answer the questions that were put, examine one assumption that others (or you) rest on, and end your reasoning with the one question whose answer would matter most.",
  asking:
    "When the question that matters is one of fact and not of thought, put it to whoever called the debate with request_context.",
};
