/** An item of a dataset: a text at a hook, and what should come of it. */
import { z } from "zod";
import { defined } from "../conversation/defined.js";
import { stanceSchema } from "../roundtable/position.js";
import { actions, hooks } from "../supervision/verdict.js";
import { canonicalJson, readJson } from "../text/json.js";
import { lazily } from "../text/lazily.js";

/** Of one item, as JSON, in characters. */
const maxItemCharacters = 65_536;
export const maxItems = 10_000;

/** What should come of an item. At least one thing, or nothing can be right or wrong of it. */
export const expectedSchema = lazily(() =>
  z
    .strictObject({
      /** Of supervisors. */
      action: z.enum(actions).optional(),
      /** What they should make of the text, or an agent should answer, to the letter. */
      text: z.string().max(20_000).optional(),
      /** What has to be in it, and what must not; capitals count for nothing. */
      contains: z.array(z.string().min(1).max(2_000)).max(20).optional(),
      absent: z.array(z.string().min(1).max(2_000)).max(20).optional(),
      /** The tool that an agent should call: `server/tool`, or the tool's name alone. */
      tool: z.string().min(1).max(210).optional(),
      /** The worker that a team should choose. */
      worker: z.string().min(1).max(100).optional(),
      /** What most seats of a panel should hold in its last round. */
      stance: stanceSchema.optional(),
      /** JSON Schema that an answer, read as JSON, should fit. */
      schema: z.record(z.string(), z.unknown()).optional(),
    })
    .refine((expected) => Object.values(expected).some((value) => value !== undefined), "say what should come of it"),
);
export type Expected = z.infer<ReturnType<typeof expectedSchema>>;

const said = lazily(() =>
  z.strictObject({ role: z.enum(["user", "assistant"]), content: z.string().min(1).max(maxItemCharacters) }),
);

export const inputSchema = lazily(() =>
  z.union([
    z.string().min(1).max(maxItemCharacters),
    /** The last one is judged or answered; those before it are what was said before. */
    z.strictObject({ messages: z.array(said()).min(1).max(200) }),
    /** A text of a stored turn, read when it is run: what was erased there is gone from here, too. */
    z.strictObject({ sessionId: z.string().max(100), turnId: z.string().max(100) }),
  ]),
);

/** What a tool answers while an agent is held against an item: none is called. */
const stubSchema = lazily(() =>
  z.strictObject({
    /** `server/tool`. */
    tool: z.string().min(3).max(210),
    /** Left out: whatever it is called with. */
    args: z.record(z.string(), z.unknown()).optional(),
    output: z.string().max(maxItemCharacters).optional(),
    error: z.string().max(maxItemCharacters).optional(),
  }),
);
export type Stub = z.infer<ReturnType<typeof stubSchema>>;

/** A line of an import. */
export const newItemSchema = lazily(() =>
  z.strictObject({
    hook: z.enum(hooks).default("request"),
    input: inputSchema(),
    /** Calls of tools that agents may make of it, with what comes of them; of a turn, those that it made come first. */
    tools: z.array(stubSchema()).max(50).optional(),
    expected: expectedSchema().optional(),
    /** Items that belong together, such as the turns of one conversation: intervals are drawn over groups. */
    group: z.string().min(1).max(200).optional(),
    /** How many it stands for, of a sample. */
    weight: z.number().gt(0).max(1e9).optional(),
  }),
);
export type NewItem = z.infer<ReturnType<typeof newItemSchema>>;

/** Where an item comes from. */
const sources = ["import", "decisions", "reviews", "sessions"] as const;

export const itemSchema = lazily(() =>
  newItemSchema().extend({
    itemId: z.string(),
    source: z.enum(sources),
    /** Who said what should come of it, such as `key key_01k…`. */
    labelledBy: z.string().optional(),
  }),
);
export type Item = z.infer<ReturnType<typeof itemSchema>>;

/** What makes an item that item: the same text at the same hook, with the same tools, is the same, whatever should come of it. */
export function contentOf({ hook, input, tools }: Pick<NewItem, "hook" | "input" | "tools">): string {
  return canonicalJson({ hook, input, ...defined({ tools }) });
}

export interface ReadLines {
  readonly items: readonly NewItem[];
  readonly invalid: readonly { readonly line: number; readonly detail: string }[];
}

/** Lines of JSON, one item each; empty ones are passed over. */
export function readLines(text: string): ReadLines {
  const items: NewItem[] = [];
  const invalid: { line: number; detail: string }[] = [];
  text.split("\n").forEach((line, at) => {
    if (line.trim() === "") return;
    const item = readLine(line);
    if ("detail" in item) invalid.push({ line: at + 1, detail: item.detail });
    else items.push(item.item);
  });
  return { items, invalid };
}

function readLine(line: string): { readonly item: NewItem } | { readonly detail: string } {
  if (line.length > maxItemCharacters) return { detail: `it is longer than ${maxItemCharacters} characters` };
  const { value, problem } = readJson(line);
  if (problem !== undefined) return { detail: `it isn't JSON: ${problem}` };
  const { data, error } = newItemSchema().safeParse(value);
  if (data !== undefined) return { item: data };
  const [issue] = error.issues;
  return { detail: [issue?.path.join("."), issue?.message].filter((part) => part).join(": ") };
}

/** What a reviewer's answer says of the supervisor that held the text. Nothing where a deadline chose: nobody said it. */
export function expectedOfReview(
  { decision, content }: { readonly decision: "accept" | "edit" | "reject"; readonly content?: string | undefined },
  { before, proposed }: { readonly before: string; readonly proposed: string },
): Expected {
  switch (decision) {
    case "accept":
      return proposed === before ? { action: "allow" } : { action: "modify", text: proposed };
    case "edit":
      return { action: "modify", ...defined({ text: content }) };
    case "reject":
      return { action: "block" };
  }
}
