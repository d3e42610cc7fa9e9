/** The acts on tokens, in the order in which the document lists them. */
import { mintToken } from "./mint-token.js";
import { revokeSubject } from "./revoke-subject.js";

export const tokenActs = [mintToken, revokeSubject];
