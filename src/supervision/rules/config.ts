/** The configuration of a supervisor of kind `rules`, and what can only be checked by trying its rules. */
import { z } from "zod";
import { rulesLimits } from "./limits.js";
import { compileRule, defaultMask } from "./rule.js";
import { type RuleConfig, ruleConfigSchema } from "./rule-config.js";
import { scanText } from "./scan.js";

const ruleSchema = ruleConfigSchema.superRefine((rule, context) => {
  // Otherwise an edited text would break the rule again, and every match would end in a block.
  if (rule.action !== "redact" && rule.action !== "replace") return;
  const replacement = rule.replacement ?? defaultMask;
  if (matches(rule, replacement)) {
    const message = `the rule matches its own replacement ${JSON.stringify(replacement)}; give one that it does not match`;
    context.addIssue({ code: "custom", path: ["replacement"], message });
  }
});

function matches(rule: RuleConfig, text: string): boolean {
  try {
    const compiled = compileRule(rule, 0);
    // What the whole text decides replaces all of it, once.
    return compiled.detectors.length > 0 && scanText(text, [compiled]).findings.length > 0;
  } catch {
    // A pattern that does not compile has an issue already.
    return false;
  }
}

/** The configuration of a supervisor of kind `rules`. */
export const rulesConfigSchema = z
  .strictObject({ rules: z.array(ruleSchema).min(1).max(rulesLimits.rules) })
  .superRefine(({ rules }, context) => {
    const issue = (message: string) => context.addIssue({ code: "custom", path: ["rules"], message });
    const ids = rules.flatMap(({ id }) => id ?? []);
    if (new Set(ids).size < ids.length) issue("each rule has an id of its own");
    const phrases = rules.flatMap(({ match }) => (match.type === "phrases" ? match.phrases : []));
    if (phrases.reduce((sum, phrase) => sum + phrase.length, 0) > rulesLimits.allPhrasesLength) {
      issue(`all phrases together may have ${rulesLimits.allPhrasesLength} characters`);
    }
    if (rules.filter(({ match }) => match.type === "pattern").length > rulesLimits.patterns) {
      issue(`at most ${rulesLimits.patterns} rules may have patterns`);
    }
  });

export type RulesConfig = z.infer<typeof rulesConfigSchema>;
