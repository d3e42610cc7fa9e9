/** What the model tests share: real timers, waits that are recorded instead of waited for, and a listener that writes down. */
import { createModelPort, type ModelConfig } from "../../src/model/directory.js";
import { ModelError, type ModelListener, type ModelPort, type ModelRequest } from "../../src/model/port.js";
import type { ModelPorts } from "../../src/model/provider-table.js";
import { withDeadline } from "../../src/platform/clock.js";
import type { UpstreamModel } from "../support/upstream-client.js";

/** The key that must never turn up anywhere. */
export const SECRET = "sk-very-secret-0123456789";

export interface Harness {
  readonly port: ModelPort;
  /** The waits between attempts, in order. */
  readonly waits: number[];
}

export function testPorts(waits: number[] = [], more: Partial<ModelPorts> = {}): ModelPorts {
  return {
    sleep: async (ms) => {
      waits.push(ms);
    },
    random: () => 0,
    withDeadline,
    ...more,
  };
}

/** A port that knows each of the upstream's models as `acme/<model>`. */
export function harnessFor(upstream: UpstreamModel, config: ModelConfig = {}): Harness {
  const waits: number[] = [];
  const providers = { acme: { baseURL: upstream.baseURL, apiKey: SECRET } };
  return { waits, port: createModelPort({ providers, ...config }, testPorts(waits)) };
}

export function requestFor(upstream: UpstreamModel, more: Partial<ModelRequest> = {}): ModelRequest {
  return ask("Hello there", { models: [`acme/${upstream.model}`], ...more });
}

export function ask(question: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return { models: ["offline"], messages: [{ role: "user", content: question }], timeoutMs: 5_000, ...more };
}

export class Recorder implements ModelListener {
  /** Deltas as they came, and `retracted` where they were voided. */
  readonly heard: string[] = [];
  constructor(private readonly onDelta: (text: string) => void = () => {}) {}
  delta(text: string): void {
    this.heard.push(text);
    this.onDelta(text);
  }
  retract(): void {
    this.heard.push("retracted");
  }
  get text(): string {
    return this.heard.slice(this.heard.lastIndexOf("retracted") + 1).join("");
  }
}

/** The ModelError that a call fails with. */
export async function failureOf(call: Promise<unknown>): Promise<ModelError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ModelError) return error;
    throw error;
  }
  throw new Error("the call should have failed");
}
