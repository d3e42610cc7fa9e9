/** Knowledge as references: each part is one, known again by its name. */
import type { Conclave } from "../client/index.js";
import { isFrom, type Part } from "./knowledge.js";
import type { Imported } from "./memory-import.js";

/** All of them in one transaction. */
export async function intoReferences(
  conclave: Conclave,
  { source, parts, prune }: { readonly source: string; readonly parts: readonly Part[]; readonly prune: boolean },
): Promise<Imported> {
  const references = Object.fromEntries(
    parts.map(({ name, ...part }) => [name, { ...part, include: "auto" as const }] as const),
  );
  const { changes, unchanged } = await conclave.api.configuration.applyConfig({ body: { resources: { references } } });
  const gone: string[] = [];
  let cursor: string | null = null;
  do {
    const page: {
      readonly items: readonly { name: string; description?: string | undefined }[];
      readonly nextCursor: string | null;
    } = await conclave.api.references.listReferences({ limit: 200, ...(cursor === null ? {} : { cursor }) });
    gone.push(...page.items.filter((one) => isFrom(source, one) && !(one.name in references)).map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor !== null);
  for (const name of prune ? gone : []) await conclave.api.references.deleteReference({ name });
  const named = (wanted: string): string[] => changes.filter(({ change }) => change === wanted).map(({ name }) => name);
  const of = { stored: named("create"), corrected: named("change"), unchanged };
  return { ...of, gone: prune ? [] : gone, removed: prune ? gone : [] };
}
