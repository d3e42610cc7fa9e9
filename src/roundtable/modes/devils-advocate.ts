/**
 * One after another; a proponent, an opposition, and those who weigh.
 * @speaks a proponent (YES), an opposition (NO), evaluators (NEUTRAL); at least 3
 * @use have the case against it made, too
 */
import { earlierSpeakers, inTurn, type Mode, type Role } from "./mode.js";

const proponent: Role = {
  name: "proponent",
  stance: "YES",
  brief: "You are the proponent: you argue FOR the proposition, with its best reasons. Your stance is YES throughout.",
};
const opposition: Role = {
  name: "opposition",
  stance: "NO",
  brief:
    "You are the devil's advocate: you argue AGAINST the proposition, whatever you think yourself, with the best objections there are. Your stance is NO throughout.",
};
const evaluator: Role = {
  name: "evaluator",
  stance: "NEUTRAL",
  brief:
    "You are an evaluator: weigh both sides, say which arguments held and which didn't, and what would decide it. Your stance is NEUTRAL throughout; your position says which side is ahead, and why.",
};

export const devilsAdvocate: Mode<"devils-advocate"> = {
  name: "devils-advocate",
  minSeats: 3,
  speaking: inTurn,
  hears: earlierSpeakers,
  brief: () => "This debate has fixed parts, so that the case against is made as well as the case for it.",
  asking:
    "A claim of the other side that could be checked should be: ask with request_context for what would confirm or refute it.",
  role: (index) => (index === 0 ? proponent : index === 1 ? opposition : evaluator),
};
