/** The world as a command at the terminal reaches it. */
import { createInterface } from "node:readline/promises";
import { setTimeout as wait } from "node:timers/promises";
import type { Ports } from "./ports.js";
import { wrangler } from "./wrangler.js";

export const processPorts: Ports = {
  fetch,
  wrangler,
  ask: async (question) => {
    if (!process.stdin.isTTY) return undefined;
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    return terminal.question(question).finally(() => terminal.close());
  },
  print: (line) => console.log(line),
  wait: (milliseconds) => wait(milliseconds).then(() => undefined),
  environment: process.env,
  folder: process.env.CONCLAVE_DEPLOY_FOLDER ?? ".",
};
