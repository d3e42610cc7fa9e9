/** The catalogue of events as tests hold received ones against it. */
import { eventDefinitions } from "../../src/catalogues/events.js";

/** @throws when the event is none of the catalogue, or its data is not what the catalogue documents, field by field. */
export function assertInCatalogue(event: string, data: unknown): void {
  const definition = eventDefinitions().find(({ type }) => type === event);
  if (definition === undefined) throw new Error(`"${event}" is no event of the catalogue`);
  const parsed = definition.data.safeParse(data);
  if (!parsed.success) throw new Error(`${event} is not as the catalogue says: ${parsed.error.message}`);
  const [documented, received] = [sorted(parsed.data), sorted(data)];
  if (documented !== received) throw new Error(`${event} says more than the catalogue: ${received}, not ${documented}`);
}

/** JSON in which the order of fields makes no difference. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
