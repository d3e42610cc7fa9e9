/** What stands behind the model port: providers make one attempt each; retries and fail-over are `retry.ts`. Platform-free. */
import type { ModelCallOptions, ModelRequest, ModelResult } from "./port.js";

/** A reply as a provider knows it; which name of the caller's list it answers to is the directory's business. */
export type ProviderReply = Omit<ModelResult, "model">;

/** One way to reach models: an HTTP API, a binding, or the offline model. */
export interface ModelProvider {
  /**
   * One attempt at one of the provider's models, from request to the last byte.
   * @throws {ModelError} whose message is a phrase ("the provider answered 429") without credentials or raw bodies.
   */
  attempt(model: string, request: ModelRequest, options: ModelCallOptions): Promise<ProviderReply>;
}
