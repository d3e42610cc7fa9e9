/**
 * Fills a JSON Schema from a conversation, for the keywords by which tools and answers are commonly described: types, constants,
 * enumerations, required properties, lists, unions, references, bounds, lengths. Only what is required is filled. Others are
 * ignored, and formats and patterns are met only by what the conversation has: a checked value may be refused.
 */

import { ownValue } from "../../../conversation/own-value.js";
import { keywords } from "./answer.js";
import { rankChoices } from "./choices.js";
import type { Conversation } from "./conversation.js";
import { fillNumber } from "./numbers.js";
import { listOf, numberOf, recordOf, resolveSchema, type Schema, typeOf } from "./schema-reading.js";
import { affirms, fillString, fitLength, type Purpose, TextFinder } from "./strings.js";
import { stems } from "./words.js";

/** What a schema is filled from. */
export interface FillOptions {
  readonly conversation: Conversation;
  readonly purpose: Purpose;
  /** Texts that are known, by property name; they go before anything found. */
  readonly known?: Readonly<Record<string, string>>;
}

/** Beyond it lists stay empty and branches simple: a schema can ask for more than memory holds. */
const mostValues = 1_000;
const deepest = 12;
/** Numbers and affirmations are looked for in so much of the text. */
const searchedCharacters = 20_000;
const mostKeywords = 3;

/** A value for the schema. The same schema and conversation give the same value. */
export function fillSchema(schema: unknown, options: FillOptions): unknown {
  return new SchemaFiller(schema, options).value(schema, { name: "", ordinal: 0, depth: 0 });
}

interface Position {
  /** The nearest property's name. */
  readonly name: string;
  /** Which element of a list. */
  readonly ordinal: number;
  readonly depth: number;
}

class SchemaFiller {
  private values = 0;
  private readonly request: ReadonlySet<string>;
  private readonly finder: TextFinder;

  constructor(
    private readonly root: unknown,
    private readonly options: FillOptions,
  ) {
    this.finder = new TextFinder(options.conversation, options.purpose);
    const { question, material, results } = options.conversation;
    // What tools returned since is part of what is asked about: the answer to a question, above all.
    this.request = stems([question, material, ...results.map(({ content }) => content)].join("\n"));
  }

  value(given: unknown, place: Position): unknown {
    this.values += 1;
    const schema = resolveSchema(given, this.root, this.request, place.depth);
    if ("const" in schema) return schema.const;
    if (listOf(schema, "enum").length > 0) {
      const { values, isGuess } = rankChoices(schema, this.request, this.options.conversation.instructions);
      if (isGuess) this.finder.guessedAmong = values.length;
      return values[place.ordinal % values.length];
    }
    switch (typeOf(schema)) {
      case "object":
        return this.object(schema, place);
      case "array":
        return this.array(schema, place);
      case "integer":
      case "number":
        return fillNumber(schema, place.name, this.text(), place.ordinal, this.finder.guessedAmong);
      case "boolean":
        return affirms(this.text(), place.name);
      case "null":
        return null;
      default:
        return this.string(schema, place);
    }
  }

  private text(): string {
    const { question, material } = this.options.conversation;
    return (question === "" ? material : question).slice(0, searchedCharacters);
  }

  private string(schema: Schema, place: Position): string {
    const known = this.known(place.name);
    // A known text is kept as it is, but for its length; formats and patterns are for texts that are looked for.
    if (known !== undefined && schema.format === undefined && schema.pattern === undefined)
      return fitLength(known, schema);
    return fillString(schema, place.name, this.finder, place.ordinal);
  }

  private known(name: string): string | undefined {
    const { known = {} } = this.options;
    return ownValue(known, name);
  }

  private object(schema: Schema, place: Position): Record<string, unknown> {
    if (place.depth >= deepest) return {};
    const properties = recordOf(schema, "properties");
    const required = listOf(schema, "required").filter((name) => typeof name === "string");
    // From entries, so that a property called `__proto__` is one like any other.
    return Object.fromEntries(
      required.map((name) => {
        const part = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties;
        return [name, this.value(part, { name, ordinal: place.ordinal, depth: place.depth + 1 })];
      }),
    );
  }

  private array(schema: Schema, { name, depth }: Position): unknown[] {
    const count = this.lengthOf(schema, name, depth);
    const elements: unknown[] = [];
    while (elements.length < count && this.values < mostValues) {
      elements.push(this.value(schema.items, { name, ordinal: elements.length, depth: depth + 1 }));
    }
    return elements;
  }

  /** As few elements as allowed; of keywords a handful. */
  private lengthOf(schema: Schema, name: string, depth: number): number {
    const least = numberOf(schema, "minItems") ?? 0;
    const most = numberOf(schema, "maxItems") ?? Number.POSITIVE_INFINITY;
    const items = resolveSchema(schema.items, this.root, this.request, depth + 1);
    const isText = typeOf(items) === "string" && !("enum" in items || "const" in items || "pattern" in items);
    const isKeywords = isText && /\b(tags?|keywords?|labels?|topics?)\b/i.test(name);
    const wish = isKeywords ? keywords(this.options.conversation.material, mostKeywords).length : 0;
    return Math.min(most, Math.max(least, wish));
  }
}
