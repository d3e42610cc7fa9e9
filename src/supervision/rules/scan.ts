import { type Finding, type Scanner, type Subject, TextWindow } from "./detector.js";
import { Normaliser, normalise } from "./normalise.js";
import type { CompiledRule, RuleFinding } from "./rule.js";

/** What the detectors of rules find in a text. */
export interface ScannedText {
  findings: RuleFinding[];
  /** Rules whose work the text makes out of all proportion. */
  overloaded: CompiledRule[];
}

/** Everything that rules find in a whole text. */
export function scanText(text: string, rules: readonly CompiledRule[]): ScannedText {
  const subject = subjectOf(text);
  const scanned: ScannedText = { findings: [], overloaded: [] };
  let map: Normaliser | undefined;
  for (const rule of rules) {
    for (const detector of rule.detectors) {
      if (!detector.mayMatch(subject)) continue;
      const scanner = detector.open(true);
      const findings = scan(subject[detector.reads], scanner);
      if (scanner.overloaded) scanned.overloaded.push(rule);
      for (const finding of findings) {
        if (detector.reads === "raw" || subject.raw === subject.normal) scanned.findings.push({ ...finding, rule });
        else {
          if (map === undefined) {
            map = new Normaliser();
            map.push(text);
          }
          const [start, end] = [map.originalStart(finding.start), map.originalEnd(finding.end)];
          scanned.findings.push({ ...finding, start, end, rule });
        }
      }
    }
    if (rule.isViolatedBy?.(text)) scanned.findings.push({ start: 0, end: text.length, rule });
  }
  return scanned;
}

function subjectOf(raw: string): Subject {
  const normal = normalise(raw);
  return { raw, normal, lower: normal.toLowerCase() };
}

function scan(text: string, scanner: Scanner): Finding[] {
  const window = new TextWindow();
  window.append(text);
  scanner.feed(text, window);
  scanner.finish(window);
  return scanner.take();
}
