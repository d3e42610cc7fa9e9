/** What a deployment does to the world, so that tests can stand in for it. */
import { Refusal } from "./options.js";

export interface Ports {
  readonly fetch: typeof fetch;
  /** Runs wrangler to its end, for an account where that is known. */
  readonly wrangler: (
    args: readonly string[],
    accountId?: string,
  ) => Promise<{ readonly status: number; readonly output: string }>;
  /** Asks the person at the terminal; nothing where there is none. */
  readonly ask: (question: string) => Promise<string | undefined>;
  readonly print: (line: string) => void;
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where the project is; files are made below it. */
  readonly folder: string;
}

/** @throws {Refusal} with what it wrote, when it fails */
export async function runWrangler(args: readonly string[], accountId: string, ports: Ports): Promise<void> {
  ports.print(`wrangler ${args.slice(0, 3).join(" ")} …`);
  const { status, output } = await ports.wrangler(args, accountId);
  if (status === 0) return;
  throw new Refusal(`wrangler ${args[0]} failed:\n${output.trim()}\nRun the command again: what is done stays.`);
}
