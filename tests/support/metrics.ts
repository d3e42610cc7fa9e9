/** What the system measures while a test runs, as whoever queries the dataset would see it. */
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { z } from "zod";
import { numbers, words } from "../../src/platform/metrics.js";

const pointSchema = z.strictObject({
  indexes: z.tuple([z.string()]),
  blobs: z.array(z.string()).length(words.length),
  doubles: z.array(z.number()).length(numbers.length),
});

type Measured = Readonly<Record<string, string | number>>;

/** Records what is written to the dataset from now on: all of it, or one tenant's points of an event. */
export function recordMetrics(): { all: () => Measured[]; of: (tenantId: string, event: string) => Measured[] } {
  const dataset = env.METRICS;
  if (dataset === undefined) throw new Error("tests run with a dataset: see vitest.config.ts");
  const points: Measured[] = [];
  vi.spyOn(dataset, "writeDataPoint").mockImplementation((given) => {
    const { indexes, blobs, doubles } = pointSchema.parse(given);
    const columns = [...words.map((name, at) => [name, blobs[at]]), ...numbers.map((name, at) => [name, doubles[at]])];
    points.push({ tenantId: indexes[0], ...Object.fromEntries(columns) });
  });
  return {
    all: () => points,
    of: (tenantId, event) => points.filter((point) => point.tenantId === tenantId && point.event === event),
  };
}
