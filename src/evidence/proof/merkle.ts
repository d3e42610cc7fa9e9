/**
 * Merkle trees as RFC 9162 has them, section 2.1, with SHA-256: the root over lines, the proof that a line is under a root, and the proof
 * that one root's lines begin another's. Subtrees come from a port, so that nobody has to hold all lines at once.
 *
 * @example
 * const path = await inclusionPath(7, 10, subtree);
 * await isIncluded({ index: 7, size: 10, leaf, path, root }, sha256);
 */
export type Hash = Uint8Array<ArrayBuffer>;
export type Sha256 = (bytes: Uint8Array<ArrayBuffer>) => Promise<Hash>;

/** The root over `size` lines from `start` on: `size` is a power of two that divides `start`. */
export type Subtree = (start: number, size: number) => Promise<Hash>;

export function leafHash(line: Uint8Array, sha256: Sha256): Promise<Hash> {
  return sha256(marked(0, line));
}

/** The roots over lines: of each one, of each pair, and so on, as far as their number goes without a rest. */
export async function levelsOf(leaves: readonly Hash[], sha256: Sha256): Promise<(readonly Hash[])[]> {
  const levels = [leaves];
  for (let level = leaves; level.length > 1; ) {
    const pairs = level.slice(0, level.length - (level.length % 2));
    const above = await Promise.all(
      pairs.flatMap((left, at) => {
        const right = pairs[at + 1];
        return at % 2 === 1 || right === undefined ? [] : [nodeHash(left, right, sha256)];
      }),
    );
    levels.push(above);
    level = above;
  }
  return levels;
}

/** The root of the tree over lines `start` to `end`, without that: `start` is 0, or a multiple of the power of two that is nearest below. */
export async function rootOf(start: number, end: number, subtree: Subtree, sha256: Sha256): Promise<Hash> {
  const size = end - start;
  if (size === 0) return sha256(new Uint8Array(0));
  if (isPowerOfTwo(size)) return subtree(start, size);
  const left = leftOf(size);
  const [first, second] = [await subtree(start, left), await rootOf(start + left, end, subtree, sha256)];
  return nodeHash(first, second, sha256);
}

/** PATH(index, D[size]) of 2.1.3.1: what is hashed with a line, from below, to come to the root. */
export async function inclusionPath(index: number, size: number, subtree: Subtree, sha256: Sha256): Promise<Hash[]> {
  const path: Hash[] = [];
  for (let [start, end] = [0, size]; ; ) {
    if (end - start <= 1) return path.reverse();
    const middle = start + leftOf(end - start);
    const isLeft = index < middle;
    path.push(await (isLeft ? rootOf(middle, end, subtree, sha256) : rootOf(start, middle, subtree, sha256)));
    if (isLeft) end = middle;
    else start = middle;
  }
}

/** PROOF(from, D[to]) of 2.1.4.1: what shows that the tree of `to` lines begins with that of `from`. */
export async function consistencyPath(from: number, to: number, subtree: Subtree, sha256: Sha256): Promise<Hash[]> {
  const path: Hash[] = [];
  // Whether what is left of the smaller tree is a whole subtree whose root the verifier has.
  let isKnown = true;
  for (let [start, end] = [0, to]; ; ) {
    if (from === end) {
      if (!isKnown) path.push(await rootOf(start, end, subtree, sha256));
      return path.reverse();
    }
    const middle = start + leftOf(end - start);
    if (from <= middle) {
      path.push(await rootOf(middle, end, subtree, sha256));
      end = middle;
    } else {
      path.push(await rootOf(start, middle, subtree, sha256));
      start = middle;
      isKnown = false;
    }
  }
}

interface Inclusion {
  readonly index: number;
  readonly size: number;
  readonly leaf: Hash;
  readonly path: readonly Hash[];
  readonly root: Hash;
}

/** 2.1.3.2. */
export async function isIncluded({ index, size, leaf, path, root }: Inclusion, sha256: Sha256): Promise<boolean> {
  if (index >= size) return false;
  let [at, last, hash] = [index, size - 1, leaf];
  for (const other of path) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      hash = await nodeHash(other, hash, sha256);
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
    } else hash = await nodeHash(hash, other, sha256);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && isSame(hash, root);
}

interface Consistency {
  readonly from: number;
  readonly to: number;
  readonly path: readonly Hash[];
  /** The roots of both trees. */
  readonly before: Hash;
  readonly after: Hash;
}

/** 2.1.4.2, and of equal sizes that the roots are equal; whatever there is begins with nothing. */
export async function isConsistent(proof: Consistency, sha256: Sha256): Promise<boolean> {
  const { from, to, before, after } = proof;
  if (from > to) return false;
  if (from === to) return proof.path.length === 0 && isSame(before, after);
  if (from === 0) return proof.path.length === 0;
  const path = isPowerOfTwo(from) ? [before, ...proof.path] : proof.path;
  const [begin, ...rest] = path;
  if (begin === undefined) return false;
  let [at, last] = [from - 1, to - 1];
  while (at % 2 === 1) [at, last] = [half(at), half(last)];
  let [first, second] = [begin, begin];
  for (const other of rest) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      [first, second] = [await nodeHash(other, first, sha256), await nodeHash(other, second, sha256)];
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
    } else second = await nodeHash(second, other, sha256);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && isSame(first, before) && isSame(second, after);
}

export function isSame(a: Hash, b: Hash): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

export function nodeHash(left: Hash, right: Hash, sha256: Sha256): Promise<Hash> {
  const bytes = new Uint8Array(left.length + right.length);
  bytes.set(left);
  bytes.set(right, left.length);
  return sha256(marked(1, bytes));
}

/** Leaves and nodes are told apart by their first byte. */
function marked(mark: 0 | 1, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(bytes.length + 1);
  all[0] = mark;
  all.set(bytes, 1);
  return all;
}

/** The largest power of two below a size; 0 of one line, which isn't divided. */
function leftOf(size: number): number {
  if (size <= 1) return 0;
  let left = 1;
  while (left * 2 < size) left *= 2;
  return left;
}

function isPowerOfTwo(size: number): boolean {
  return size === 1 || leftOf(size) === size / 2;
}

function half(value: number): number {
  return Math.floor(value / 2);
}
