/** The rules of the memory agent: ours, unless the tenant has stored its own under the same name. */

import context from "../../memory/prompts/context.md";
import entryCapture from "../../memory/prompts/entry-capture.md";
import summary from "../../memory/prompts/summary.md";
import { type MemoryPrompts, type PromptName, promptNames } from "../../memory/prompts.js";
import type { ResourceStore } from "../../stores/resource-store.js";

export const defaultPrompts: MemoryPrompts = { "entry-capture": entryCapture, summary, context };

export async function memoryPrompts(resources: ResourceStore, tenantId: string): Promise<MemoryPrompts> {
  const pins = await resources.pins(
    tenantId,
    promptNames.map((name) => ({ kind: "prompts" as const, name })),
  );
  const own = await resources.versions(
    tenantId,
    pins.filter(({ kind }) => kind === "prompts"),
  );
  const prompts: Record<PromptName, string> = { ...defaultPrompts };
  for (const { kind, name, body } of own) {
    const known = promptNames.find((one) => one === name);
    if (kind === "prompts" && known !== undefined && "text" in body) prompts[known] = body.text;
  }
  return prompts;
}
