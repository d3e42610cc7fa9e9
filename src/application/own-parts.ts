/** Loads the tools and references that a supervising agent holds by itself. */
import { z } from "zod";
import type { CallOrigin } from "../agent/call-context.js";
import type { Journal } from "../agent/journal.js";
import type { OwnNames, OwnParts } from "../supervision/kinds/kind.js";
import { resourcePinSchema } from "../tenancy/resources.js";
import { WorkResources } from "./work-resources.js";

type Sources = ConstructorParameters<typeof WorkResources>[2];

export async function loadOwnParts(
  { tenantId, origin }: { readonly tenantId: string; readonly origin: CallOrigin },
  { ownTools = [], references = [] }: OwnNames,
  journal: Journal,
  sources: Sources,
): Promise<OwnParts> {
  const { resources } = sources;
  const refs = references.map((name) => ({ kind: "references" as const, name }));
  const pins = await journal.step(
    { id: "own-parts", kind: "load", schema: z.array(resourcePinSchema), interrupted: "again" },
    async () => {
      const [named, tools] = await Promise.all([
        refs.length === 0 ? [] : resources.pins(tenantId, refs),
        ownTools.length === 0
          ? []
          : resources.toolPins(
              tenantId,
              ownTools.map(({ server }) => server),
            ),
      ]);
      // What is in every session isn't its own.
      return [...named.filter(({ kind, name }) => kind === "references" && references.includes(name)), ...tools];
    },
  );
  const work = new WorkResources(tenantId, journal, sources, { memoryIds: [], origin, ordersInData: "fence" });
  await work.load(pins);
  return { tools: work.tools(ownTools), references: work.items("references", references) };
}
