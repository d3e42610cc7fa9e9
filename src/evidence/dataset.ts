/** A dataset as it is shown: texts with what should come of them, in versions. */
import { z } from "zod";
import { lazily } from "../text/lazily.js";

/** Datasets of replays have names that begin so: each is there for its eval alone, and goes with it. */
export const replayPrefix = "replay-try_";

/** How people read what an eval is over, where it is a replay. */
export function replayTitle({
  dataset,
  items,
}: {
  readonly dataset: string;
  readonly items: number;
}): string | undefined {
  return dataset.startsWith(replayPrefix) ? `Replay of ${items} ${items === 1 ? "turn" : "turns"}` : undefined;
}

export const datasetViewSchema = lazily(() =>
  z.object({
    name: z.string(),
    description: z.string().optional(),
    /** Whose it is, where nobody made it: no list shows it. */
    of: z.literal("replay").optional(),
    /** Grows with each change of its items; an eval is over one. */
    version: z.int(),
    items: z.int(),
    /** Of how many it is said what should come of them. */
    labelled: z.int(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  }),
);
export type DatasetView = z.infer<ReturnType<typeof datasetViewSchema>>;

export const addedSchema = lazily(() =>
  z.object({
    added: z.int(),
    /** Were there already: nothing changed of them. */
    same: z.int(),
    version: z.int(),
  }),
);
export type Added = z.infer<ReturnType<typeof addedSchema>>;
