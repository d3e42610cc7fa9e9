/** Positions of seats that answer in prose, although they were shown how to. */
import { defined } from "../conversation/defined.js";
import { plainWords } from "../text/tokenizer.js";
import { jsonObjectsIn } from "../text/written-json.js";
import { type PositionDraft, type PositionRules, positionLimits, readCitedContext } from "./position.js";
import { clipped } from "./written-answer.js";

/** So many words say something; fewer are a refusal, or no answer. */
const leastProse = 8;

/** How models begin when they decline: not what a seat holds. */
const refusal =
  /^(?:i['’]m (?:very )?sorry|(?:i['’]m|i am) (?:unable|not able)|sorry|i (?:can['’]?t|cannot|won['’]t)|as an ai|es tut mir|ich kann (?:das |dabei |leider )?nicht|je (?:suis désolé|ne peux)|lo siento|no puedo)/i;

/** A position of what a seat wrote although it was shown how to: what it holds isn't lost to its form. Undefined where it is no prose. */
export function proseAsPosition(text: string, { stance, citable }: PositionRules): PositionDraft | undefined {
  const isProse =
    jsonObjectsIn(text).next().done === true && plainWords(text).length >= leastProse && !refusal.test(text.trim());
  if (!isProse || stance === "required") return undefined;
  const [first = "", ...rest] = text.trim().split(/\n\s*\n/);
  const reasoning = rest.join("\n\n").trim();
  return {
    ...defined({ stance }),
    position: clipped(first, positionLimits.position),
    reasoning: clipped(
      `(It answered in prose, and didn't say how sure it is: taken for 0.5.) ${reasoning}`.trim(),
      positionLimits.reasoning,
    ),
    confidence: 0.5,
    citations: [],
    citedContext: readCitedContext([], text, citable),
  };
}
