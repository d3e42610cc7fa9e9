/** What the patterns come to that are built: every place that builds one is run, and what it makes is noted. */
import { pathToFileURL } from "node:url";
import type { Construction, Pattern } from "./find.js";

/** Runs what builds patterns: at import, or when it is first asked. */
async function runBuilders(): Promise<void> {
  await import("../../src/memory/retrieval/dates.js");
  const personal = await import("../../src/supervision/rules/personal-data.js");
  personal.personalDataDetectors(personal.personalDataKinds);
  const { isCard } = await import("../../src/supervision/rules/personal/cards.js");
  const { findLetteredId, findNumericIds } = await import("../../src/supervision/rules/personal/national-ids.js");
  const { findPhones } = await import("../../src/supervision/rules/personal/phones.js");
  isCard("4");
  findNumericIds("1", "");
  findLetteredId("A1", 0, 2);
  findPhones("1", "");
  const { secretDetectors } = await import("../../src/supervision/rules/secrets.js");
  secretDetectors();
}

const root = pathToFileURL("./").href;

/** The patterns that the product builds, by the place that does. `RegExp` is another's while they are. */
export async function builtPatterns(run = runBuilders): Promise<Pattern[]> {
  const built: Pattern[] = [];
  const original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct(target, given: [string | RegExp, string?]) {
      const pattern = new target(...given);
      const site = siteOf(new Error("where it is built").stack ?? "");
      if (site !== undefined) built.push({ ...site, source: pattern.source, flags: pattern.flags });
      return pattern;
    },
  });
  try {
    await run();
  } finally {
    globalThis.RegExp = original;
  }
  return built;
}

/** The innermost place of the product on a stack. */
function siteOf(stack: string): Construction | undefined {
  for (const line of stack.split("\n").slice(1)) {
    const [, path, at] = /\(?((?:file:|\/)[^()]*?):(\d+):\d+\)?$/.exec(line.trim().split(" ").at(-1) ?? "") ?? [];
    if (path === undefined) continue;
    const within = (path.startsWith("file:") ? path : pathToFileURL(path).href).split("?")[0] ?? "";
    const relative = within.startsWith(root) ? within.slice(root.length) : "";
    if (/^(?:src|durable-objects)\//.test(relative)) return { path: relative, line: Number(at) };
  }
  return undefined;
}
