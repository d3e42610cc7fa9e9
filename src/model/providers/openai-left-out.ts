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
export const normalizeX509CredentialOptions = <T>(options: T) => ({ credential: undefined, options });
export const isTransientX509ConnectionError = () => false;
export const markApprovedX509Client = () => undefined;
export const assertX509APIOrigin = () => undefined;
export const X509_API_BASE_URL = "";

/** Files in forms: all that is sent from here is JSON, in which none are looked for and nothing is to be finished. */
export const hasUploadableValue = () => false;
export const finalizeStreamingFormRequestOptions = () => undefined;

function leftOut(): never {
  throw new Error("left out of the bundle: wrangler.toml, alias");
}

export {
  leftOut as maybeMultipartFormRequestOptions,
  leftOut as prepareX509ClientClone,
  leftOut as toFile,
  leftOut as toStreamingFile,
};
