/** Hashes of supervised texts, for records that hold no text. */
import { sha256Hex } from "../platform/digest.js";
import { canonicalText, type Subject } from "../supervision/subject.js";

/** Equal for two subjects of the same text under one salt. Without the salt, which is stored beside the text, it reveals nothing. */
export function saltedHash(salt: string, subject: Subject): Promise<string> {
  return sha256Hex(salt + canonicalText(subject));
}
