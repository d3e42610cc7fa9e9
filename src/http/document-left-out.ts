/**
 * Stands in the bundle for what makes the API's document of routes: it is made before the upload (`scripts/make-assets.ts`).
 * `wrangler.toml`, *alias*, puts it in its place.
 */
function leftOut(): never {
  throw new Error("left out of the bundle: wrangler.toml, alias");
}

/** What routes are told of passes through; nothing is kept. */
export class OpenAPIRegistry {
  readonly definitions: readonly never[] = [];
  registerPath(): void {
    // Nobody makes a document of it.
  }
  registerComponent(): void {
    // The same.
  }
  register<T>(_name: unknown, schema: T): T {
    return schema;
  }
}
export const zodToOpenAPIRegistry = { add: () => undefined };
export const extendZodWithOpenApi = () => undefined;
export { leftOut as getOpenApiMetadata, leftOut as OpenApiGeneratorV3, leftOut as OpenApiGeneratorV31 };
