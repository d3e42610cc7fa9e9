/** The key of a command: what makes it the same one when it comes again, whatever died in between. */
export interface CommandKey {
  /** The sender's own: another sender's is another key. */
  readonly key: string;
  /** Digest of all that was asked for: the same key with another digest is a mistake of the sender. */
  readonly hash: string;
}
