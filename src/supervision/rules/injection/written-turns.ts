/**
 * Labels of a written dialogue or a list of examples: `User: …`, `Q: …`, `问：…`, `x -> …`. A forged dialogue shows in labels that
 * come again, whatever the language.
 */

/** More labels of one sentence than these say nothing new. */
const maxLabels = 12;
/** A label is told apart by its last characters. */
const labelLength = 12;
const [colon, wideColon, arrow] = [58, 0xff1a, 0x2192];

const mayHaveLabel = /[:：→]|[-=]>/;
const noLabels: readonly number[] = [];

/** The labels of a sentence in their order, each as a hash of eight bits. */
export function labelsOf(sentence: string): readonly number[] {
  if (!mayHaveLabel.test(sentence)) return noLabels;
  const labels: number[] = [];
  for (let at = 1; at < sentence.length && labels.length < maxLabels; at++) {
    const unit = sentence.charCodeAt(at);
    if (unit === colon || unit === wideColon) {
      const label = labelBefore(sentence, at);
      if (label !== undefined && (unit === wideColon || !isText(sentence.charCodeAt(at + 1)))) labels.push(label);
    } else if (unit === arrow || (unit === 62 && isShaft(sentence.charCodeAt(at - 1)))) labels.push(arrow & 0xff);
  }
  return labels;
}

/** Whether a sentence ends in a label that nothing follows: the answer is left to the reader. */
export function endsInLabel(sentence: string): boolean {
  const end = sentence.trimEnd();
  const last = end.charCodeAt(end.length - 1);
  return (
    last === colon || last === wideColon || last === arrow || (last === 62 && isShaft(end.charCodeAt(end.length - 2)))
  );
}

/** A hash of the word before a colon; digits count alike, so that `Example 1:` and `Example 2:` are one label. */
function labelBefore(sentence: string, end: number): number | undefined {
  let start = end;
  while (start > 0 && sentence.charCodeAt(start - 1) <= 32 && end - start < 2) start -= 1;
  let hash = 0x811c9dc5;
  let length = 0;
  for (let at = start - 1; at >= 0 && length < labelLength; at--) {
    const unit = sentence.charCodeAt(at);
    if (!isText(unit)) break;
    // Words of scripts without spaces run into what stands before them.
    if (unit >= 0x2e80 && length >= 2) break;
    hash = Math.imul(hash ^ (isDigit(unit) ? 48 : unit), 0x01000193);
    length += 1;
  }
  return length === 0 ? undefined : (Math.imul(hash, 0x2c1b3c6d) >>> 24) & 0xff;
}

const noTurns = { again: 0, alternating: 0 } as const;

/** What labels of a run of sentences come to: how many came before, and how often two take turns. */
export function turnsOf(labels: readonly number[]): { readonly again: number; readonly alternating: number } {
  if (labels.length < 2) return noTurns;
  const seen = new Uint8Array(256);
  let [again, alternating] = [0, 0];
  for (let at = 0; at < labels.length; at++) {
    const label = labels[at] ?? 0;
    if (seen[label] === 1) again += 1;
    seen[label] = 1;
    if (at > 1 && label === labels[at - 2] && label !== labels[at - 1]) alternating += 1;
  }
  return { again, alternating };
}

const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57;
const isShaft = (unit: number): boolean => unit === 45 || unit === 61;
/** Letters, digits and marks of any script. */
const isText = (unit: number): boolean =>
  unit < 128
    ? (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || isDigit(unit)
    : unit >= 0xc0 &&
      !(unit >= 0x2000 && unit < 0x2e80) &&
      !(unit >= 0x3000 && unit < 0x3041) &&
      !(unit >= 0xff00 && unit < 0xff21);
