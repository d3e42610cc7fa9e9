/** The writes of an object: all or nothing, and what each of them logs and sends is stored in few rows. */

export interface WritePorts {
  readonly storage: Pick<DurableObjectStorage, "transactionSync">;
  /** What is put into these in a write is stored together, at its end. */
  readonly gathered: () => readonly Gathered[];
  /** The write was rolled back: whatever was read or kept in memory meanwhile doesn't hold. */
  readonly onRollback: () => void;
}

/** Where a write puts what happens in it and what is to be delivered. */
interface Gathered {
  /** A write begins: what is put from here on is gathered. */
  gather(): void;
  /** What was gathered is stored, in the write that is under way. */
  flush(): void;
}

export class ObjectWrites {
  private underWay: { readonly afterwards: (() => void)[] } | undefined;

  constructor(private readonly ports: WritePorts) {}

  /**
   * Does a write, all of it or nothing. What happens in it and what is to be delivered of it are stored together. A write within a
   * write is a part of it.
   */
  readonly do = <T>(change: () => T): T => {
    if (this.underWay !== undefined) return change();
    const { storage, gathered, onRollback } = this.ports;
    const together = gathered();
    const write: { readonly afterwards: (() => void)[] } = { afterwards: [] };
    this.underWay = write;
    let result: T;
    try {
      result = storage.transactionSync(() => {
        for (const one of together) one.gather();
        const changed = change();
        for (const one of together) one.flush();
        return changed;
      });
    } catch (error) {
      onRollback();
      throw error;
    } finally {
      this.underWay = undefined;
    }
    for (const next of write.afterwards) next();
    return result;
  };

  /** Does this once the write that is under way is done, or at once where none is; not where it fails. */
  afterwards(next: () => void): void {
    if (this.underWay === undefined) next();
    else this.underWay.afterwards.push(next);
  }
}
