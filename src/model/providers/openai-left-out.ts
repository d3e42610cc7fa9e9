/**
 * Stands in the bundle for the parts of the `openai` package that nothing here calls and that its client makes all the same: a tenth
 * of the upload. `wrangler.toml`, *alias*, puts it in their place.
 */
export class Admin {}
export class Beta {}
export class Responses {}
