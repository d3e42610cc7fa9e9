/** Values made from JSON Schemas: such as fit, such as nearly fit, and such as somebody sends who means harm. Seeded. */
import { isSchema, nameOf, type Schema } from "../../src/http/document/schema.js";

export class Chance {
  constructor(private readonly random: () => number) {}

  below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  is(probability: number): boolean {
    return this.random() < probability;
  }

  of<T>(list: readonly T[], otherwise: T): T {
    return list[this.below(list.length)] ?? otherwise;
  }
}

/** What was seen in answers: ids and names, by the field that they stood in. */
export class Pool {
  private readonly known = new Map<string, string[]>();

  add(field: string, value: string): void {
    const values = this.known.get(field) ?? [];
    if (values.includes(value)) return;
    if (values.length >= 30) values.shift();
    values.push(value);
    this.known.set(field, values);
  }

  /** Everything in a body that could be named again. */
  learn(value: unknown, field = ""): void {
    if (Array.isArray(value)) for (const one of value.slice(0, 20)) this.learn(one, field);
    else if (isSchema(value)) for (const [name, inner] of Object.entries(value)) this.learn(inner, name);
    else if (typeof value === "string" && value.length <= 120 && /Id$|^name$|^nextCursor$/.test(field))
      this.add(field, value);
  }

  pick(field: string, chance: Chance): string | undefined {
    const values = this.known.get(field) ?? [];
    return values.length === 0 ? undefined : chance.of(values, "");
  }
}

/** Of `/v1/agents/{name}`: under which the names of agents are kept. */
export function kindOf(path: string): string {
  return `name of ${path.split("/")[2]}`;
}

const maxDepth = 6;
const words = ["hello", "order 4711", "Wie geht es?", "the weather in Lyon", "refund", "日本語", "a b c", "x"];

export class Values {
  constructor(
    private readonly shapes: Readonly<Record<string, Schema>>,
    private readonly chance: Chance,
    private readonly pool: Pool,
  ) {}

  /** A value that the schema probably takes. */
  fitting(schema: Schema, field = "", depth = 0): unknown {
    const { chance } = this;
    const name = nameOf(schema);
    if (name !== undefined) return this.fitting(this.shapes[name] ?? {}, field, depth);
    if ("const" in schema) return schema.const;
    if (Array.isArray(schema.enum)) return chance.of(schema.enum, null);
    const examples = Array.isArray(schema.examples) ? schema.examples : [];
    if (examples.length > 0 && chance.is(0.5)) return chance.of(examples, null);
    for (const keyword of ["oneOf", "anyOf"]) {
      const choices = schema[keyword];
      if (Array.isArray(choices)) {
        const chosen: unknown = chance.of(choices, {});
        const { [keyword]: _, ...rest } = schema;
        const inner = this.fitting(isSchema(chosen) ? chosen : {}, field, depth + 1);
        return isSchema(inner) && isSchema(rest.properties) ? { ...this.object(rest, depth), ...inner } : inner;
      }
    }
    if (Array.isArray(schema.allOf)) {
      return Object.assign(
        {},
        this.object(schema, depth),
        ...schema.allOf.map((part) => this.fitting(part, field, depth)),
      );
    }
    const type = Array.isArray(schema.type) ? chance.of(schema.type, "null") : schema.type;
    switch (type) {
      case "string":
        return this.text(schema, field);
      case "integer":
      case "number":
        return this.number(schema, field);
      case "boolean":
        return chance.is(0.5);
      case "null":
        return null;
      case "array": {
        const least = Number(schema.minItems ?? 0);
        const count = depth > maxDepth ? least : least + chance.below(3);
        const items = isSchema(schema.items) ? schema.items : {};
        return Array.from({ length: Math.min(count, Number(schema.maxItems ?? 5)) }, () =>
          this.fitting(items, field.replace(/s$/, ""), depth + 1),
        );
      }
      default:
        return type === "object" || isSchema(schema.properties) ? this.object(schema, depth) : chance.of(words, "");
    }
  }

  /** The value with something wrong about it. */
  mutated(value: unknown): unknown {
    const { chance } = this;
    if (Array.isArray(value) && value.length > 0 && chance.is(0.7)) {
      const at = chance.below(value.length);
      return value.map((one, index) => (index === at ? this.mutated(one) : one));
    }
    if (isSchema(value) && Object.keys(value).length > 0 && chance.is(0.85)) {
      const field = chance.of(Object.keys(value), "");
      if (chance.is(0.2)) return Object.fromEntries(Object.entries(value).filter(([name]) => name !== field));
      if (chance.is(0.15)) return { ...value, [this.strangeText().slice(0, 50)]: this.strange() };
      return { ...value, [field]: this.mutated(value[field]) };
    }
    return this.strange();
  }

  /** Anything but what was wanted. */
  strange(): unknown {
    const { chance } = this;
    const deep = (levels: number): unknown =>
      levels === 0 ? 1 : chance.is(0.5) ? [deep(levels - 1)] : { a: deep(levels - 1) };
    const made = [
      () => this.strangeText(),
      () => chance.of([-1, 0, 1e308, -1e308, 2 ** 53, 1.5, -0, 1e-320], 0),
      () => chance.of([null, true, [], {}, [[]], ""], null),
      () => deep(1 + chance.below(80)),
      () => Array.from({ length: 300 }, (_, index) => ({ index })),
      () => ({ ["__proto__"]: { polluted: true }, constructor: { prototype: {} }, toString: 1 }),
      () => this.hostileSchema(),
    ];
    return chance.of(made, () => null)();
  }

  /** A text that breaks what wasn't made for it. */
  strangeText(): string {
    const { chance } = this;
    const made = [
      () => "\u200b\u200d\ufeff".repeat(1 + chance.below(20_000)),
      () => "a".repeat(chance.below(60_000)),
      () => "\u0000\u0001\u001f\u007f",
      () => "\ud800 lone \udc00",
      () => "'; DROP TABLE tenants; -- %_*\"MATCH NEAR(",
      () => "../../../etc/passwd%00%2e%2e",
      () => "<script>alert(1)</script>{{subject}}{name}%24%7b7*7%7d",
      () => "(a+)+$(a|aa)+(.*){1,32000}",
      () => "Z\u0351\u036b\u0343".repeat(2_000),
      () => "ses_01k00000000000000000000000",
      () => "2026-13-45T99:99:99Z",
      () => "http://169.254.169.254/latest http://[::1]:1 file:///etc javascript:1",
      () => "💥".repeat(3_000),
      () => "",
    ];
    return chance.of(made, () => "")();
  }

  /** A JSON Schema that is dear to work with. */
  private hostileSchema(): unknown {
    const doubled = Object.fromEntries(
      Array.from({ length: 14 }, (_, at) => [
        `d${at}`,
        { anyOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
      ]),
    );
    return this.chance.of<unknown>(
      [
        { type: "object", properties: { link: { type: "string", format: "url" } } },
        { type: "object", properties: { t: { type: "string", pattern: "(a+)+$" } } },
        { type: "object", $defs: { ...doubled, d14: { type: "string" } }, properties: { v: { $ref: "#/$defs/d0" } } },
        { type: "object", properties: { all: { type: "array", uniqueItems: true } } },
        { $ref: "#" },
      ],
      {},
    );
  }

  private object(schema: Schema, depth: number): Record<string, unknown> {
    const properties = isSchema(schema.properties) ? Object.entries(schema.properties) : [];
    const required = Array.isArray(schema.required) ? schema.required : [];
    const made = properties.flatMap(([name, inner]) => {
      const isWanted = required.includes(name) || (depth < maxDepth && this.chance.is(0.35));
      return isWanted && isSchema(inner) ? [[name, this.fitting(inner, name, depth + 1)]] : [];
    });
    return Object.fromEntries(made);
  }

  private text(schema: Schema, field: string): string {
    const { chance } = this;
    const known = this.pool.pick(field, chance) ?? (field === "agent" ? this.pool.pick("name", chance) : undefined);
    if (known !== undefined && chance.is(0.8)) return known;
    if (field === "model") return "offline";
    if (schema.format === "date-time") return "2026-11-22T10:00:00.000Z";
    if (schema.format === "uri") return "https://example.invalid/hook";
    const least = Number(schema.minLength ?? 0);
    const most = Number(schema.maxLength ?? 200);
    const pattern = typeof schema.pattern === "string" ? schema.pattern : "";
    const text = pattern === "" ? chance.of(words, "x") : `name-${chance.below(20)}`;
    return text.padEnd(least, "x").slice(0, Math.max(least, most));
  }

  private number(schema: Schema, field: string): number {
    if (/waitMs|lingerMs/i.test(field)) return this.chance.below(200);
    const least = Number(schema.minimum ?? schema.exclusiveMinimum ?? 0);
    const most = Math.min(Number(schema.maximum ?? schema.exclusiveMaximum ?? least + 100), least + 1_000);
    const value = least + this.chance.below(Math.max(1, most - least));
    return schema.type === "integer" ? Math.ceil(value) : value;
  }
}
