/** Who did something, as it is shown: people by their names, which records don't hold, others by their ids. */
import type { Names } from "../screen.js";
import { Text } from "../visible-text.js";

interface By {
  readonly kind: string;
  readonly id: string;
  readonly subject?: string | undefined;
}

/** In a sentence. @example nameOf({ kind: "person", id: "per_1" }, names) // "Ada Lovelace" */
export function nameOf({ kind, id }: By, names: Names): string {
  return names.get(id) ?? (kind === "key" ? "a program" : kind === "channel" ? "somebody in a chat" : kind);
}

/** @param me who looks: "you" */
export function Who({ by, names, me }: { readonly by: By | undefined; readonly names: Names; readonly me?: string }) {
  const name = by === undefined ? "" : by.id === me ? "you" : (names.get(by.id) ?? by.subject ?? by.id);
  return <Text inline text={name} />;
}
