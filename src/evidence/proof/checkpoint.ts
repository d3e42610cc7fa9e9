/**
 * Seals of an audit as text: checkpoints of C2SP (tlog-checkpoint), signed notes whose signature is Ed25519. What isn't known of here is
 * somebody else's signature, and is left.
 */
export interface Checkpoint {
  /** Whose log it is. */
  readonly origin: string;
  readonly size: number;
  /** Base64. */
  readonly root: string;
}

/** What is signed: three lines, with the end of the last. */
export function checkpointText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${root}\n`;
}

export function signedCheckpoint(text: string, name: string, signature: string): string {
  return `${text}\n\u2014 ${name} ${signature}\n`;
}

const checkpointPattern =
  /^(.{1,200})\n(0|[1-9][0-9]{0,15})\n([A-Za-z0-9+/]{43}=)\n\n\u2014 (\S{1,200}) ([A-Za-z0-9+/]{91}=)\n/;

/** The checkpoint, what was signed, and the first signature under it; undefined of what is none. */
export function readCheckpoint(
  note: string,
): (Checkpoint & { readonly text: string; readonly name: string; readonly signature: string }) | undefined {
  const [, origin, size, root, name, signature] = checkpointPattern.exec(note) ?? [];
  if (origin === undefined || root === undefined || name === undefined || signature === undefined) return undefined;
  const checkpoint = { origin, size: Number(size), root };
  return { ...checkpoint, text: checkpointText(checkpoint), name, signature };
}

/** A key that verifies, as signed notes write it: `<name>+<id in hex>+<base64 of the kind and the key>`; undefined of what is none. */
export function readVerifierKey(
  key: string,
): { readonly name: string; readonly id: string; readonly bytes: string } | undefined {
  const [, name, id, bytes] = /^([^\s+]{1,200})\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/.exec(key) ?? [];
  return name === undefined || id === undefined || bytes === undefined ? undefined : { name, id, bytes };
}
