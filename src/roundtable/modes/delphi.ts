/** delphi: all at once and anonymous; earlier answers come back under pseudonyms, with their statistics. */
import { type Mode, nobody, together } from "./mode.js";

export const delphi: Mode = {
  description: "All at once and anonymous; answers come back under pseudonyms with statistics, and are revised.",
  speaking: together,
  hears: nobody,
  brief: ({ round }) =>
    round === 1
      ? "This is a Delphi survey. Answer on your own; nobody knows who answers what."
      : "This is a Delphi survey. You see the panel's earlier answers under pseudonyms, with their statistics. Revise your answer where a reason convinces you, not because others are many; if you stay apart from the rest, say why.",
  asking:
    "If an estimate hangs on a figure that can be looked up, ask for the figure with request_context instead of guessing it.",
  role: () => ({ name: "panelist", brief: "You are an anonymous panelist. Don't say or hint who you are." }),
  anonymous: true,
};
