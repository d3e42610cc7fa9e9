// What the generated binding types can't say: secrets that may be missing, and bindings of the deployed environments alone.
interface Env {
  OPENAI_API_KEY?: string;
  AI?: import("./model/providers/workers-ai.js").AiBinding;
  VECTORS?: import("./platform/memory/vector-index.js").VectorIndexBinding;
}
