/** The product's source files as syntax trees: what the checks of patterns and of texts look through. */
import { readdirSync, readFileSync } from "node:fs";
import { parseSync } from "oxc-parser";

export type Program = ReturnType<typeof parseSync>["program"];

export interface SourceFile {
  readonly path: string;
  readonly source: string;
  readonly program: Program;
}

export function parseSource(path: string, source: string): SourceFile {
  const { program, errors } = parseSync(path, source);
  if (errors[0] !== undefined) throw new SyntaxError(`${path}: ${errors[0].message}`);
  return { path, source, program };
}

/** All that is deployed, by path. */
export function productSources(): SourceFile[] {
  return ["src", "durable-objects"]
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map(
        (path) => `${folder}/${path.replaceAll("\\", "/")}`,
      ),
    )
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts"))
    .toSorted()
    .map((path) => parseSource(path, readFileSync(path, "utf8")));
}

export function lineOf(source: string, offset: number): number {
  return source.slice(0, offset).split("\n").length;
}
