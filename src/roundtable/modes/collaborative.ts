/**
 * All at once; agreements are looked for and built on.
 * @speaks all at once
 * @use bring views together
 */
import { type Mode, nobody, together } from "./mode.js";

export const collaborative: Mode<"collaborative"> = {
  name: "collaborative",
  speaking: together,
  hears: nobody,
  brief: ({ round }) =>
    round === 1
      ? "This is a collaborative discussion. Give your own honest view first, before you know the others'."
      : "This is a collaborative discussion. Say where you agree with others and build on it, name what they missed, and bring the views together. Don't give up a view for the sake of peace: change it only for a reason, and say which.",
  asking:
    "If a fact that nobody at the table has would let you all agree or decide, ask for it with request_context instead of assuming it.",
};
