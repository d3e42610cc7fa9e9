/** Fork a roundtable from one of its rounds: the same debate until then, in a roundtable of its own. */
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import { need, problem } from "../../conversation/problem.js";
import { newId } from "../../platform/ids.js";
import { maxRounds } from "../../roundtable/debate.js";
import type { DebateRecord } from "../../roundtable/debate-record.js";
import { roundtableSchema } from "../../roundtable/roundtable.js";
import { keyOf } from "../../stores/reader-store.js";
import { lazily } from "../../text/lazily.js";
import { act } from "../act.js";
import { claimId } from "../creation.js";
import { roundtableInput, roundtableTag, seenBy } from "./roundtable-view.js";

const forkSchema = lazily(() =>
  z.strictObject({
    round: z.int().min(1).max(maxRounds),
    /** How many more there are after it; as many as its panel has, but one at least. */
    rounds: z.int().min(1).max(maxRounds).optional(),
  }),
);

export const forkRoundtable = act("forkRoundtable", {
  role: "client",
  route: {
    method: "post",
    path: "/v1/roundtables/{roundtableId}/fork",
    tag: roundtableTag,
    summary: "Go on from one of its rounds in a roundtable of its own",
    body: "fork",
    answer: "The new roundtable",
    status: 201,
    location: "/v1/roundtables/{sessionId}",
  },
  input: () => z.object({ ...roundtableInput(), fork: forkSchema() }),
  output: () => roundtableSchema,
  run: async (actor, { roundtableId, fork: { round, rounds } }, services) => {
    const { tenantId } = actor;
    const { roundtables } = services;
    const [definition, record] = await Promise.all([
      roundtables.definition(tenantId, roundtableId),
      roundtables.record(tenantId, roundtableId),
    ]);
    const { externalId: _, ...forked } = need(definition);
    const whole = need(record);
    // The rounds fork, the world doesn't: what seats did after this round, or in one that was cut short, is done all the same. Read
    // behind the record, so that nothing is missing that a round of it has done.
    const effects = await roundtables.effects(tenantId, roundtableId);
    const upTo = recordUpTo(whole, round);
    const { panel } = forked;
    const total = round + (rounds ?? Math.max(1, panel.rounds - round));
    if (total > maxRounds) {
      throw problem("invalid", "The fork would have too many rounds.", {
        errors: [{ path: "rounds", message: `a debate has at most ${maxRounds}, and this one ${round} already` }],
      });
    }
    const asked = { fork: roundtableId, round, ...defined({ rounds }) };
    const id = await claimId(actor, newId("rt"), asked, services);
    const identity = { tenantId, roundtableId: id, keyId: keyOf(actor) };
    const made = { ...forked, panel: { ...panel, rounds: total }, forkedFrom: { sessionId: roundtableId, round } };
    return seenBy(actor, await roundtables.adopt(identity, made, upTo, effects));
  },
});

/** What was said until then, and what was asked for until then and is resolved. */
function recordUpTo(record: DebateRecord, round: number): DebateRecord {
  const rounds = record.rounds.filter((one) => one.round <= round);
  if (rounds.at(-1)?.round !== round) {
    throw problem("invalid", "There is no such round to fork from.", {
      errors: [{ path: "round", message: `the roundtable has ${record.rounds.length} complete rounds` }],
    });
  }
  const requests = record.requests.flatMap((request) => {
    const askers = request.askers.filter((asker) => asker.round <= round);
    // An answer that supervision hasn't seen yet has no text.
    const resolved =
      (request.status === "answered" && request.result !== undefined) || request.status === "unavailable";
    return resolved && askers.length > 0 ? [{ ...request, askers }] : [];
  });
  const { exit: _, synthesis: __, endedAt: ___, ...rest } = record;
  return { ...rest, rounds, requests };
}
