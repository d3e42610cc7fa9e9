/** Seal everything under the key in force: what `npm run rotate` asks for once SEALING_SECRET is another one. */
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import { log } from "../../platform/logging.js";
import type { Resealing } from "../../stores/reseal-store.js";
import { act } from "../act.js";
import { everywhere } from "../home.js";
import type { Services } from "../services.js";

/** Slices that one call does. */
const slicesAtOnce = 20;
/** How long what was signed under the former secret counts, in milliseconds, from when everything began to be sealed anew. */
export const formerSecretMs = 24 * 3_600_000;

export const resealingSchema = () =>
  z.object({
    status: z.enum(["running", "finished"]),
    begunAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().optional(),
    resealed: z.int().describe("Sealed texts that were under another key."),
    unopened: z.int().describe("Sealed texts that no key of the deployment opens: they have to be stored again."),
  });

export const resealSecrets = act("resealSecrets", {
  role: "deployment",
  route: {
    method: "post",
    path: "/v1/admin/reseal",
    tag: "System",
    summary: "Seal everything under the SEALING_SECRET in force, a slice at a time",
    description:
      "Begins, or goes on where the last call came to; what one call doesn't finish, the next or the schedule does. After it was finished a call looks at everything once more.",
    answer: "How far it is",
    answerName: "Resealing",
  },
  input: () => z.object({}),
  output: resealingSchema,
  run: async (_actor, _input, services) => {
    const all = everywhere(services);
    // Those that are finished are looked at once more when all are: a call that goes on begins none anew.
    const before = await Promise.all(all.map(({ reseals }) => reseals.progress()));
    const goesOn = before.some((at) => at !== undefined && at.finishedAt === undefined);
    await Promise.all(
      all.map(async ({ reseals }, place) => {
        if (!goesOn || before[place] === undefined) await reseals.begin();
      }),
    );
    return viewOf(mergeResealing(await Promise.all(all.map((one) => resealSlices(one)))));
  },
});

/** Goes on with what was begun, up to so much of it; for the schedule too. */
export async function resealSlices({ reseals }: Pick<Services, "reseals">): Promise<Resealing | undefined> {
  let at = await reseals.progress();
  for (let done = 0; done < slicesAtOnce && at !== undefined && at.finishedAt === undefined; done++) {
    at = await reseals.slice();
    if (at?.finishedAt === undefined) continue;
    log(at.unopened > 0 ? "error" : "info", "sealing.resealed", { resealed: at.resealed, unopened: at.unopened });
  }
  return at;
}

/** Where all databases are, as one: running while one of them is, or isn't begun. */
export function mergeResealing(each: readonly (Resealing | undefined)[]): Resealing | undefined {
  const begun = each.filter((at) => at !== undefined);
  const [first] = begun;
  if (first === undefined) return undefined;
  const isFinished = begun.length === each.length && begun.every(({ finishedAt }) => finishedAt !== undefined);
  const sum = (pick: (at: Resealing) => number): number => begun.reduce((total, at) => total + pick(at), 0);
  return {
    ...first,
    begunAt: Math.max(...begun.map(({ begunAt }) => begunAt)),
    finishedAt: isFinished ? Math.max(...begun.map(({ finishedAt = 0 }) => finishedAt)) : undefined,
    ...{ found: sum(({ found }) => found), resealed: sum(({ resealed }) => resealed) },
    unopened: sum(({ unopened }) => unopened),
  };
}

export function viewOf(at: Resealing | undefined): z.infer<ReturnType<typeof resealingSchema>> {
  if (at === undefined) throw new RangeError("it was never begun");
  const { begunAt, finishedAt, resealed, unopened } = at;
  return {
    status: finishedAt === undefined ? "running" : "finished",
    begunAt: new Date(begunAt).toISOString(),
    ...defined({ finishedAt: finishedAt === undefined ? undefined : new Date(finishedAt).toISOString() }),
    ...{ resealed, unopened },
  };
}
