/** The match `topics`: texts that are about something denied, or about nothing that is allowed. */
import { z } from "zod";
import { rulesLimits } from "../limits.js";
import { hasWords, topicFinder } from "../topics.js";
import { matchKind } from "./match-kind.js";

const topicList = z
  .array(z.string().max(rulesLimits.topicLength).refine(hasWords, { error: "a topic needs at least one word" }))
  .min(1)
  .max(rulesLimits.topics);

export const topicsMatch = matchKind({
  schema: z
    .strictObject({ type: z.literal("topics"), allow: topicList.optional(), deny: topicList.optional() })
    .refine((match) => (match.allow === undefined) !== (match.deny === undefined), {
      error: "give either allow or deny, not both and not neither",
    }),
  compile: ({ allow, deny }) => {
    const isAbout = topicFinder(allow ?? deny ?? []);
    return allow === undefined
      ? { detectors: [], isViolatedBy: isAbout }
      : { detectors: [], isViolatedBy: (text) => !isAbout(text), onlyOfTexts: true };
  },
});
