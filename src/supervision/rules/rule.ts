/** A rule ready to be used, and what an editing rule puts in the place of what it finds. */
import type { Finding } from "./detector.js";
import type { CompiledMatch } from "./matches/match-kind.js";
import { compileMatch } from "./matches/table.js";
import type { RuleConfig } from "./rule-config.js";

/** A rule ready to be used. */
export interface CompiledRule extends CompiledMatch {
  /** Place in the configuration, from 0. */
  index: number;
  id: string;
  action: RuleConfig["action"];
  reason: string;
  replacement: string | undefined;
  /** It finds what leaves another rule in doubt, and decides nothing. */
  isDoubt?: true;
}

/** Something that a rule found, at offsets of the original text. */
export interface RuleFinding extends Finding {
  rule: CompiledRule;
}

/** What redaction puts in the place of a match that has no mask of its own. */
export const defaultMask = "[redacted]";

export function compileRule(config: RuleConfig, index: number): CompiledRule {
  const { match, id = String(index + 1), action, reason, replacement } = config;
  return { index, id, action, reason, replacement, ...compileMatch(match) };
}

/** Whether the rule changes the text, rather than only judging it. */
export function isEditing(rule: CompiledRule): boolean {
  return rule.action === "redact" || rule.action === "replace";
}

/** What an editing rule puts in the place of a finding. */
export function replacementFor({ rule, mask }: RuleFinding): string {
  return rule.replacement ?? mask ?? defaultMask;
}
