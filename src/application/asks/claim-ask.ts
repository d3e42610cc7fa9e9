/** Claim an ask: for ten minutes nobody else of the staff decides it by accident, whatever face they come by. Or put it off: the inbox shows it later. */
import { z } from "zod";
import { askSchema } from "../../asks/ask.js";
import type { Holding } from "../../asks/claim.js";
import { need } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { act } from "../act.js";
import type { Services } from "../services.js";
import { answererOf, askFor } from "./ask-view.js";

const askId = () => z.string().max(100);

export const claimAsk = act("claimAsk", {
  role: "operator",
  reviewers: true,
  route: {
    method: "post",
    path: "/v1/asks/{askId}/claim",
    tag: "Asks",
    summary:
      "Claim an ask for ten minutes, or renew that: another's claim is a 409 `claimed` (operators and reviewers)",
    description:
      "While a claim holds, nobody else of the staff answers or cancels the ask, over any face, until they take the claim over (`takeOver: true`), which is on record. The end user whom a question is for may answer it all the same.",
    body: "claim",
    answer: "The ask, with its claim",
  },
  input: () =>
    z.object({
      askId: askId(),
      /** `takeOver`: although somebody else is at it. */
      claim: z.strictObject({ takeOver: z.boolean().default(false) }).prefault({}),
    }),
  output: () => askSchema,
  run: (actor, { askId: id, claim }, services) => hold(actor, { askId: id, ...claim }, "claim", services),
});

export const releaseAsk = act("releaseAsk", {
  role: "operator",
  reviewers: true,
  route: {
    method: "delete",
    path: "/v1/asks/{askId}/claim",
    tag: "Asks",
    summary: "Give a claim back; another's stays as it is (operators and reviewers)",
    answer: "The ask",
  },
  input: () => z.object({ askId: askId() }),
  output: () => askSchema,
  run: (actor, input, services) => hold(actor, input, "release", services),
});

export const deferAsk = act("deferAsk", {
  role: "operator",
  reviewers: true,
  route: {
    method: "post",
    path: "/v1/asks/{askId}/defer",
    tag: "Asks",
    summary: "Put an ask off: until then the inbox doesn't show it; null brings it back (operators and reviewers)",
    description:
      "At most 30 days, and never past the deadline. Whoever puts it off gives their claim back; claiming it brings it back. It is on record, and anybody may answer meanwhile. `GET /v1/asks?deferred=false` leaves out what is put off.",
    body: "deferral",
    answer: "The ask, with its deferral",
  },
  input: () =>
    z.object({ askId: askId(), deferral: z.strictObject({ until: z.iso.datetime({ offset: true }).nullable() }) }),
  output: () => askSchema,
  run: (actor, { askId: id, deferral: { until } }, services) =>
    hold(actor, { askId: id }, { until: until === null ? undefined : new Date(until).toISOString() }, services),
});

async function hold(
  actor: Actor,
  { askId, takeOver }: { readonly askId: string; readonly takeOver?: boolean },
  holding: Holding,
  services: Services,
) {
  const claimant = { ...answererOf(actor), takeOver };
  return askFor(actor, need(await services.asks.hold(actor.tenantId, askId, claimant, holding)));
}
