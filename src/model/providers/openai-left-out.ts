/**
 * Stands in the bundle for the parts of the `openai` package that nothing here calls and that its client makes all the same: a tenth
 * of the upload. `wrangler.toml`, *alias*, puts it in their place.
 */
export class Admin {}
export class Beta {}
export class Responses {}
export class FineTuning {}
export class VectorStores {}
export class Skills {}
export class Evals {}
export class Containers {}
export class Webhooks {}
export class Files {}
export class Videos {}
export class Audio {}
export class Batches {}
export class Conversations {}
export class Live {}
export class Realtime {}
export class Images {}
export class Uploads {}
export class Graders {}
export class Safety {}
export class Decisions {}
export class ContentProvenanceChecks {}
export class ChatCompletionRunner {}
export class ChatCompletionStreamingRunner {}
export class ChatCompletionStream {}

/** Certificates in place of keys: whoever gives none is asked about them all the same. */
export class X509WorkloadIdentityAuth {}
export class WorkloadIdentityAuth {}
export const isX509WorkloadIdentity = () => false;
export const assertX509RequestOptions = () => undefined;
export const snapshotX509RequestOptions = <T>(options: T): T => options;
