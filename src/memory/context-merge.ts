/** Two threads of a memory may flush at once: whoever comes second merges what it wrote into what is there by then. */
import { contextHeadings, itemKey } from "./context-document.js";
import type { ContextItem } from "./context-items.js";

/**
 * Merges three ways, item by item: what either side added is in, what either side dropped or rewrote is out. What a person wrote
 * meanwhile stays.
 * @param base what both began with
 * @param theirs what is stored by now
 * @param mine what was written meanwhile, from `base`
 */
export function mergeContexts(
  base: readonly ContextItem[],
  theirs: readonly ContextItem[],
  mine: readonly ContextItem[],
): ContextItem[] {
  return contextHeadings.flatMap((heading) => {
    const [before, stored, written] = [base, theirs, mine].map((items) =>
      items.filter((item) => item.heading === heading),
    );
    const [baseKeys, storedKeys, writtenKeys] = [before, stored, written].map(keysOf);
    const kept = (stored ?? []).filter(
      ({ text, origin }) => origin.by === "person" || writtenKeys?.has(itemKey(text)) || !baseKeys?.has(itemKey(text)),
    );
    const added = (written ?? []).filter(
      ({ text }) => !baseKeys?.has(itemKey(text)) && !storedKeys?.has(itemKey(text)),
    );
    return [...kept, ...added];
  });
}

function keysOf(items: readonly ContextItem[] = []): ReadonlySet<string> {
  return new Set(items.map(({ text }) => itemKey(text)));
}
