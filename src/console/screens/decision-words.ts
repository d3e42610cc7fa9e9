/** Decisions in words, and which of them are good or bad news. */
import type { Decision, Label } from "../../supervision/decisions.js";
import type { Action } from "../../supervision/verdict.js";
import type { Tone } from "../parts.js";

export const decisionsPath = "/console/decisions";

/** What a supervisor did, in words. */
export const actionWords: Readonly<Record<Action, string>> = {
  allow: "passed",
  modify: "changed",
  review: "held",
  block: "blocked",
};
export const actionTones: Readonly<Record<Action, Tone>> = {
  allow: "good",
  modify: "warn",
  review: "warn",
  block: "bad",
};
export const labelTones: Readonly<Record<Label, Tone>> = { right: "good", wrong: "bad", unsure: "warn" };

export const hookWords: Readonly<Record<Decision["hook"], string>> = {
  request: "message",
  response: "reply",
  tool_call: "tool call",
  tool_result: "tool result",
  hop: "handover between agents",
};
