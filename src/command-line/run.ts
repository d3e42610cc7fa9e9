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
  const command = commands.find((one) => one.name === name);
  if (command === undefined) return refuse(`there is no command "${name}"; \`conclave help\` lists those there are`);
  const read = readLine(command, rest);
  if (typeof read === "string") return refuse(`${read}\n\n${pageOf(command)}`);
  if (read.options.help === true) {
    say(pageOf(command));
    return 0;
  }
  try {
    return await command.run(read.options, ...read.args);
  } catch (error) {
    const failure = failureOf(error);
    if (read.options.json === true) say(JSON.stringify({ error: failure }, null, 2));
    else {
      const places = (failure.errors ?? []).map(({ path, message }) => `\n  ${path}: ${message}`);
      process.stderr.write(`conclave: ${failure.detail}${places.join("")}\n`);
    }
    return 1;
  }
}

function refuse(detail: string): ExitCode {
  process.stderr.write(`conclave: ${detail}\n`);
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

/** The page of a command. */
export function pageOf({ name, takes, description, options }: Command): string {
  const lines = Object.entries({ ...options, ...commonOptions }).map(([option, { type, description: what }]) => {
    const shown = `--${option}${type === "string" ? ` <${option}>` : ""}`;
    return `  ${shown.padEnd(22)}${what}`;
  });
  return [`conclave ${[name, ...takes].join(" ")} [options]`, "", `  ${description}`, "", ...lines].join("\n");
}
