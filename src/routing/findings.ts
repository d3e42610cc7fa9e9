/** What a team's supervisor looked up before it decided: its workers get it with their task. */

import { clip } from "../agent/effects.js";
import { dataBlock } from "../conversation/data-block.js";

/** Something that the supervisor looked up, as supervision let it read it. */
export interface Finding {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly content: string;
}

/** What it found, as workers read it: data. */
export function findingBlocks(findings: readonly Finding[]): string[] {
  return findings.map(({ tool, args, content }) =>
    dataBlock("found", { tool, arguments: JSON.stringify(args) }, clip(content)),
  );
}
