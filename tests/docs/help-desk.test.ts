import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { buildPrompt } from "../../src/agent/prompt.js";
import { contextItemSchema } from "../../src/chat/context.js";
import { itemName } from "../../src/conversation/names.js";
import { root } from "./pages.js";

const referencesSchema = z.array(
  z.object({ page: z.string(), name: z.string(), description: z.string(), text: z.string() }),
);

/** What the example makes of the documentation; it is plain Node, so plain Node runs it. */
function run(expression: string) {
  const program = `import { readReferences, withinPrompt } from "./examples/help-desk/references.mjs";
    console.log(JSON.stringify(${expression}));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: root,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return referencesSchema.parse(JSON.parse(stdout));
}

describe("the help desk's references", () => {
  it("are sections of the documentation that the API takes, each under a name of its own", () => {
    const references = run("readReferences()");
    for (const { name, description, text } of references) {
      expect(itemName.safeParse(name).success, name).toBe(true);
      expect(contextItemSchema.safeParse({ text, description }).success, name).toBe(true);
    }
    expect(new Set(references.map(({ name }) => name)).size).toBe(references.length);
    expect(new Set(references.map(({ page }) => page))).toContain("sessions");
  });

  it("fit into one prompt together, the pages that people ask about first", () => {
    const attached = run('withinPrompt(readReferences(), ["sessions", "errors"])');
    expect(attached[0]?.page).toBe("sessions");
    const prompt = buildPrompt({
      instructions: "",
      rules: [],
      references: attached.map((reference) => ({ ...reference, priority: 500 })),
      memory: [],
      history: [],
      message: "Hello",
    });
    const data = prompt.map(({ content }) => content).join("\n");
    expect(data.match(/<reference /g)).toHaveLength(attached.length);
  });
});
