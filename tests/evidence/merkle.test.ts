/** The tree over the audit's lines: the published vectors, and an implementation that follows RFC 9162 word by word. */
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { faultsOf, faultsOfPruned } from "../../src/command-line/audit.js";
import {
  consistencyPath,
  type Hash,
  inclusionPath,
  isConsistent,
  isIncluded,
  leafHash,
  levelsOf,
  rootOf,
  type Sha256,
  type Subtree,
} from "../../src/evidence/proof/merkle.js";
import { createCheckpointSigner } from "../../src/platform/checkpoint-signer.js";

const sha256: Sha256 = async (bytes) => new Uint8Array(createHash("sha256").update(bytes).digest());
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** The leaves and roots that Certificate Transparency's own tests publish. */
const published = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"];
const publishedRoots = [
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

/** MTH, PATH and SUBPROOF as 2.1 of the RFC defines them, over a list that is all there. */
const hashed = (...parts: Uint8Array[]): Buffer => createHash("sha256").update(Buffer.concat(parts)).digest();
const split = (size: number): number => 2 ** Math.floor(Math.log2(size - 1));
function mth(d: Buffer[]): Buffer {
  const [only = Buffer.of()] = d;
  if (d.length === 0) return hashed();
  if (d.length === 1) return hashed(Buffer.of(0), only);
  const k = split(d.length);
  return hashed(Buffer.of(1), mth(d.slice(0, k)), mth(d.slice(k)));
}
function path(m: number, d: Buffer[]): Buffer[] {
  if (d.length === 1) return [];
  const k = split(d.length);
  return m < k ? [...path(m, d.slice(0, k)), mth(d.slice(k))] : [...path(m - k, d.slice(k)), mth(d.slice(0, k))];
}
function subproof(m: number, d: Buffer[], isWhole: boolean): Buffer[] {
  if (m === d.length) return isWhole ? [] : [mth(d)];
  const k = split(d.length);
  return m <= k
    ? [...subproof(m, d.slice(0, k), isWhole), mth(d.slice(k))]
    : [...subproof(m - k, d.slice(k), false), mth(d.slice(0, k))];
}

async function treeOf(lines: readonly Uint8Array[]): Promise<{ leaves: Hash[]; subtree: Subtree }> {
  const leaves = await Promise.all(lines.map((line) => leafHash(line, sha256)));
  const levels = await levelsOf(leaves, sha256);
  const subtree: Subtree = async (start, size) => {
    const hash = levels[Math.log2(size)]?.[start / size];
    if (hash === undefined) throw new RangeError(`no subtree of ${size} at ${start}`);
    return hash;
  };
  return { leaves, subtree };
}

it("has the roots that are published", async () => {
  const { subtree } = await treeOf(published.map((line) => Buffer.from(line, "hex")));
  const roots = await Promise.all(publishedRoots.map((_, size) => rootOf(0, size, subtree, sha256)));
  expect(roots.map(hex)).toEqual(publishedRoots);
});

it("makes the proofs of the RFC for each line and each size, and verifies those and no others", async () => {
  const most = 21;
  const lines = Array.from({ length: most }, (_, at) => Buffer.from(`line ${at}`));
  const { leaves, subtree } = await treeOf(lines);
  const roots = await Promise.all([0, ...lines.keys(), most].slice(1).map((size) => rootOf(0, size, subtree, sha256)));
  for (let size = 1; size <= most; size++) {
    const [d, root] = [lines.slice(0, size), roots[size] ?? new Uint8Array()];
    expect(hex(root)).toBe(hex(mth(d)));
    for (let index = 0; index < size; index++) {
      const proof = await inclusionPath(index, size, subtree, sha256);
      expect(proof.map(hex)).toEqual(path(index, d).map(hex));
      const leaf = leaves[index] ?? new Uint8Array();
      const claim = { index, size, leaf, path: proof, root };
      expect(await isIncluded(claim, sha256)).toBe(true);
      expect(await isIncluded({ ...claim, index: (index + 1) % (size + 1) }, sha256)).toBe(false);
      expect(await isIncluded({ ...claim, path: [...proof, root] }, sha256)).toBe(false);
      expect(await isIncluded({ ...claim, path: proof.slice(1) }, sha256)).toBe(proof.length === 0);
    }
    for (let from = 1; from <= size; from++) {
      const proof = await consistencyPath(from, size, subtree, sha256);
      expect(proof.map(hex)).toEqual(subproof(from, d, true).map(hex));
      const claim = { from, to: size, path: proof, before: roots[from] ?? root, after: root };
      expect(await isConsistent(claim, sha256)).toBe(true);
      expect(await isConsistent({ ...claim, before: roots[from - 1] ?? root }, sha256)).toBe(false);
      expect(await isConsistent({ ...claim, path: [...proof, root] }, sha256)).toBe(false);
    }
  }
});

it("finds each way in which rows were changed, and names it", async () => {
  const line = (n: number, said = n): string => `{"n":${n},"at":${said},"owner":"ses_1"}`;
  const lines = Array.from({ length: 1_000 }, (_, n) => line(n));
  const sign = createCheckpointSigner(["a secret of the deployment that is long"]);
  const forge = createCheckpointSigner(["a secret of somebody else that is long"]);
  const sealed = async (rows: readonly string[], sizes: readonly number[], by = sign) => {
    const { subtree } = await treeOf(rows.map((row) => Buffer.from(row)));
    return Promise.all(
      sizes.map(async (size) => {
        const root = Buffer.from(await rootOf(0, size, subtree, sha256)).toString("base64");
        return { size, root, ...(await by("ten_1", size, root)) };
      }),
    );
  };
  const seals = await sealed(lines, [64, 500, 1_000]);
  const kept = seals.slice(0, 2);
  expect(await faultsOf(lines, seals, kept)).toEqual([]);
  expect(await faultsOf([...lines, line(1_000)], seals, kept)).toEqual([]);

  // The first 300 rows are kept no longer: the proof of row 300 has the roots over them.
  const { subtree: ofAll } = await treeOf(lines.map((row) => Buffer.from(row)));
  const roots = await Promise.all([ofAll(0, 256), ofAll(256, 32), ofAll(288, 8), ofAll(296, 4)]);
  const before = { rows: 300, roots };
  expect(await faultsOf(lines.slice(300), seals, kept, undefined, before)).toEqual([]);
  expect(await faultsOf(lines.slice(300).with(9, line(309, 1)), seals, kept, undefined, before)).toEqual([
    "a row of 300 to 499 isn't as it was sealed: the seal over 500 rows has another root",
  ]);

  // Seals over rows that are gone have to be a beginning of what is there.
  const proofOf = async (from: number, to: number) =>
    (await consistencyPath(from, to, ofAll, sha256)).map((hash) => Buffer.from(hash).toString("base64"));
  const [early] = seals;
  const others = await sealed(lines.with(3, line(3, 4)), [64]);
  expect(await faultsOfPruned(kept, seals.at(-1), before, proofOf)).toEqual([]);
  for (const pruned of [
    faultsOfPruned(others, seals.at(-1), before, proofOf),
    faultsOfPruned(early === undefined ? [] : [early], undefined, before, proofOf),
    faultsOfPruned(early === undefined ? [] : [early], seals.at(-1), before, () => Promise.reject(new Error("none"))),
  ]) {
    expect(await pruned).toEqual(["the seal over 64 rows that was kept isn't a beginning of what is there now"]);
  }

  const changed = lines.with(70, line(70, 71));
  const replaced = lines.map((row, n) => (n >= 500 ? line(n, n + 1) : row));
  const rewritten = await sealed(changed, [64, 500, 1_000]);
  const [first, second, third] = seals;
  if (first === undefined || second === undefined || third === undefined) throw new Error("three were made");
  const faults = {
    changed: await faultsOf(changed, seals, []),
    deleted: await faultsOf(lines.toSpliced(70, 1), seals, []),
    inserted: await faultsOf(lines.toSpliced(70, 0, line(70, 99)), seals, []),
    swapped: await faultsOf(lines.with(70, lines[71] ?? "").with(71, lines[70] ?? ""), seals, []),
    "cut off": await faultsOf(lines.slice(0, 900), seals, []),
    "segment replaced": await faultsOf(replaced, seals, []),
    // Everything there fits together: only what was kept elsewhere contradicts.
    "rewritten and signed anew": await faultsOf(changed, rewritten, kept),
    "signed by another": await faultsOf(lines, await sealed(lines, [1_000], forge), kept),
    "signature of another seal": await faultsOf(lines, [{ ...third, checkpoint: second.checkpoint }], []),
  };
  expect(await faultsOf(changed, rewritten, [])).toEqual([]);
  expect(faults).toEqual({
    changed: ["a row of 64 to 499 isn't as it was sealed: the seal over 500 rows has another root"],
    deleted: [
      "row 70 isn't in its place: one was added, deleted or moved",
      "a row of 64 to 499 isn't as it was sealed: the seal over 500 rows has another root",
    ],
    inserted: [
      "row 71 isn't in its place: one was added, deleted or moved",
      "a row of 64 to 499 isn't as it was sealed: the seal over 500 rows has another root",
    ],
    swapped: [
      "row 70 isn't in its place: one was added, deleted or moved",
      "a row of 64 to 499 isn't as it was sealed: the seal over 500 rows has another root",
    ],
    "cut off": ["rows 900 to 999 are missing: a seal covers 1000"],
    "segment replaced": ["a row of 500 to 999 isn't as it was sealed: the seal over 1000 rows has another root"],
    "rewritten and signed anew": ["a row of 64 to 499 isn't as it was sealed: the seal over 500 rows has another root"],
    "signed by another": [
      expect.stringMatching(/^the seal over 1000 rows is signed by another key: conclave\/audit\/ten_1\+/),
    ],
    "signature of another seal": ["the seal over 1000 rows isn't signed by its key"],
  });
});
