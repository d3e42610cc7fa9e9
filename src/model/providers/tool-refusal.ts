/**
 * Whether a provider refused a request because of its tools: then the same request without them may do. Of the provider's text
 * nothing is kept; it only decides.
 * @example refusesTools({ message: "registry.ollama.ai/library/gemma does not support tools" }) // true
 * @example refusesTools({ message: "maximum context length is 8192 tokens" }) // false
 */

/** What a provider said, as far as it said it in fields that we know. */
export interface ProviderRefusal {
  readonly message?: string | undefined;
  /** The parameter at fault, as OpenAI's API names it. */
  readonly param?: string | undefined;
}

/** Parameters that are there for tools alone. */
const toolParameter = /^(tools|tool_choice|parallel_tool_calls|functions|function_call)(\b|_|\[|\.)/;
/** Words for tools as a whole: the name of one tool, or its schema, is another matter. */
const toolWords =
  /\b(tools|tool[ _-](use|calls?|calling|choice)|tool param(eter)?s?|functions|function[ _-](calls?|calling))\b/i;
const refusalWords =
  /\b(not|n't|unsupported|unrecogni[sz]ed|unknown|unexpected|disabled|requires?|no endpoints|cannot|extra (fields|inputs))\b|n't\b/i;
/** One tool is at fault, not tools: without them the fault would only be hidden. */
const oneTool = /\b(schema|invalid function|invalid tool|tools\[\d+\]\S|duplicate|too (many|long)|maximum)\b/i;

export function refusesTools({ message = "", param = "" }: ProviderRefusal): boolean {
  if (oneTool.test(message)) return false;
  if (toolParameter.test(param) && refusalWords.test(message)) return true;
  return toolWords.test(message) && refusalWords.test(message);
}
