/**
 * Stands in the bundle for the check of JSON Schemas that the MCP packages bring: theirs is given ours (`mcp-schema-check.ts`).
 * `wrangler.toml`, *alias*, puts it in its place.
 */
export class CfWorkerJsonSchemaValidator {
  getValidator(): never {
    throw new Error("left out of the bundle: wrangler.toml, alias");
  }
}
export { CfWorkerJsonSchemaValidator as t };
