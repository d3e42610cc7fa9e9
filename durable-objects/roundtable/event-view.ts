/** What is shown of a roundtable's stored events: the log stores ids, and what holds now is shown. */
import { z } from "zod";
import { shownPosition } from "../../src/roundtable/record-views.js";
import type { Roundtable } from "../../src/roundtable/roundtable.js";
import { seatsAt } from "./roundtable-view.js";
import type { RoundtableStore } from "./store.js";

const positionEvent = z.object({ round: z.int(), agentId: z.string() });
const wholeEvents: readonly string[] = ["round.completed", "roundtable.completed", "synthesis.completed"];

export function presentEvent(
  type: string,
  data: unknown,
  { store, view }: { readonly store: RoundtableStore; readonly view: () => Roundtable },
): unknown {
  if (wholeEvents.includes(type)) return { ...view(), asks: [] };
  const { data: taken } = type === "position.taken" ? positionEvent.safeParse(data) : { data: undefined };
  if (taken === undefined) return data;
  const { roundtableId, ...record } = store.roundtable();
  const complete = store.rounds().find(({ round }) => round === taken.round)?.positions ?? [];
  // What was taken last comes first: a further pass replaces what was held.
  const position = [...store.positions(), ...complete].find(
    ({ seat, round }) => seat === taken.agentId && round === taken.round,
  );
  if (position === undefined) return data;
  return { roundtableId, ...shownPosition(seatsAt({ roundtableId, ...record }), position) };
}
