/**
 * Many phrases looked for at once in linear time: the automaton of Aho and Corasick ("Efficient string matching: an aid
 * to bibliographic search", 1975) over folded text. Every occurrence is found, overlapping ones too.
 */

export interface PhraseNode {
  children: Map<number, PhraseNode>;
  /** Where to go on when no child fits: the longest proper suffix that also begins a phrase. */
  fallback: PhraseNode | undefined;
  /** Folded units read so far of the phrase under way. */
  depth: number;
  /** A whole phrase ends here. */
  isPhrase: boolean;
  /** The nearest fallback at which a whole phrase ends. */
  shorter: PhraseNode | undefined;
}

function node(depth: number): PhraseNode {
  return { children: new Map(), fallback: undefined, depth, isPhrase: false, shorter: undefined };
}

/** Builds the automaton for folded phrases; returns its root. */
export function buildPhraseAutomaton(phrases: readonly string[]): PhraseNode {
  const root = node(0);
  for (const phrase of phrases) {
    let at = root;
    for (let index = 0; index < phrase.length; index++) {
      const unit = phrase.charCodeAt(index);
      let child = at.children.get(unit);
      if (child === undefined) {
        child = node(at.depth + 1);
        at.children.set(unit, child);
      }
      at = child;
    }
    at.isPhrase = true;
  }
  const queue = [root];
  for (const parent of queue) {
    for (const [unit, child] of parent.children) {
      const fallback = parent.fallback === undefined ? root : nextNode(parent.fallback, unit);
      child.fallback = fallback;
      child.shorter = fallback.isPhrase ? fallback : fallback.shorter;
      queue.push(child);
    }
  }
  return root;
}

/** The node after reading one more folded unit. */
export function nextNode(from: PhraseNode, unit: number): PhraseNode {
  let at = from;
  for (;;) {
    const child = at.children.get(unit);
    if (child !== undefined) return child;
    if (at.fallback === undefined) return at;
    at = at.fallback;
  }
}
