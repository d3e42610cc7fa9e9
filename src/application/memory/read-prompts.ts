/** Read the rules of the memory agent as they hold for this tenant, and ours. */
import { z } from "zod";
import { promptNames } from "../../memory/prompts.js";
import { act } from "../act.js";
import { memoryTag } from "./find-memory.js";

export const readPrompts = act("readPrompts", {
  role: "operator",
  clientMay: true,
  route: {
    method: "get",
    path: "/v1/memory-prompts",
    tag: memoryTag,
    operationId: "readMemoryPrompts",
    summary: "The rules of the memory agent",
    description: "As they hold for the tenant, and the defaults, in whose place PUT /v1/prompts/{name} puts its own.",
    answer: "By name: the text that holds, and the default",
  },
  input: () => z.object({}),
  output: () => {
    const texts = z.record(z.enum(promptNames), z.string());
    return z.object({ prompts: texts, defaults: texts });
  },
  run: async ({ tenantId }, _input, { resources }) => {
    // Its defaults are Markdown, which only what runs as a Worker can read: the list of acts is read elsewhere, too.
    const { defaultPrompts, memoryPrompts } = await import("./memory-prompts.js");
    return { prompts: await memoryPrompts(resources, tenantId), defaults: defaultPrompts };
  },
});
