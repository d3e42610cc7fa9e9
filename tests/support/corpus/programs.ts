/** What programs are and what they say: code in ten languages, SQL, logs, stack traces, errors. */
import type { Chance } from "./chance.js";
import type { Kind } from "./kind.js";
import { identifier, paragraph, sentence, word } from "./words.js";

const comment = (chance: Chance): string =>
  chance.percent(60) ? `Returns the ${word(chance)} of a ${word(chance)}.` : sentence(chance, "statement");
const camel = (chance: Chance): string => identifier(chance, "camel");
const snake = (chance: Chance): string => identifier(chance, "snake");
const pascal = (chance: Chance): string => identifier(chance, "pascal");

const written: Readonly<Record<string, (chance: Chance) => string>> = {
  typescript: (c) =>
    `/** ${comment(c)} */\nexport async function ${camel(c)}(${camel(c)}: ${pascal(c)}, ${camel(c)}?: number): Promise<${pascal(c)}[]> {\n  const ${camel(c)} = await ${camel(c)}.${camel(c)}({ ${camel(c)}: "${word(c)}", ${camel(c)}: ${c.below(99)} });\n  if (!${camel(c)}.ok) throw new ${pascal(c)}Error(\`${word(c)} \${${camel(c)}} is ${word(c)}\`);\n  return ${camel(c)}.map(({ ${word(c)} }) => ${word(c)} ?? "");\n}`,
  python: (c) =>
    `import ${word(c)}\nfrom ${word(c)}.${word(c)} import ${pascal(c)}\n\n\ndef ${snake(c)}(${snake(c)}, *, ${snake(c)}=None):\n    """${comment(c)}"""\n    if ${snake(c)} is None:\n        ${snake(c)} = [x.${word(c)} for x in ${snake(c)} if not x["${word(c)}"]]\n    print(f"{${snake(c)}!r}: ${word(c)}")\n    return ${pascal(c)}(${snake(c)})`,
  go: (c) =>
    `// ${pascal(c)} ${word(c)}s. ${comment(c)}\nfunc (s *${pascal(c)}) ${pascal(c)}(ctx context.Context, id string) (*${pascal(c)}, error) {\n\trow, err := s.db.Query(ctx, "${word(c)}", id)\n\tif err != nil {\n\t\treturn nil, fmt.Errorf("${word(c)} %s: %w", id, err)\n\t}\n\tdefer row.Close()\n\treturn &${pascal(c)}{${pascal(c)}: row}, nil\n}`,
  rust: (c) =>
    `#[derive(Debug, Clone)]\npub struct ${pascal(c)} {\n    pub ${snake(c)}: Option<String>,\n    ${snake(c)}: Vec<u8>,\n}\n\nimpl ${pascal(c)} {\n    /// ${comment(c)}\n    pub fn ${snake(c)}(&self) -> Result<usize, ${pascal(c)}Error> {\n        self.${snake(c)}.iter().filter(|x| **x > ${c.below(99)}).count().try_into().map_err(|_| ${pascal(c)}Error::${pascal(c)})\n    }\n}`,
  java: (c) =>
    `/**\n * ${comment(c)}\n * @param ${camel(c)} the ${word(c)}\n */\n@Override\npublic List<${pascal(c)}> ${camel(c)}(final String ${camel(c)}) throws IOException {\n    if (${camel(c)} == null || ${camel(c)}.isEmpty()) { return Collections.emptyList(); }\n    return this.${camel(c)}.stream().map(${pascal(c)}::new).collect(Collectors.toList());\n}`,
  c: (c) =>
    `#include <stdio.h>\n#define ${snake(c).toUpperCase()} ${c.below(4_096)}\n\n/* ${comment(c)} */\nstatic int ${snake(c)}(const char *${snake(c)}, size_t len)\n{\n\tfor (size_t i = 0; i < len; i++)\n\t\tif (${snake(c)}[i] == '\\0' || !isprint(${snake(c)}[i])) return -1;\n\tprintf("%s: %zu\\n", ${snake(c)}, len);\n\treturn 0;\n}`,
  ruby: (c) =>
    `# ${comment(c)}\nclass ${pascal(c)} < ApplicationRecord\n  belongs_to :${snake(c)}\n  validates :${snake(c)}, presence: true, length: { maximum: ${c.below(255)} }\n\n  def ${snake(c)}?\n    ${snake(c)}.any? { |item| item.${snake(c)} == :${word(c)} }\n  end\nend`,
  php: (c) =>
    `<?php\nnamespace App\\${pascal(c)};\n\n/** ${comment(c)} */\nfinal class ${pascal(c)}\n{\n    public function ${camel(c)}(array $${camel(c)}): ?string\n    {\n        return $${camel(c)}['${snake(c)}'] ?? $this->${camel(c)}->get("${word(c)}");\n    }\n}`,
  css: (c) =>
    `/* ${comment(c)} */\n.${identifier(c, "kebab")}, #${identifier(c, "kebab")} > li:hover {\n  display: flex;\n  margin: ${c.below(20)}px auto;\n  color: #${c.hex(6)};\n  background: url("/img/${word(c)}.svg");\n}`,
  shell: (c) =>
    `#!/usr/bin/env bash\n# ${comment(c)}\nset -euo pipefail\nfor ${word(c)} in "$@"; do\n  [ -f "$${word(c)}" ] || { echo "no ${word(c)}" >&2; exit 1; }\n  grep -rn "${word(c)}" src/ | awk '{print $${c.between(1, 9)}}' > /tmp/${word(c)}.txt\ndone`,
};

function sql(c: Chance): string {
  switch (c.below(5)) {
    case 0:
      return `SELECT ${snake(c)}, count(*) AS n FROM ${snake(c)} t JOIN ${snake(c)} u ON u.id = t.${snake(c)} WHERE t.${snake(c)} >= '${c.date()}' GROUP BY 1 ORDER BY n DESC LIMIT ${c.below(100)};`;
    case 1:
      return `INSERT INTO ${snake(c)} (${snake(c)}, ${snake(c)}, note) VALUES (${c.below(999)}, '${word(c)}', '${sentence(c, "message").replaceAll("'", "''")}');`;
    case 2:
      return `CREATE TABLE IF NOT EXISTS ${snake(c)} (\n  id INTEGER PRIMARY KEY,\n  ${snake(c)} TEXT NOT NULL DEFAULT '',\n  ${snake(c)} NUMERIC(10, 2) CHECK (${snake(c)} > 0)\n);\nCREATE INDEX ${snake(c)} ON ${snake(c)} (${snake(c)});`;
    case 3:
      return `UPDATE ${snake(c)} SET ${snake(c)} = NULL, ${snake(c)} = now() WHERE id IN (${c.list(1, 6, () => c.below(9_999)).join(", ")});`;
    default:
      return `-- ${comment(c)}\nDELETE FROM ${snake(c)} WHERE ${snake(c)} < now() - interval '${c.below(90)} days' RETURNING id;`;
  }
}

const levels = ["INFO", "WARN", "ERROR", "DEBUG", "info", "error", "TRACE"];

function logLine(c: Chance): string {
  const what = () =>
    c.pick([
      `${word(c)} not found status=${c.pick([200, 404, 500, 503])}`,
      `connection to ${word(c)}-${c.below(9)}:${c.between(1_024, 65_535)} refused, retry ${c.below(5)} of 5`,
      `GET /${word(c)}/${c.below(9_999)} ${c.pick([200, 301, 404, 502])} ${c.below(900)}ms`,
      `${pascal(c)} started in ${c.below(9_000)} ms`,
      `ignoring unknown field "${snake(c)}" in ${word(c)}.json`,
      `user ${c.below(9_999)} logged in from ${word(c)}`,
      `cache miss key=${word(c)}:${c.hex(12)} ttl=${c.below(3_600)}`,
      `deadlock detected while updating ${snake(c)}; rolled back`,
      `skipping rule ${snake(c)}: disabled by config`,
    ]);
  switch (c.below(5)) {
    case 0:
      return `${c.pick(levels)} [${word(c)}-${c.below(9)}] ${what()}`;
    case 1:
      return `${c.date()} ${c.clock()},${c.digits(3)} ${c.pick(levels).padEnd(5)} ${word(c)}.${pascal(c)} - ${what()}`;
    case 2:
      return JSON.stringify({
        ts: c.moment(),
        level: c.pick(levels),
        msg: what(),
        [snake(c)]: c.below(999),
        trace_id: c.hex(32),
      });
    case 3:
      return `time="${c.moment()}" level=${c.pick(levels).toLowerCase()} msg="${what().replaceAll('"', "'")}" ${snake(c)}=${word(c)}`;
    default:
      return `Nov ${c.between(1, 28)} ${c.clock()} ${word(c)} ${word(c)}[${c.below(9_999)}]: ${what()}`;
  }
}

function stackTrace(c: Chance): string {
  const message = c.pick([
    `Cannot read properties of undefined (reading '${camel(c)}')`,
    `${camel(c)} is not a function`,
    `${word(c)} must not be null`,
    `unexpected token '${c.pick(["}", "<", ")", ";"])}' at position ${c.below(999)}`,
    `timeout of ${c.below(9_000)}ms exceeded`,
  ]);
  switch (c.below(4)) {
    case 0:
      return `TypeError: ${message}\n${c.list(2, 8, () => `    at ${pascal(c)}.${camel(c)} (/app/src/${word(c)}/${word(c)}.js:${c.below(900)}:${c.below(80)})`).join("\n")}`;
    case 1:
      return `Traceback (most recent call last):\n${c.list(1, 5, () => `  File "/srv/${word(c)}/${word(c)}.py", line ${c.below(900)}, in ${snake(c)}\n    ${snake(c)} = self.${snake(c)}(${word(c)})`).join("\n")}\nValueError: ${message}`;
    case 2:
      return `java.lang.IllegalStateException: ${message}\n${c.list(2, 8, () => `\tat com.${word(c)}.${word(c)}.${pascal(c)}.${camel(c)}(${pascal(c)}.java:${c.below(900)})`).join("\n")}\nCaused by: java.io.IOException: ${word(c)} closed\n\t... ${c.below(40)} more`;
    default:
      return `panic: runtime error: index out of range [${c.below(9)}] with length ${c.below(9)}\n\ngoroutine ${c.below(99)} [running]:\nmain.${camel(c)}(0xc000${c.hex(6)}, 0x${c.hex(2)})\n\t/go/src/${word(c)}/${word(c)}.go:${c.below(900)} +0x${c.hex(3)}\nexit status 2`;
  }
}

export const programKinds = {
  ...Object.fromEntries(
    Object.entries(written).map(([language, write]): [string, Kind] => [
      `code: ${language}`,
      { make: (chance) => chance.list(1, 2, () => write(chance)).join("\n\n") },
    ]),
  ),
  "questions about code": {
    make: (chance) => {
      const [language = "", write] = chance.pick(Object.entries(written));
      const asked = chance.pick([
        "Why does this fail?",
        "What does this do?",
        "Please explain.",
        "Warum geht das nicht?",
        "Can you make it shorter?",
      ]);
      const code = `\`\`\`${language}\n${write?.(chance) ?? ""}\n\`\`\``;
      return chance.percent(50) ? `${asked}\n\n${code}` : `${code}\n\n${asked}`;
    },
  },
  SQL: { make: sql },
  logs: { make: (chance) => chance.list(1, 10, () => logLine(chance)).join("\n") },
  "stack traces": { make: stackTrace },
  "error messages": {
    make: (chance) => {
      const line = `${chance.pick(["Error", "error", "fatal", "E1042", "HTTP 422", "Fehler", "Warning"])}: ${chance.pick(
        [
          `${word(chance)} "${snake(chance)}" is required`,
          `cannot find module './${word(chance)}/${word(chance)}'`,
          `expected ${word(chance)}, got ${word(chance)}`,
          `invalid ${word(chance)}: must be one of ${word(chance)}, ${word(chance)} or ${word(chance)}`,
          `permission denied (os error ${chance.below(40)})`,
          `the ${word(chance)} has expired, sign in again`,
          `unexpected end of input at line ${chance.below(99)}`,
        ],
      )}`;
      return chance.percent(30) ? `${line}\n${paragraph(chance, 1, 1)}` : line;
    },
  },
} satisfies Record<string, Kind>;
