import { describe, expect, it } from "vitest";
import { arrows, checkFiles, checkTable, type Row } from "../../scripts/arrows.js";

const check = (path: string, source: string) => checkFiles(new Map([[path, source]]));

describe("the table of arrows", () => {
  it("allows no circle: each row names only rows below it", () => {
    expect(checkTable(arrows)).toEqual([]);
  });

  it("is refused when two places name each other", () => {
    const circle: Row[] = [
      { place: "src/agent", imports: ["src/asks"] },
      { place: "src/asks", imports: ["src/agent"] },
    ];
    expect(checkTable(circle)).toEqual([
      "the table lets src/asks import src/agent, which stands above it: that allows a circle",
    ]);
  });

  it("is refused when it names a place that has no row", () => {
    expect(checkTable([{ place: "src/agent", imports: ["src/asks"] }])).toEqual([
      "the table lets src/agent import src/asks, which has no row",
    ]);
  });
});

describe("the check of imports", () => {
  it("lets a face use an act", () => {
    expect(check("src/http/routes/x.ts", 'import { send } from "../../application/send.js";')).toEqual([]);
  });

  it.each([
    ["a value", 'import { app } from "../http/app.js";'],
    ["a type", 'import type { App } from "../http/app.js";'],
    ["over several lines", 'import {\n  app,\n  type App as Face,\n} from "../http/app.js";'],
    ["everything", 'import * as face from "../http/app.js";'],
    ["for its effects", 'import "../http/app.js";'],
    ["passed on", 'export { app } from "../http/app.js";'],
    ["all passed on", 'export * from "../http/app.js";'],
    ["while it runs", 'const { app } = await import("../http/app.js");'],
    ["the type of a module", 'let app: typeof import("../http/app.js");'],
  ])("refuses an arrow upwards: %s", (_what, source) => {
    expect(check("src/chat/turn.ts", source)).toEqual([
      "src/chat/turn.ts imports src/http/app.ts: src/chat may not import src/http",
    ]);
  });

  it("refuses the way back of an allowed arrow, which would be a circle of folders", () => {
    expect(check("src/agent/loop.ts", 'import type { Ask } from "../asks/ask.js";')).toEqual([]);
    expect(check("src/asks/ask.ts", 'import type { Loop } from "../agent/loop.js";')).toHaveLength(1);
  });

  it.each([
    ["src/chat/turn.ts", "cloudflare:workers"],
    ["src/tenancy/tenant.ts", "hono"],
    ["src/supervision/pass.ts", "openai"],
    ["src/model/port.ts", "openai/resources"],
    ["src/routing/run.ts", "node:crypto"],
    ["src/http/app.ts", "cloudflare:workers"],
    ["durable-objects/kit/kit.ts", "hono"],
  ])("refuses in %s the package %s", (path, name) => {
    const problems = check(path, `import { x } from "${name}";`);
    expect(problems).toEqual([expect.stringContaining(`imports the package ${name}`)]);
  });

  it("lets the domain have the model's port, and no provider", () => {
    expect(check("src/agent/loop.ts", 'import type { ModelPort } from "../model/port.js";')).toEqual([]);
    expect(check("src/agent/loop.ts", 'import { offline } from "../model/providers/offline.js";')).toHaveLength(1);
    expect(check("src/agent/loop.ts", 'import { createModelPort } from "../model/directory.js";')).toHaveLength(1);
  });

  it("keeps the kit from every object, and objects from each other", () => {
    const store = 'import { Store } from "../chat-session/store.js";';
    expect(check("durable-objects/kit/kit.ts", store)).toHaveLength(1);
    expect(check("durable-objects/routing-run/object.ts", store)).toHaveLength(1);
  });

  it("refuses a file in a folder that has no row, and what is imported from one", () => {
    expect(check("src/helpers/x.ts", "")).toEqual([expect.stringContaining("src/helpers/x.ts has no row")]);
    expect(check("src/http/app.ts", 'import { x } from "../helpers/x.js";')).toEqual([
      expect.stringContaining("src/helpers/x.ts, which has no row"),
    ]);
  });
});
