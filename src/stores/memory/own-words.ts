/** The words that one entry of a memory alone has: what repeats one of them says something of it, whatever it is said to rest on. */
import { z } from "zod";
import type { Entry } from "../../memory/entry.js";
import { scopedTerm } from "../../memory/retrieval/candidate-plan.js";
import { entryTerms, splitTerms } from "../../memory/retrieval/entry-terms.js";
import { all, type Database, listed } from "../../platform/sql.js";
import type { MemoryRef } from "./memory-store.js";

/** Years, days and hours stand in lines of every timeline. */
const commonNumber = /^(?:\d{1,2}|(?:19|20)\d\d)$/;
/** What stands before and after the text in a line that no model wrote. */
const extractFrame = /^\d{4}-\d\d-\d\d [^:]{1,100}: |\[extract\]$/g;

/** Whether a text has a word that only this entry has; to be asked for while it is there. */
export async function findOwnWords(
  db: Database,
  memory: MemoryRef,
  { rawEntry, occurredAt }: Entry,
): Promise<(text: string) => boolean> {
  const termsOf = (rawText: string): string[] => splitTerms(entryTerms({ rawText, occurredAt }).raw);
  const terms = [...new Set(termsOf(rawEntry))].filter((term) => !commonNumber.test(term));
  const prefix = scopedTerm(String(memory.key), "");
  const rows = await all(db, z.object({ term: z.string() }))`
    SELECT term FROM entry_vocab WHERE term IN ${listed(terms.map((term) => prefix + term))} AND doc = 1`;
  const own = new Set(rows.map(({ term }) => term.slice(prefix.length)));
  return (text) => own.size > 0 && termsOf(text.replace(extractFrame, "")).some((term) => own.has(term));
}
