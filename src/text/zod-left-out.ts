/**
 * Stands in the bundle for the parts of zod that nothing here calls: what makes schemas of JSON Schemas, and its compiler, which needs
 * what Workers forbid. `wrangler.toml`, *alias*, puts it in their place.
 */
function leftOut(): never {
  throw new Error("left out of the bundle: wrangler.toml, alias");
}

export { leftOut as compile, leftOut as fromJSONSchema, leftOut as withParser };
export const INVALID = Symbol.for("zod.compile.invalid");
export class ZodCompileAsyncError extends Error {}
export class ZodCompileUnsupportedError extends Error {}
