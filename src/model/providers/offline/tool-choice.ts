/** Whether a tool is worth calling, and which, by what its name and description have in common with the question. */
import type { ToolSpec } from "../../port.js";
import type { Conversation } from "./conversation.js";
import { contentWords, identifierWords, stem, stems } from "./words.js";

/** Verbs that every other tool is named or described with; sharing one says nothing. */
const genericWords: ReadonlySet<string> = new Set(
  `add answer api ask call check data fetch find function get given info information list look lookup make new perform query
  read request result return run search service set show system take tool user value`
    .split(/\s+/)
    .map(stem),
);

/** Verbs of tools that change something: unless the user says it, such a tool isn't called. */
const actingWords: ReadonlySet<string> = new Set(
  `approve block book buy cancel close create delete deny drop edit exclude execute include insert modify notify order pay
  post publish purchase put refund reject remove replace send submit transfer update upload write`
    .split(/\s+/)
    .map(stem),
);

/** From here on a tool is worth calling: half of its name, or two words of its description. */
const worthCalling = 2;

interface Ranked {
  readonly tool: ToolSpec;
  readonly score: number;
}

/** The tool that is worth calling, if any; none twice in answer to one message. */
export function worthwhileTool(tools: readonly ToolSpec[], conversation: Conversation): ToolSpec | undefined {
  const [best] = rank(tools, conversation).filter(({ tool }) => !conversation.called.has(tool.name));
  return best !== undefined && best.score >= worthCalling ? best.tool : undefined;
}

/** The tool that fits best when one has to be called; one that wasn't called yet, if there is one. */
export function bestTool(tools: readonly ToolSpec[], conversation: Conversation): ToolSpec | undefined {
  const ranked = rank(tools, conversation);
  return (ranked.find(({ tool }) => !conversation.called.has(tool.name)) ?? ranked[0])?.tool;
}

function rank(tools: readonly ToolSpec[], { question, material }: Conversation): Ranked[] {
  const text = question === "" ? material : question;
  const request = stems(text);
  const ranked = tools.map((tool, place) => ({ tool, place, score: score(tool, request, text) }));
  return ranked.sort((one, other) => other.score - one.score || one.place - other.place);
}

function score(tool: ToolSpec, request: ReadonlySet<string>, text: string): number {
  if (text.includes(tool.name) && tool.name.length > 3) return 100;
  const name = contentWords(identifierWords(tool.name)).map(stem);
  if (name.some((word) => actingWords.has(word) && !genericWords.has(word) && !request.has(word))) return 0;
  const specific = name.filter((word) => !genericWords.has(word));
  const named = specific.filter((word) => request.has(word));
  const described = [...stems(tool.description)].filter(
    (word) => request.has(word) && !genericWords.has(word) && !specific.includes(word),
  );
  const byName = specific.length === 0 ? 0 : (4 * named.length) / specific.length;
  return byName + described.length;
}
