/** Knowledge as references: each part is one, known again by its name. */
import type { Conclave } from "../client/index.js";
import { isFrom, type Part } from "./knowledge.js";
import type { Imported } from "./memory-import.js";
import { allPages } from "./place.js";

/** All of them in one transaction. */
export async function intoReferences(
  conclave: Conclave,
  { source, parts, prune }: { readonly source: string; readonly parts: readonly Part[]; readonly prune: boolean },
): Promise<Imported> {
  const references = Object.fromEntries(
    parts.map(({ name, ...part }) => [name, { ...part, include: "auto" as const }] as const),
  );
  const { changes, unchanged } = await conclave.api.configuration.applyConfig({ body: { resources: { references } } });
  const stored = await allPages((page) => conclave.api.references.listReferences(page));
  const gone = stored.filter((one) => isFrom(source, one) && !(one.name in references)).map(({ name }) => name);
  for (const name of prune ? gone : []) await conclave.api.references.deleteReference({ name });
  const named = (wanted: string): string[] => changes.filter(({ change }) => change === wanted).map(({ name }) => name);
  const of = { stored: named("create"), corrected: named("change"), unchanged };
  return { ...of, gone: prune ? [] : gone, removed: prune ? gone : [] };
}
