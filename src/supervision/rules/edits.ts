import { isEditing, type RuleFinding, replacementFor } from "./rule.js";

/** A change of the text. Offsets are UTF-16 code units of the text it applies to, `end` exclusive. */
export interface RulesEdit {
  start: number;
  end: number;
  replacement: string;
  reason: string;
}

/** An edit with the rules that asked for it. */
export interface Region extends RulesEdit {
  findings: RuleFinding[];
}

/**
 * Merges what editing rules found into regions that do not overlap, so that no part of a match stays. Where findings
 * overlap, the longest names the replacement; of equals, the rule that comes first.
 */
export function regionsOf(findings: readonly RuleFinding[]): Region[] {
  const regions: Region[] = [];
  const sorted = findings.filter(({ rule }) => isEditing(rule)).sort((a, b) => a.start - b.start || b.end - a.end);
  for (const finding of sorted) {
    const last = regions.at(-1);
    if (last !== undefined && finding.start < last.end) {
      last.end = Math.max(last.end, finding.end);
      last.findings.push(finding);
    } else {
      regions.push({ start: finding.start, end: finding.end, replacement: "", reason: "", findings: [finding] });
    }
  }
  for (const region of regions) {
    const [leading] = region.findings.toSorted(
      (a, b) => b.end - b.start - (a.end - a.start) || a.rule.index - b.rule.index || a.start - b.start,
    );
    if (leading !== undefined) region.replacement = replacementFor(leading);
    const rules = region.findings.map(({ rule }) => rule).sort((a, b) => a.index - b.index);
    region.reason = [...new Set(rules.map(({ reason }) => reason))].join("; ");
  }
  return regions;
}

/** The text after edits, which are sorted and do not overlap. */
export function applyEdits(text: string, edits: readonly RulesEdit[]): string {
  let out = "";
  let at = 0;
  for (const { start, end, replacement } of edits) {
    out += text.slice(at, start) + replacement;
    at = end;
  }
  return out + text.slice(at);
}

/** The one edit that makes `after` of `before`, leaving what they share at both ends. */
export function singleEdit(before: string, after: string, reason: string): RulesEdit {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let tail = 0;
  while (tail < shorter - start && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  // An edit never starts or ends inside a surrogate pair.
  if (start > 0 && isHighSurrogate(before.charCodeAt(start - 1))) start -= 1;
  if (tail > 0 && isLowSurrogate(before.charCodeAt(before.length - tail))) tail -= 1;
  return { start, end: before.length - tail, replacement: after.slice(start, after.length - tail), reason };
}

export const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Shortens a text that is longer than `max` UTF-16 code units, so that it ends with `ending` and has at most `max`. */
export function shorten(text: string, max: number, ending: string): string {
  if (text.length <= max) return text;
  let keep = max - ending.length;
  if (keep > 0 && isHighSurrogate(text.charCodeAt(keep - 1))) keep -= 1;
  return text.slice(0, keep) + ending;
}
