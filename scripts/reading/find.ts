/** Every pattern of the product: those written as literals, and the places where one is built. */
import { type Expression, Visitor } from "oxc-parser";
import { lineOf, type SourceFile } from "./sources.js";

export interface Pattern {
  readonly path: string;
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

/** `new RegExp(…)`: what it builds shows only when it runs. */
export type Construction = Pick<Pattern, "path" | "line">;

export function findPatterns({ path, source, program }: SourceFile): {
  readonly literals: readonly Pattern[];
  readonly constructions: readonly Construction[];
} {
  const literals: Pattern[] = [];
  const constructions: Construction[] = [];
  const construction = ({ callee, start }: { readonly callee: Expression; readonly start: number }) => {
    if (callee.type === "Identifier" && callee.name === "RegExp")
      constructions.push({ path, line: lineOf(source, start) });
  };
  new Visitor({
    Literal(node) {
      if (!("regex" in node)) return;
      const { pattern, flags } = node.regex;
      literals.push({ path, line: lineOf(source, node.start), source: pattern, flags });
    },
    NewExpression: construction,
    CallExpression: construction,
  }).visit(program);
  return { literals, constructions };
}
