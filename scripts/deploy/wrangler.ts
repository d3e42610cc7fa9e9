/** Runs wrangler to its end, without questions: they were asked before. */
import { spawn } from "node:child_process";
import { Refusal } from "./options.js";

export function wrangler(args: readonly string[], accountId?: string): Promise<{ status: number; output: string }> {
  const child = spawn("wrangler", args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      ...(accountId !== undefined && { CLOUDFLARE_ACCOUNT_ID: accountId }),
      ...{ CI: "true", WRANGLER_SEND_METRICS: "false", NO_COLOR: "1" },
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  return new Promise((resolve, reject) => {
    child.once("close", (status) => resolve({ status: status ?? 1, output }));
    child.once("error", () => {
      reject(new Refusal("wrangler isn't installed. Use `npm run deploy`, which installs what is needed."));
    });
  });
}
