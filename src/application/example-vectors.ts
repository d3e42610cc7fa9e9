/**
 * What the examples of `example-based` teams mean: a mean vector for each worker, of the tenant's embedding provider. Made when it is
 * first asked for, and kept in this instance; a provider that failed is left alone for a minute.
 */
import { type BreakerState, circuitBreaker } from "../agent/breaker.js";
import { sha256Hex } from "../platform/digest.js";
import type { Embedder } from "../platform/embedder.js";
import { examplesOf, MeaningUnavailableError } from "../routing/strategies/example-based.js";
import type { Team } from "../routing/team.js";

/** Examples that are embedded: so many of all workers together, each with its share. */
const maxExamples = 1_000;
/** Texts of one request. */
const batch = 100;
const prepareTimeoutMs = 5_000;
const requestTimeoutMs = 1_500;
/** Teams that are kept; the one used least recently goes first. */
const maxTeams = 50;
const breakerPolicy = { failuresToOpen: 1, openForMs: 60_000 };

export class ExampleVectors {
  private readonly kept = new Map<string, ReadonlyMap<string, Float32Array>>();
  private readonly health = new Map<string, BreakerState>();

  constructor(
    private readonly embedderOf: (tenantId: string) => Promise<Embedder | undefined>,
    private readonly now: () => number,
  ) {}

  /**
   * How like a text is to each worker's examples (cosine, by worker); `undefined` where the tenant has no provider.
   * @throws {MeaningUnavailableError} where the provider fails, or failed in the last minute
   */
  async likenesses(tenantId: string, team: Team, text: string): Promise<ReadonlyMap<string, number> | undefined> {
    const breaker = circuitBreaker(
      {
        read: () => this.health.get(tenantId),
        write: (state) => void (state === undefined ? this.health.delete(tenantId) : this.health.set(tenantId, state)),
      },
      breakerPolicy,
      this.now,
    );
    let embedder: Embedder | undefined;
    try {
      embedder = await this.embedderOf(tenantId);
      if (embedder === undefined) return undefined;
      if (breaker.refusal() !== undefined) throw new Error("it failed a moment ago");
    } catch (error) {
      throw new MeaningUnavailableError({ cause: error });
    }
    try {
      const [vector] = await embedder.embed([text], requestTimeoutMs);
      const workers = await this.workersOf(tenantId, team, embedder);
      breaker.succeeded();
      return new Map([...workers].map(([id, mean]) => [id, vector === undefined ? 0 : dot(vector, mean)]));
    } catch (error) {
      breaker.failed();
      throw new MeaningUnavailableError({ cause: error });
    }
  }

  private async workersOf(
    tenantId: string,
    team: Team,
    embedder: Embedder,
  ): Promise<ReadonlyMap<string, Float32Array>> {
    const share = Math.max(1, Math.floor(maxExamples / team.workers.length));
    const examples = team.workers.flatMap((worker) => examplesOf([worker]).slice(0, share));
    const key = `${tenantId}/${embedder.model}/${await sha256Hex(JSON.stringify(examples))}`;
    const known = this.kept.get(key);
    this.kept.delete(key);
    const means =
      known ??
      meansOf(
        examples,
        await embedAll(
          examples.map(({ text }) => text),
          embedder,
        ),
      );
    this.kept.set(key, means);
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= maxTeams) break;
      this.kept.delete(oldest);
    }
    return means;
  }
}

async function embedAll(texts: readonly string[], embedder: Embedder): Promise<Float32Array[]> {
  const batches = Array.from({ length: Math.ceil(texts.length / batch) }, (_, at) =>
    embedder.embed(texts.slice(at * batch, (at + 1) * batch), prepareTimeoutMs),
  );
  return (await Promise.all(batches)).flat();
}

function meansOf(
  examples: readonly { readonly label: string }[],
  vectors: readonly Float32Array[],
): ReadonlyMap<string, Float32Array> {
  const means = new Map<string, Float32Array>();
  for (const [index, { label }] of examples.entries()) {
    const vector = vectors[index];
    if (vector === undefined) continue;
    const sum = means.get(label) ?? new Float32Array(vector.length);
    means.set(
      label,
      sum.map((value, at) => value + (vector[at] ?? 0)),
    );
  }
  return new Map(
    [...means].map(([label, sum]) => {
      const length = Math.hypot(...sum) || 1;
      return [label, sum.map((value) => value / length)];
    }),
  );
}

function dot(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}
