/** Embeddings over an OpenAI-compatible provider or Workers AI: texts become vectors of length 1. */
import { z } from "zod";
import { readJson } from "../text/json.js";
import { withDeadline } from "./clock.js";
import { type OutgoingPolicy, sendOutgoing } from "./outgoing.js";

export interface Embedder {
  /** Tells vectors that can be compared from others. */
  readonly model: string;
  /** One vector for each text. @throws when it takes too long, fails, or answers with something else */
  embed(texts: readonly string[], timeoutMs: number): Promise<Float32Array[]>;
}

/** As much of the Workers AI binding as is used. */
export interface EmbeddingBinding {
  run(model: string, inputs: Record<string, unknown>): Promise<unknown>;
}

/** Characters of a text that are embedded; models take a few thousand tokens at most. */
const maxCharacters = 6_000;

const answerSchema = z.object({
  data: z.array(z.object({ index: z.int().optional(), embedding: z.array(z.number()).min(1).max(4_096) })),
});

export function openAiEmbedder(
  provider: { baseUrl: string; apiKey: string },
  name: string,
  model: string,
  policy: OutgoingPolicy,
): Embedder {
  return {
    model: `${name}/${model}`,
    async embed(texts, timeoutMs) {
      const { status, text } = await sendOutgoing(
        {
          method: "POST",
          url: `${provider.baseUrl.replace(/\/$/, "")}/embeddings`,
          headers: { authorization: `Bearer ${provider.apiKey}`, "content-type": "application/json" },
          body: JSON.stringify({ model, input: texts.map(shorten), encoding_format: "float" }),
          timeoutMs,
        },
        policy,
      );
      if (status !== 200) throw new Error(`the embedding provider answered with ${status}`);
      const { data } = answerSchema.parse(readJson(text).value);
      const ordered = [...data].sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
      return normalise(
        ordered.map(({ embedding }) => embedding),
        texts.length,
      );
    },
  };
}

export function workersAiEmbedder(ai: EmbeddingBinding, model: string): Embedder {
  return {
    model: `workers-ai/${model}`,
    async embed(texts, timeoutMs) {
      const answer = await withDeadline(timeoutMs, () => ai.run(model, { text: texts.map(shorten) }));
      const { data } = z.object({ data: z.array(z.array(z.number()).min(1).max(4_096)) }).parse(answer);
      return normalise(data, texts.length);
    },
  };
}

function shorten(text: string): string {
  return text.slice(0, maxCharacters).toWellFormed();
}

function normalise(vectors: readonly (readonly number[])[], expected: number): Float32Array[] {
  if (vectors.length !== expected) throw new Error(`${expected} vectors were requested, ${vectors.length} came`);
  return vectors.map((vector) => {
    const length = Math.hypot(...vector);
    return Float32Array.from(vector, (value) => (length > 0 ? value / length : 0));
  });
}
