import type { Detector, Finding } from "./detector.js";
import { injectionDetector } from "./injection.js";
import { patternDetectors } from "./patterns.js";
import { personalDataDetectors, personalDataKinds } from "./personal-data.js";
import { phraseDetectors } from "./phrases.js";
import type { RuleConfig, RuleMatch } from "./rule-config.js";
import { secretDetectors } from "./secrets.js";
import { topicFinder } from "./topics.js";

/** A rule ready to be used. A length rule has neither detectors nor a violation: it is applied after the others. */
export interface CompiledRule {
  /** Place in the configuration, from 0. */
  index: number;
  action: RuleConfig["action"];
  reason: string;
  replacement: string | undefined;
  detectors: readonly Detector[];
  /** For what only the whole text can show: whether it breaks the rule. */
  isViolatedBy?: (text: string) => boolean;
  /** The most characters a text may have. */
  maxLength?: number;
}

/** Something that a rule found, at offsets of the original text. */
export interface RuleFinding extends Finding {
  rule: CompiledRule;
}

/** What redaction puts in the place of a match that has no mask of its own. */
export const defaultMask = "[redacted]";

export function compileRule(config: RuleConfig, index: number): CompiledRule {
  const { match, action, reason, replacement } = config;
  const rule: CompiledRule = { index, action, reason, replacement, detectors: detectorsOf(match) };
  if (match.type === "length") return { ...rule, maxLength: match.max };
  if (match.type === "topics") return { ...rule, isViolatedBy: topicViolation(match) };
  return rule;
}

function detectorsOf(match: RuleMatch): readonly Detector[] {
  switch (match.type) {
    case "phrases": {
      const { caseSensitive = false, wholeWords = false, literal = false } = match;
      return phraseDetectors(match.phrases, { caseSensitive, wholeWords, literal });
    }
    case "pattern":
      return patternDetectors(match.pattern, match.flags);
    case "personalData":
      return personalDataDetectors(match.kinds ?? personalDataKinds, match.privateIps);
    case "secrets":
      return secretDetectors();
    case "injection":
      return [injectionDetector(match.sensitivity ?? "medium")];
    case "length":
    case "topics":
      return [];
  }
}

function topicViolation({ allow, deny }: Extract<RuleMatch, { type: "topics" }>): (text: string) => boolean {
  const isAbout = topicFinder(allow ?? deny ?? []);
  return allow === undefined ? isAbout : (text) => !isAbout(text);
}

/** Whether the rule changes the text, rather than only judging it. */
export function isEditing(rule: CompiledRule): boolean {
  return rule.action === "redact" || rule.action === "replace";
}

/** What an editing rule puts in the place of a finding. */
export function replacementFor({ rule, mask }: RuleFinding): string {
  return rule.replacement ?? mask ?? defaultMask;
}
