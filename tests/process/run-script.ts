import { spawn } from "node:child_process";

export interface ScriptEnd {
  readonly code: number | null;
  /** All that it wrote. */
  readonly said: string;
}

/** Runs a command of the project's to its end. */
export function runScript(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ScriptEnd> {
  const script = spawn(command, args, { env: { ...process.env, ...env } });
  let said = "";
  script.stdout.on("data", (text) => (said += text));
  script.stderr.on("data", (text) => (said += text));
  return new Promise((resolve) => script.on("close", (code) => resolve({ code, said })));
}
