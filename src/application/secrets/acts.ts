/** The acts on a tenant's secrets, in the order in which the document lists them. */
import { deleteSecret, listSecrets, putSecret, readSecret } from "./manage-secrets.js";

export const secretActs = [putSecret, listSecrets, readSecret, deleteSecret];
