/** The acts on a tenant's secrets, in the order in which the document lists them. */
import { deleteSecret, listSecrets, putSecret } from "./manage-secrets.js";

export const secretActs = [putSecret, listSecrets, deleteSecret];
