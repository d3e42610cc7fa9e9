/**
 * All at once and anonymous; earlier answers come back under pseudonyms, with median and quartiles.
 * @speaks all at once, anonymous, with median and quartiles
 * @use estimate, without anybody following a name
 */
import { type Mode, nobody, together } from "./mode.js";

export const delphi: Mode<"delphi"> = {
  name: "delphi",
  speaking: together,
  hears: nobody,
  brief: ({ round }) =>
    round === 1
      ? "This is a Delphi survey. Answer on your own; nobody knows who answers what."
      : "This is a Delphi survey. You see the panel's earlier answers under pseudonyms, with their statistics: median and quartiles. Revise your answer where a reason convinces you, not because others are many; if you stay apart from the rest, say why.",
  asking:
    "If an estimate hangs on a figure that can be looked up, ask for the figure with request_context instead of guessing it.",
  role: () => ({ name: "panelist", brief: "You are an anonymous panelist. Don't say or hint who you are." }),
  anonymous: true,
};
