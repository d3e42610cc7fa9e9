import { sha256Hex } from "../platform/digest.js";
import { canonicalText, type Subject } from "../supervision/subject.js";

/** Tells whether two subjects say the same; without the salt, which is kept beside the text, it tells nothing else. */
export function saltedHash(salt: string, subject: Subject): Promise<string> {
  return sha256Hex(salt + canonicalText(subject));
}
