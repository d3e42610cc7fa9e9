/**
 * The position that a seat takes in a round, and how it is read from what models write: the arguments of `take_position`, or JSON
 * in a text. What can be understood without guessing is put right; everything else is refused with words that say what would be right.
 */
import { z } from "zod";
import type { AgentTool, ToolOutput } from "../agent/tools.js";
import { defined } from "../conversation/defined.js";
import { trimEndOf } from "../text/edges.js";
import { readProbability } from "../text/written-json.js";
import { clipped, readFrom, type Unreadable } from "./written-answer.js";

const stances = ["YES", "NO", "NEUTRAL"] as const;
export const stanceSchema = z.enum(stances);
export type Stance = z.infer<typeof stanceSchema>;

/** Limits in characters, and in number. */
export const positionLimits = {
  position: 4_000,
  reasoning: 12_000,
  citations: 20,
  title: 300,
  url: 2_000,
  snippet: 1_000,
} as const;

export const citationSchema = z.object({
  title: z.string(),
  /** http or https; absent of a source that has no address. */
  url: z.string().optional(),
  snippet: z.string().optional(),
});
export type Citation = z.infer<typeof citationSchema>;

/** What two citations of one source share. */
export function sourceKey({ url, title }: Citation): string {
  return url ?? title;
}

/** Each source once, as it is cited first. */
export function distinctSources(citations: readonly Citation[]): Citation[] {
  const found = new Map<string, Citation>();
  for (const citation of citations) if (!found.has(sourceKey(citation))) found.set(sourceKey(citation), citation);
  return [...found.values()];
}

export const positionSchema = z.object({
  /** The id of the seat. */
  seat: z.string(),
  round: z.int(),
  stance: stanceSchema.optional(),
  /** What the seat holds, in a few sentences. */
  position: z.string(),
  reasoning: z.string(),
  /** How sure it is, from 0 to 1. */
  confidence: z.number().min(0).max(1),
  citations: z.array(citationSchema),
  /** Ids of the context requests whose answers it rests on. */
  citedContext: z.array(z.string()),
});
/** What a seat held in a round. */
export type Position = z.infer<typeof positionSchema>;

/** A position as it was read, before it is known whose it is. */
export type PositionDraft = Omit<Position, "seat" | "round">;

export type ReadPosition = { readonly ok: true; readonly position: PositionDraft } | Unreadable;

/** An answer to a context request, as it is named to the seats. */
export interface CitableContext {
  readonly requestId: string;
  /** Short, for models: `C1`. */
  readonly label: string;
}

/** What the seat's role demands of its position, and what it may cite. */
export interface PositionRules {
  /** `required`: one of the three. A stance: this one, because the seat's role has it. Nothing: the seat may state one. */
  readonly stance?: Stance | "required" | undefined;
  readonly citable: readonly CitableContext[];
}

const words = z.union([z.string(), z.number(), z.boolean()]).nullish();
/** A list, or the one item of a list. */
const many = <T extends z.ZodType>(item: T) => z.union([z.array(item), item.transform((one) => [one])]).nullish();
const looseCitation = z.union([
  z.string(),
  z.object({ title: words, url: words, link: words, source: words, snippet: words, quote: words }),
]);
const looseSchema = z.object({
  stance: words,
  position: words,
  /** As some models call the position and the reasoning. */
  answer: words,
  statement: words,
  reasoning: words,
  rationale: words,
  confidence: z.union([z.number(), z.string()]).nullish(),
  citations: many(looseCitation),
  citedContext: many(words),
});

/** Reads a position of the arguments of `take_position`, or of any object. */
export function checkPosition(value: unknown, rules: PositionRules): ReadPosition {
  const parsed = looseSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return problem(`${issue?.path.join(".") || "the position"}: ${issue?.message ?? "it can't be read"}`);
  }
  const { data } = parsed;
  const position = textOf(data.position) || textOf(data.answer) || textOf(data.statement);
  if (position === "") return problem("it has no position: say in `position` what you hold, in a few sentences.");
  const reasoning = textOf(data.reasoning) || textOf(data.rationale);
  if (reasoning === "") return problem("it has no reasoning: say in `reasoning` why you hold that.");
  const tooLong = lengthProblem("position", position) ?? lengthProblem("reasoning", reasoning);
  if (tooLong !== undefined) return problem(tooLong);
  if (data.confidence == null) return problem("it has no confidence: give a number from 0 to 1.");
  const confidence = readProbability(data.confidence);
  if (confidence === undefined) {
    return problem(`confidence is a number from 0 to 1, not ${JSON.stringify(data.confidence)}.`);
  }
  const stance = readStance(textOf(data.stance), rules);
  if (!stance.ok) return stance;
  return {
    ok: true,
    position: {
      ...defined({ stance: stance.stance }),
      position,
      reasoning,
      confidence,
      citations: readCitations(data.citations ?? []),
      citedContext: readCitedContext((data.citedContext ?? []).map(textOf), `${position}\n${reasoning}`, rules.citable),
    },
  };
}

/** Reads a position out of a text. */
export function readPosition(text: string, rules: PositionRules): ReadPosition {
  return readFrom(text, (value) => checkPosition(value, rules));
}

/** The demand for a position in JSON: of a model without tools, or whose position can't be used. */
export function positionDemand({ stance, citable }: PositionRules): string {
  const fields = [
    ...(stance === undefined
      ? []
      : [`"stance": ${stance === "required" ? '"YES", "NO" or "NEUTRAL"' : `"${stance}"`}`]),
    '"position": "what you hold, in a few sentences"',
    '"reasoning": "why"',
    '"confidence": a number from 0 to 1',
    '"citations": [{"title": "…", "url": "…", "snippet": "…"}]',
    ...(citable.length === 0
      ? []
      : [`"citedContext": those of ${JSON.stringify(citable.map(({ label }) => label))} that you rest on`]),
  ];
  return `Take your position now. Call take_position, or if you can't call tools, answer with this JSON alone: {${fields.join(", ")}}`;
}

const stanceWords: Readonly<Record<Stance, readonly string[]>> = {
  YES: ["yes", "y", "for", "pro", "agree", "support", "in favor", "in favour", "true"],
  NO: ["no", "n", "against", "con", "contra", "disagree", "oppose", "false"],
  NEUTRAL: ["neutral", "undecided", "abstain", "mixed", "neither", "unsure"],
};
const noStance = ["", "none", "n/a", "null", "undefined"];

type ReadStance = { readonly ok: true; readonly stance: Stance | undefined } | Unreadable;

function readStance(written: string, { stance: demanded }: PositionRules): ReadStance {
  const word = trimEndOf(written.toLowerCase(), /[.!]/);
  if (noStance.includes(word)) {
    if (demanded === "required") return problem('it has no stance: give "YES", "NO" or "NEUTRAL".');
    return { ok: true, stance: demanded };
  }
  const stance = stances.find((one) => stanceWords[one].includes(word));
  if (stance === undefined) return problem(`stance is "YES", "NO" or "NEUTRAL", not ${JSON.stringify(written)}.`);
  if (demanded !== undefined && demanded !== "required" && demanded !== stance) {
    return problem(`your part in this debate has the stance "${demanded}", not "${stance}".`);
  }
  return { ok: true, stance };
}

function readCitations(written: readonly z.infer<typeof looseCitation>[]): Citation[] {
  const citations = written.flatMap((one): Citation[] => {
    const given = typeof one === "string" ? { title: one } : one;
    const { title, url, link, source, snippet, quote }: Exclude<typeof one, string> = given;
    const address = [url, link, source, title].map(textOf).find(isAddress);
    const name = [title, source, url].map(textOf).find((text) => text !== "") ?? address;
    if (name === undefined) return [];
    const passage = textOf(snippet) || textOf(quote);
    return [
      {
        title: clipped(name, positionLimits.title),
        ...(address === undefined || address.length > positionLimits.url ? {} : { url: address }),
        ...(passage === "" ? {} : { snippet: clipped(passage, positionLimits.snippet) }),
      },
    ];
  });
  const distinct = new Map(citations.map((citation) => [`${citation.url ?? ""}\n${citation.title}`, citation]));
  return [...distinct.values()].slice(0, positionLimits.citations);
}

/** Named in the list, or in the text as `[C1]`. What isn't citable is left out: nobody could look it up. */
export function readCitedContext(named: readonly string[], text: string, citable: readonly CitableContext[]): string[] {
  const inText = [...text.matchAll(/\[(C\d{1,4})\]/gi)].map(([, label = ""]) => label);
  const labels = new Set([...named, ...inText].map((name) => name.replace(/^\[|\]$/g, "").toLowerCase()));
  return citable
    .filter(({ requestId, label }) => labels.has(label.toLowerCase()) || labels.has(requestId.toLowerCase()))
    .map(({ requestId }) => requestId);
}

function lengthProblem(field: "position" | "reasoning", text: string): string | undefined {
  const most = positionLimits[field];
  return text.length <= most ? undefined : `${field} has ${text.length} characters; at most ${most} are allowed.`;
}

function isAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text);
}

function textOf(value: string | number | boolean | null | undefined): string {
  return value === null || value === undefined ? "" : String(value).trim();
}

function problem(text: string): Unreadable {
  return { ok: false, problem: text };
}

/** Tools of the roundtable's own making; they check their arguments themselves, more leniently than a schema could. */
export const roundtableServer = "roundtable";

/**
 * The position as a tool. Its schema is the same for all seats of a mode in all rounds: tools stand before everything else that a provider
 * caches. What the seat's own role demands, and what there is to cite, is checked.
 */
export function takePositionTool(rules: PositionRules): AgentTool {
  return {
    ref: { server: roundtableServer, tool: "take_position" },
    name: "take_position",
    description: "State your position in this round. This ends your turn.",
    timeoutMs: 10_000,
    execution: "idempotent",
    readOnly: true,
    parameters: {
      type: "object",
      properties: {
        stance: {
          type: "string",
          enum: [...stances],
          description: "Where you stand on the topic, if it can be answered by yes or no",
        },
        position: { type: "string", description: "What you hold, in a few sentences" },
        reasoning: { type: "string", description: "Why: your arguments, and what you make of those of the others" },
        confidence: { type: "number", description: "How sure you are, from 0 to 1" },
        citations: {
          type: "array",
          description: "Sources that you rest on",
          items: {
            type: "object",
            properties: { title: { type: "string" }, url: { type: "string" }, snippet: { type: "string" } },
            required: ["title", "url"],
          },
        },
        citedContext: {
          type: "array",
          description: "The ids of <context> blocks whose answers you rest on, such as C1",
          items: { type: "string" },
        },
      },
      required: [...(rules.stance === undefined ? [] : ["stance"]), "position", "reasoning", "confidence"],
    },
    run: async (args): Promise<ToolOutput> => {
      const read = checkPosition(args, rules);
      return read.ok ? { content: "Taken.", endsRun: true } : { content: `Not taken: ${read.problem}`, isError: true };
    },
  };
}
