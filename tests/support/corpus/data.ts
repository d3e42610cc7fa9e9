/** What programs hand over: records in every notation, results of tools, numbers. */
import { readFileSync } from "node:fs";
import type { Chance } from "./chance.js";
import type { Kind } from "./kind.js";
import { city, identifier, languages, names, paragraph, record, scalar, sentence, word } from "./words.js";

/** What npm recorded of the packages that this project uses: real records of the world's package authors. */
const packages: readonly unknown[] = (() => {
  const lock: { packages?: Record<string, unknown> } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  return Object.values(lock.packages ?? {});
})();

function yaml(value: unknown, indent: string): string {
  if (typeof value === "string") return value === "" || /[:#\n"'{}[\]]/.test(value) ? JSON.stringify(value) : value;
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value))
    return value.map((item) => `\n${indent}- ${yaml(item, `${indent}  `).trimStart()}`).join("");
  return Object.entries(value)
    .map(([key, inner]) => `\n${indent}${key}: ${yaml(inner, `${indent}  `)}`)
    .join("");
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

function xml(value: unknown, tag: string, indent: string): string {
  if (Array.isArray(value)) return value.map((item) => xml(item, tag, indent)).join("");
  if (typeof value !== "object" || value === null) return `${indent}<${tag}>${escaped(String(value))}</${tag}>\n`;
  const inner = Object.entries(value).map(([key, each]) => xml(each, key, `${indent}  `));
  return `${indent}<${tag}>\n${inner.join("")}${indent}</${tag}>\n`;
}

function html(chance: Chance): string {
  const lang = chance.pick(languages);
  const text = () => escaped(paragraph(chance, 1, 3, lang));
  const parts = chance.list(1, 6, () => {
    switch (chance.below(8)) {
      case 0:
        return `<h2 class="${identifier(chance, "kebab")}">${escaped(sentence(chance, "statement", lang))}</h2>`;
      case 1:
        return `<ul>\n${chance.list(2, 4, () => `  <li>${text()}</li>`).join("\n")}\n</ul>`;
      case 2:
        return `<a href="/${word(chance)}/${word(chance)}?${word(chance)}=${chance.below(99)}">${word(chance)}</a>`;
      case 3:
        return `<img src="/img/${word(chance)}.png" alt="${word(chance)}"/>`;
      case 4:
        return `<table><tr><th>${word(chance)}</th><td>${String(scalar(chance))}</td></tr></table>`;
      case 5:
        return `<!-- ${word(chance)} ${word(chance)} -->`;
      default:
        return `<p>${text()}</p>`;
    }
  });
  const body = parts.join("\n");
  return chance.percent(40)
    ? `<!DOCTYPE html>\n<html lang="${lang}"><head><title>${word(chance)}</title><style>body{margin:0}</style></head><body>\n${body}\n</body></html>`
    : `<div id="${word(chance)}">${body}</div>`;
}

function table(chance: Chance, cell: () => string): string[][] {
  const width = chance.between(2, 6);
  const row = () => Array.from({ length: width }, cell);
  return [Array.from({ length: width }, () => identifier(chance, "snake")), ...chance.list(1, 6, row)];
}

const cellOf = (chance: Chance) => () =>
  chance.percent(20) ? sentence(chance, "message") : chance.percent(20) ? chance.pick(names) : String(scalar(chance));

/** What a tool of a shop, a calendar, a search or a device answers. */
function toolResult(chance: Chance): unknown {
  switch (chance.below(8)) {
    case 0:
      return { ok: true };
    case 1:
      return { item: chance.below(10_000), stock: chance.pick(["gold", "none", "3 left", "in stock"]) };
    case 2:
      return {
        status: chance.pick(["done", "queued", "refunded", "shipped", "failed"]),
        id: `${word(chance)}_${chance.hex(8)}`,
      };
    case 3:
      return chance.list(0, 4, () => ({ title: sentence(chance, "statement"), score: chance.below(100) / 100 }));
    case 4:
      return { temperature: chance.below(40), unit: "C", city: city(chance), forecast: sentence(chance, "statement") };
    case 5:
      return { error: { code: 404, message: `${word(chance)} not found` } };
    case 6:
      return { result: chance.below(100_000) / 4 };
    default:
      return record(chance, 2, 15);
  }
}

function url(chance: Chance): string {
  const query = chance.list(0, 3, () => `${identifier(chance, "snake")}=${encodeURIComponent(String(scalar(chance)))}`);
  const path = chance.list(0, 4, () => identifier(chance, chance.pick(["kebab", "snake"] as const))).join("/");
  const host = `${chance.pick(["www.", "", "api.", "shop."])}${word(chance)}.${chance.pick(["com", "org", "de", "io", "co.uk", "example"])}`;
  return `http${chance.percent(80) ? "s" : ""}://${host}/${path}${query.length === 0 ? "" : `?${query.join("&")}`}${chance.percent(10) ? `#${word(chance)}` : ""}`;
}

/** Numbers as people and tables write them, with check digits of nothing. */
function number(chance: Chance): string {
  switch (chance.below(9)) {
    case 0:
      return `${chance.below(1_000)},${chance.digits(2)} €`;
    case 1:
      return `$${chance.between(1, 999)}.${chance.digits(2)}`;
    case 2:
      return chance.date();
    case 3:
      return `v${chance.below(20)}.${chance.below(30)}.${chance.below(40)}`;
    case 4:
      return `${chance.below(100)} %`;
    case 5:
      return `${chance.between(1, 90)}.${chance.digits(4)}, ${chance.between(1, 90)}.${chance.digits(4)}`;
    case 6:
      return `#${chance.digits(chance.between(3, 7))}`;
    case 7:
      return `${chance.below(1_000)} x ${chance.below(1_000)} = ${chance.below(1_000_000)}`;
    default:
      return String(chance.below(100_000));
  }
}

export const dataKinds = {
  "JSON in a line": { make: (chance) => JSON.stringify(record(chance, 2)) },
  "JSON over lines": { make: (chance) => JSON.stringify(record(chance, 3), undefined, 2) },
  "JSON with texts": {
    make: (chance) => JSON.stringify(record(chance, 2, 40), undefined, chance.percent(50) ? 2 : undefined),
  },
  "JSON lines": { make: (chance) => chance.list(1, 8, () => JSON.stringify(record(chance, 1, 10))).join("\n") },
  "results of tools": {
    make: (chance) => JSON.stringify(toolResult(chance), undefined, chance.percent(30) ? 2 : undefined),
  },
  "package records": {
    make: (chance) => JSON.stringify(chance.pick(packages), undefined, chance.percent(50) ? 2 : undefined),
  },
  YAML: { make: (chance) => yaml(record(chance, 3, 15), "").trimStart() },
  XML: {
    make: (chance) =>
      `${chance.percent(50) ? '<?xml version="1.0" encoding="UTF-8"?>\n' : ""}${xml(record(chance, 3, 20), word(chance), "")}`,
  },
  HTML: { make: html },
  CSV: {
    make: (chance) => {
      const separator = chance.pick([",", ";", "\t", "|"]);
      const quoted = (cell: string) => (/[,;|"\t]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
      return table(chance, cellOf(chance))
        .map((cells) => cells.map(quoted).join(separator))
        .join("\n");
    },
  },
  "Markdown tables": {
    make: (chance) => {
      const [head = [], ...rows] = table(chance, cellOf(chance));
      const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
      return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
    },
  },
  forms: {
    make: (chance) => {
      const [between, after] = chance.pick([
        ["|", ": "],
        ["\n", ": "],
        [" | ", "="],
        ["; ", ": "],
        ["\n", " = "],
      ] as const);
      const field = (name: string, text: string) => `${name}${after}${text}`;
      const upper = chance.percent(60) ? (text: string) => text.toUpperCase() : (text: string) => text;
      const fields = chance.list(1, 4, () => field(upper(identifier(chance, "snake")), String(scalar(chance))));
      return [
        field(
          upper(chance.pick(["ticket", "case", "order", "Vorgang", "dossier", "request"])),
          String(chance.below(9_999)),
        ),
        field(upper(chance.pick(["from", "customer", "name", "von"])), chance.pick(names)),
        ...fields,
        field(
          upper(chance.pick(["text", "message", "subject", "Nachricht", "content", "description"])),
          paragraph(chance, 1, 3),
        ),
      ].join(between);
    },
  },
  "exports of a CRM": {
    holds: ["email", "phone"],
    make: (chance) => {
      const row = () =>
        [
          `C-${chance.digits(5)}`,
          chance.pick(names),
          `${word(chance)}.${word(chance)}@${word(chance)}.example`,
          `+44 20 7946 0${chance.digits(3)}`,
          chance.pick(["lead", "customer", "lost", "VIP"]),
          chance.date(),
          sentence(chance, "message"),
        ].join(";");
      return ["id;name;email;phone;status;last_contact;note", ...chance.list(1, 6, row)].join("\n");
    },
  },
  URLs: { make: (chance) => chance.list(1, 4, () => url(chance)).join(chance.pick(["\n", " ", ", "])) },
  numbers: { make: (chance) => chance.list(1, 12, () => number(chance)).join(chance.pick([" ", "\n", ", ", "; "])) },
} satisfies Record<string, Kind>;
