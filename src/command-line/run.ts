/** Reads a command line, does the command, and says what failed in words for who typed it. */
import { parseArgs } from "node:util";
import { type Command, commonOptions, type ExitCode } from "./command.js";
import { commands } from "./commands.js";
import { failureOf, say } from "./place.js";

/** @returns the exit code */
export async function run(argv: readonly string[]): Promise<ExitCode> {
  const [name, ...rest] = argv;
  if (name === undefined || name === "help" || name === "--help") {
    say(overview());
    return name === undefined ? 1 : 0;
  }
  const isJson = rest.includes("--json");
  const command = commands.find((one) => one.name === name);
  if (command === undefined) {
    return fail(
      { code: "usage", detail: `there is no command "${name}"; \`conclave help\` lists those there are` },
      isJson,
    );
  }
  const read = readLine(command, rest);
  if (typeof read === "string") {
    return fail({ code: "usage", detail: `${read}. \`conclave ${name} --help\` says what it takes` }, isJson);
  }
  if (read.options.help === true) {
    say(pageOf(command));
    return 0;
  }
  try {
    return await command.run(read.options, ...read.args);
  } catch (error) {
    return fail(failureOf(error), read.options.json === true);
  }
}

/** Says what failed: one way, whatever it was. */
function fail(failure: ReturnType<typeof failureOf>, isJson: boolean): ExitCode {
  if (isJson) say(JSON.stringify({ error: failure }, null, 2));
  else {
    const places = (failure.errors ?? []).map(({ path, message }) => `\n  ${path}: ${message}`);
    process.stderr.write(`conclave: ${failure.detail}${places.join("")}\n`);
  }
  return 1;
}

/** What was typed, or what is wrong with it. */
function readLine({ takes, options: own }: Command, argv: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries({ ...commonOptions, ...own }).map(([name, { type }]) => [name, { type }] as const),
  );
  let values: Readonly<Record<string, string | boolean | undefined>>;
  let positionals: string[];
  try {
    ({ values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true }));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  if (values.help === true) return { options: values, args: [] };
  const needed = takes.filter((one) => one.startsWith("<"));
  const missing = needed[positionals.length];
  if (missing !== undefined) return `${missing} is missing`;
  const takesRest = takes.at(-1)?.includes("...") === true;
  const [extra] = takesRest ? [] : positionals.slice(takes.length);
  if (extra !== undefined) return `"${extra}" is one too many`;
  const args = takesRest
    ? [...positionals.slice(0, takes.length - 1), positionals.slice(takes.length - 1).join(" ")]
    : positionals;
  return { options: values, args };
}

function overview(): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 2;
  return [
    "conclave: a tenant's configuration as files, its conversations, and what waits for people.",
    "",
    ...commands.map(({ name, description }) => `  ${name.padEnd(width)}${description}`),
    "",
    "`conclave <command> --help` is the page of a command.",
  ].join("\n");
}

/** The page of a command, as `man` has them. */
export function pageOf({ name, takes, description, about, examples, differs, options }: Command): string {
  const shown = Object.entries({ ...options, ...commonOptions }).map(([option, { type, description: what }]) => ({
    sign: `--${option}${type === "string" ? ` <${option}>` : ""}`,
    what,
  }));
  const parts: [string, string[]][] = [
    ["NAME", [`conclave ${name} - ${description}`]],
    ["SYNOPSIS", wrapped(["conclave", name, ...takes, ...shown.map(({ sign }) => `[${sign}]`)])],
    ["DESCRIPTION", wrapped(about.split(" "))],
    ["OPTIONS", shown.flatMap(({ sign, what }) => hanging(sign, what))],
    [
      "EXIT STATUS",
      [
        "0  it was done",
        ...(differs === undefined ? [] : [`2  ${differs}`]),
        "1  it failed: what to do about it is said",
      ],
    ],
    ["EXAMPLES", Object.entries(examples).flatMap(([line, what]) => (what === "" ? [line] : [line, `    ${what}`]))],
  ];
  return parts.map(([title, lines]) => [title, ...lines.map((line) => `  ${line}`)].join("\n")).join("\n\n");
}

/** Columns of a page. */
const columns = 96;

function wrapped(words: readonly string[], width = columns): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

function hanging(sign: string, what: string): string[] {
  const indent = 24;
  const [first = "", ...others] = wrapped(what.split(" "), columns - indent);
  return [`${sign.padEnd(indent)}${first}`, ...others.map((line) => `${" ".repeat(indent)}${line}`)];
}
