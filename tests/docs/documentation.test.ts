import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { apiDocumentOfAll } from "../../scripts/openapi-document.js";
import { openAsk } from "../../src/asks/ask.js";
import { askForUsers } from "../../src/asks/views.js";
import { problemCodes } from "../../src/conversation/problem.js";
import { anchorsOf, readPages, root } from "./pages.js";

const pages = readPages();
/** Pages that come with their capability. */
const awaited = new Set(["docs/supervision.md"]);
const pageAt = new Map(pages.map((page) => [page.path, page]));

describe("links of the documentation", () => {
  it.each(pages.map((page) => [page.path, page] as const))("lead somewhere: %s", (path, page) => {
    const broken = [...page.prose.matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)].flatMap(([link, target = ""]) => {
      if (/^[a-z]+:/.test(target)) return [];
      const [file = "", anchor] = target.split("#");
      const to = file === "" ? path : normalize(join(dirname(path), file)).replace(/\/$/, "");
      const linked = pageAt.get(to);
      if (linked === undefined) {
        const isThere = existsSync(root + to) && anchor === undefined;
        return isThere || awaited.has(to) ? [] : [link];
      }
      return anchor === undefined || anchorsOf(linked).has(anchor) ? [] : [link];
    });
    expect(broken).toEqual([]);
  });
});

/** Headings of the page of errors that aren't codes. */
const aboutAll = new Set(["errors", "what-each-409-means"]);
/** Faces that the OpenAPI document doesn't describe: they have a protocol of their own. */
const otherFaces = new Set(["/mcp"]);

describe("what the documentation names", () => {
  it("explains every error code under the anchor that problems point to, and no other", () => {
    const errors = pageAt.get("docs/errors.md");
    const explained = errors === undefined ? [] : [...anchorsOf(errors)].filter((anchor) => !aboutAll.has(anchor));
    expect(explained.sort()).toEqual(Object.keys(problemCodes).sort());
  });

  it("says of each code of a 409 what to do, in one table", () => {
    const text = pageAt.get("docs/errors.md")?.text ?? "";
    const rows = [...text.matchAll(/^\| `([a-z_]+)`.* \| .+ \| (?!what to do).+ \|$/gm)].map(([, code]) => code);
    const codes = Object.entries(problemCodes).flatMap(([code, status]) => (status === 409 ? [code] : []));
    expect([...new Set(rows)].sort()).toEqual(codes.sort());
  });

  it("gives each error code its status", () => {
    const text = pageAt.get("docs/errors.md")?.text ?? "";
    for (const [code, status] of Object.entries(problemCodes)) expect(text).toContain(`## ${code}\n\n${status}. `);
  });

  it("says to OpenAI's clients what they read in place of a question that staff is asked", () => {
    const ask = openAsk("ask_1", { kind: "human", question: "Which?", audience: "staff", source: {} }, {}, 0);
    expect(pageAt.get("docs/openai.md")?.text).toContain(`\`${askForUsers(ask).question}\``);
  });

  it("names routes that exist", () => {
    const unknown = pages.flatMap(({ path, text }) =>
      routesIn(text)
        .filter(({ method, route }) => !exists(method, route) && !otherFaces.has(route))
        .map(({ method, route }) => `${path}: ${method} ${route}`),
    );
    expect(unknown).toEqual([]);
  });

  it("names every route: whole, or by its end behind `…`", () => {
    const text = pages
      .filter(({ path }) => /^docs\/[a-z-]+\.md$/.test(path))
      .map((page) => page.text)
      .join("\n");
    const unnamed = Object.keys(documented).filter((path) => {
      const whole = path.replaceAll(".", "\\.").replaceAll(/\{[^}]+\}/g, '[^/` "]+');
      const end = path.split("/").findLast((part) => !part.startsWith("{"));
      return !new RegExp(whole).test(text) && !new RegExp(`…[^\`]*/${end}`).test(text);
    });
    expect(unnamed).toEqual([]);
  });

  it("gives a reason for every dependency, and for nothing else", () => {
    const section = pageAt.get("README.md")?.text.split("\n## Dependencies\n")[1]?.split("\n## ")[0] ?? "";
    const rows = section.split("\n").filter((line) => line.startsWith("| `"));
    const named = rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => name));
    const versions = z.record(z.string(), z.string());
    const { dependencies, devDependencies } = z
      .object({ dependencies: versions, devDependencies: versions })
      .parse(JSON.parse(readFileSync(`${root}package.json`, "utf8")));
    // Stands in the package of an example.
    const all = [...Object.keys(dependencies), ...Object.keys(devDependencies), "openapi-typescript"];
    expect(named.sort()).toEqual(all.sort());
  });

  it("names npm scripts that exist", () => {
    const unknown = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\bnpm (?:run (?:-s )?([a-z:-]+)|(start|test)\b)/g)]
        .map(([, script, short]) => script ?? short ?? "")
        .filter((script) => !scripts(path).has(script))
        .map((script) => `${path}: npm run ${script}`),
    );
    expect(unknown).toEqual([]);
  });
});

/** Routes as the documentation writes them: `GET /v1/…` in prose, `$URL/v1/…` in commands. Lines may be about what is planned. */
function routesIn(text: string): { method: string | undefined; route: string }[] {
  return text
    .split("\n")
    .filter((line) => !line.includes("*planned*"))
    .flatMap((line) => [
      ...[...line.matchAll(/\b(GET|PUT|POST|PATCH|DELETE) (\/[\w/{}.-]*[\w}])/g)].map(([, method, route = ""]) => ({
        method,
        route,
      })),
      ...[...line.matchAll(/\$URL(\/[\w/{}$.-]*[\w}])/g)]
        // A shell function's own parameter stands for any route.
        .filter(([, route = ""]) => !/\$\d/.test(route))
        .map(([, route = ""]) => ({ method: undefined, route })),
    ]);
}

const documented = z
  .object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })
  .parse(apiDocumentOfAll()).paths;

function exists(method: string | undefined, route: string): boolean {
  // Served beside the document.
  if (route === "/openapi.json" || route === "/docs") return true;
  return Object.entries(documented).some(([path, methods]) => {
    const pattern = new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "[^/]+").replaceAll(".", "\\.")}$`);
    return pattern.test(route) && (method === undefined || method.toLowerCase() in methods);
  });
}

function scripts(path: string): Set<string> {
  const packages = path.startsWith("bench/") ? ["bench/package.json", "package.json"] : ["package.json"];
  return new Set(
    packages.flatMap((file) => {
      const schema = z.object({ scripts: z.record(z.string(), z.string()) });
      return Object.keys(schema.parse(JSON.parse(readFileSync(root + file, "utf8"))).scripts);
    }),
  );
}
