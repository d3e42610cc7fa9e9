/** Two threads of a memory may flush at once: whoever comes second merges what it wrote into what is there by then. */
import {
  type ContextHeading,
  type ContextSections,
  contextHeadings,
  fitContext,
  itemKey,
  parseContext,
  renderContext,
} from "./context-document.js";

/**
 * Merges three ways, item by item: what either side added is in, what either side dropped or rewrote is out.
 * @param base what both began with
 * @param theirs what is stored by now
 * @param mine what was written meanwhile, from `base`
 */
export function mergeContexts(base: string, theirs: string, mine: string): string {
  const [before, stored, written] = [base, theirs, mine].map(parseContext);
  const merged = new Map<ContextHeading, string[]>();
  for (const heading of contextHeadings) {
    const baseKeys = keysOf(before, heading);
    const [storedKeys, writtenKeys] = [keysOf(stored, heading), keysOf(written, heading)];
    const kept = itemsOf(stored, heading).filter(
      (item) => writtenKeys.has(itemKey(item)) || !baseKeys.has(itemKey(item)),
    );
    const added = itemsOf(written, heading).filter(
      (item) => !baseKeys.has(itemKey(item)) && !storedKeys.has(itemKey(item)),
    );
    merged.set(heading, [...kept, ...added]);
  }
  return fitContext(renderContext(merged));
}

function itemsOf(sections: ContextSections | undefined, heading: ContextHeading): readonly string[] {
  return sections?.get(heading) ?? [];
}

function keysOf(sections: ContextSections | undefined, heading: ContextHeading): ReadonlySet<string> {
  return new Set(itemsOf(sections, heading).map(itemKey));
}
