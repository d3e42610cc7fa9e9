/**
 * Fills a JSON Schema from a conversation. What comes out is valid against the schema for the keywords that the common providers
 * accept; others (`not`, `if`, `patternProperties`, look-around in a `pattern` …) are ignored. Only what is required is filled.
 */

import { keywords } from "./answer.js";
import { rankChoices } from "./choices.js";
import type { Conversation } from "./conversation.js";
import { fillNumber } from "./numbers.js";
import {
  isRecord,
  listOf,
  mergeSchemas,
  numberOf,
  recordOf,
  resolveSchema,
  type Schema,
  typeOf,
} from "./schema-reading.js";
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
const MOST_VALUES = 1_000;
const DEEPEST = 12;
/** Numbers and affirmations are looked for in so much of the text. */
const SEARCHED = 20_000;
const MOST_KEYWORDS = 3;

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
  private readonly asked: ReadonlySet<string>;
  private readonly finder: TextFinder;

  constructor(
    private readonly root: unknown,
    private readonly options: FillOptions,
  ) {
    this.finder = new TextFinder(options.conversation, options.purpose);
    const { question, material, results } = options.conversation;
    // What tools returned since is part of what is asked about: the answer to a question, above all.
    this.asked = stems([question, material, ...results.map(({ content }) => content)].join("\n"));
  }

  value(given: unknown, place: Position): unknown {
    this.values += 1;
    const schema = resolveSchema(given, this.root, this.asked, place.depth);
    if ("const" in schema) return schema.const;
    if (listOf(schema, "enum").length > 0) {
      const { values, isGuess } = rankChoices(schema, this.asked, this.options.conversation.instructions);
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
    return (question === "" ? material : question).slice(0, SEARCHED);
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
    return Object.hasOwn(known, name) ? known[name] : undefined;
  }

  private object(schema: Schema, place: Position): Record<string, unknown> {
    const properties = recordOf(schema, "properties");
    const required = listOf(schema, "required").filter((name) => typeof name === "string");
    const filled = new Map<string, unknown>();
    const add = (name: string, part: unknown) =>
      filled.set(name, this.value(part, { name, ordinal: place.ordinal, depth: place.depth + 1 }));

    if (place.depth < DEEPEST) {
      for (const name of required) {
        add(name, Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties);
      }
      const wanted = Math.min(numberOf(schema, "minProperties") ?? 0, MOST_VALUES);
      for (const name of Object.keys(properties)) {
        if (filled.size < wanted && !filled.has(name)) add(name, properties[name]);
      }
      for (
        let extra = 1;
        filled.size < wanted && schema.additionalProperties !== false && extra <= MOST_VALUES;
        extra++
      ) {
        if (!Object.hasOwn(properties, `key${extra}`)) add(`key${extra}`, schema.additionalProperties);
      }
    }
    // From entries, so that a property called `__proto__` is one like any other.
    return Object.fromEntries(filled);
  }

  private array(schema: Schema, place: Position): unknown[] {
    const prefix = listOf(schema, "prefixItems");
    const { contains } = schema;
    const matching = isRecord(contains) ? (numberOf(schema, "minContains") ?? 1) : 0;
    const item = (index: number) => {
      const own = index < prefix.length ? prefix[index] : schema.items;
      return index < matching ? mergeSchemas(isRecord(own) ? own : {}, isRecord(contains) ? contains : {}) : own;
    };

    const count = this.lengthOf(schema, place, Math.max(numberOf(schema, "minItems") ?? 0, matching));
    const elements: unknown[] = [];
    const seen = new Set<string>();
    // A few more tries than elements: lists with `uniqueItems` may meet the same value again.
    for (let ordinal = 0; elements.length < count && ordinal < count * 2 + 10 && this.values < MOST_VALUES; ordinal++) {
      const element = this.value(item(elements.length), { name: place.name, ordinal, depth: place.depth + 1 });
      const key = JSON.stringify(element);
      if (schema.uniqueItems === true && seen.has(key)) continue;
      seen.add(key);
      elements.push(element);
    }
    return elements;
  }

  /** As few elements as allowed; of keywords a handful. */
  private lengthOf(schema: Schema, place: Position, least: number): number {
    const most = numberOf(schema, "maxItems") ?? Number.POSITIVE_INFINITY;
    const items = resolveSchema(schema.items, this.root, this.asked, place.depth + 1);
    const isText = typeOf(items) === "string" && !("enum" in items || "const" in items || "pattern" in items);
    const isKeywords = isText && /\b(tags?|keywords?|labels?|topics?)\b/i.test(place.name);
    const wish = isKeywords ? keywords(this.options.conversation.material, MOST_KEYWORDS).length : 0;
    return Math.min(most, Math.max(least, wish));
  }
}
