// What the generated binding types can't say: bindings of the deployed environments alone.
interface Env {
  AI?: import("./model/providers/workers-ai.js").AiBinding;
  VECTORS?: import("./stores/memory/vector-index.js").VectorIndexBinding;
}
