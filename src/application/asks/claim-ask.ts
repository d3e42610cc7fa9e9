/** Claim an ask: for ten minutes nobody else of the staff decides it by accident, whatever face they come by. */
import { z } from "zod";
import { askSchema } from "../../asks/ask.js";
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
  run: (actor, input, services) => changeClaim(actor, { ...input.claim, askId: input.askId }, services),
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
  run: (actor, input, services) => changeClaim(actor, { ...input, isReleased: true }, services),
});

interface Change {
  readonly askId: string;
  readonly takeOver?: boolean;
  readonly isReleased?: boolean;
}

async function changeClaim(actor: Actor, { askId, takeOver, isReleased = false }: Change, services: Services) {
  const claimant = { ...answererOf(actor), takeOver };
  return askFor(actor, need(await services.asks.claim(actor.tenantId, askId, claimant, isReleased)));
}
