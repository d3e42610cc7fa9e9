/** Holds a tenant's audit against its seals: those that the deployment has, and those that were kept elsewhere. */
import { appendFileSync, chmodSync, readFileSync } from "node:fs";
import type { Conclave, Schemas } from "../client/index.js";
import { checkpointText, readCheckpoint, readVerifierKey } from "../evidence/proof/checkpoint.js";
import {
  type Hash,
  isConsistent,
  leafHash,
  levelsOf,
  nodeHash,
  rootOf,
  type Sha256,
  type Subtree,
} from "../evidence/proof/merkle.js";
import { type Command, type Options, text } from "./command.js";
import { allPages, CommandError, placeOf, show } from "./place.js";
import { writePrivately } from "./private-file.js";

type Seal = Pick<Schemas["AuditSeal"], "size" | "root" | "checkpoint" | "key">;

const sha256: Sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
const encoder = new TextEncoder();

export const audit: Command = {
  name: "audit",
  takes: ["<verify>"],
  description: "hold the audit against its seals",
  about:
    "Reads every row, hashes it, and holds the tree against each seal. Against whoever has the database and the deployment's secret only seals help that were kept elsewhere.",
  examples: {
    "conclave audit verify": "against the seals that the deployment shows",
    "conclave audit verify --seals seals.jsonl": "against those that were kept, too; new ones are added to the file",
  },
  differs: "a row was changed, is missing or was added, or a seal isn't signed by a key that is trusted",
  options: {
    seals: text(
      "a file of seals that were kept, a JSON line or the body of a webhook each; those found are added to it",
    ),
    key: text("the key that has to have signed, as `GET /v1/audit/seals` shows it"),
    rows: text("a file that the rows are written to"),
  },
  run: async (options, what = "") => {
    if (what !== "verify") throw new CommandError(`"${what}" can't be done with the audit: verify can`);
    const { conclave } = placeOf(options);
    const shown = (await allPages((page) => conclave.api.audit.listAuditSeals(page))).reverse();
    const kept = typeof options.seals === "string" ? keptIn(options.seals) : [];
    const lines = await rowsOf(conclave, options);
    const before = await beforeOf(conclave, lines);
    const key = typeof options.key === "string" ? options.key : undefined;
    const faults = [
      ...(await faultsOf(lines, shown, kept, key, before)),
      ...(await faultsOfPruned(kept, shown.at(-1), before, async (size, to) => {
        const { path } = await conclave.api.audit.getAuditSealConsistency({ size: String(size), to });
        return path;
      })),
    ];
    const sealed = Math.max(0, ...[...shown, ...kept].map(({ size }) => size));
    if (faults.length === 0 && typeof options.seals === "string") keep(options.seals, shown, kept);
    show(options, { rows: lines.length, first: before.rows, sealed, seals: shown.length, kept: kept.length, faults }, [
      ...faults,
      faults.length === 0
        ? `${sealed} rows are as they were sealed, by ${shown.length} seals and ${kept.length} that were kept`
        : `${faults.length} faults`,
      ...(lines.length > sealed
        ? [`${lines.length - sealed} rows came after the last seal: they aren't proven yet`]
        : []),
    ]);
    return faults.length === 0 ? 0 : 2;
  },
};

/**
 * What is wrong with an audit, in words. Nothing: the rows are those that every seal is over.
 * @param lines as they are stored, in the order of their arrival
 * @param kept seals of before that the deployment couldn't change; their keys are trusted, and `key`
 */
export async function faultsOf(
  lines: readonly string[],
  shown: readonly Seal[],
  kept: readonly Seal[],
  key?: string,
  before: Before = none,
): Promise<string[]> {
  return [
    ...faultsOfLines(lines, before.rows),
    ...(await faultsOfSeals(shown, kept, key)),
    ...(await faultsOfRoots(lines, [...shown, ...kept], before)),
  ];
}

/**
 * Seals that were kept, over rows of which the deployment keeps none: what they cover can't be hashed any more, but has to be the beginning
 * of what its newest seal covers. Who serves rows only from behind them is found out by this.
 * @param proofOf the hashes that prove it, of one size to another, in base64
 */
export async function faultsOfPruned(
  kept: readonly Seal[],
  newest: Seal | undefined,
  { rows }: Before,
  proofOf: (size: number, to: number) => Promise<readonly string[]>,
): Promise<string[]> {
  const faults: string[] = [];
  for (const { size, root } of kept.filter((seal) => seal.size < rows)) {
    const path =
      newest === undefined
        ? undefined
        : await proofOf(size, newest.size).then(
            (hashes) => hashes.map(bytesOf),
            () => undefined,
          );
    const isBeginning =
      newest !== undefined &&
      path !== undefined &&
      (await isConsistent(
        { from: size, to: newest.size, path, before: bytesOf(root), after: bytesOf(newest.root) },
        sha256,
      ));
    if (!isBeginning) faults.push(`the seal over ${size} rows that was kept isn't a beginning of what is there now`);
  }
  return faults;
}

async function rowsOf(conclave: Conclave, options: Options): Promise<string[]> {
  const answer = await conclave.response("GET", "/v1/audit/rows", {});
  const all = await answer.text();
  if (typeof options.rows === "string") writePrivately(options.rows, all);
  return all.split("\n").filter((line) => line !== "");
}

/** What is known of rows that the tenant keeps no longer: how many there were, and the roots over them, the largest first. */
export interface Before {
  readonly rows: number;
  readonly roots: readonly Hash[];
}

/** Of the proof of the first row that is kept, what stands left of it. */
async function beforeOf(conclave: Conclave, [oldest = ""]: readonly string[]): Promise<Before> {
  const rows = Number(/^\{"n":(\d{1,15}),/.exec(oldest)?.[1] ?? 0);
  if (rows === 0) return none;
  const { path, seal } = await conclave.api.audit.getAuditRowProof({ row: String(rows) });
  const roots: Hash[] = [];
  // From below: a hash stands left of the way up where the way comes from the right.
  let [at, last] = [rows, seal.size - 1];
  for (const hash of path) {
    if (at % 2 === 1 || at === last) {
      roots.unshift(bytesOf(hash));
      while (at % 2 === 0 && at !== 0) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
    }
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return { rows, roots };
}

const none: Before = { rows: 0, roots: [] };

/** Of a file with a JSON line each: a seal, or what a webhook was told of one. */
function keptIn(path: string): Seal[] {
  let read: string;
  try {
    read = readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
  return read.split("\n").flatMap((line, at) => {
    if (line.trim() === "") return [];
    const { data, ...own } = JSON.parse(line);
    const { size, root, checkpoint, key } = data ?? own;
    if (typeof size !== "number" || [root, checkpoint, key].some((one) => typeof one !== "string"))
      throw new CommandError(`line ${at + 1} of ${path} is no seal`);
    return [{ size, root, checkpoint, key }];
  });
}

function keep(path: string, shown: readonly Seal[], kept: readonly Seal[]): void {
  const known = new Set(kept.map(({ checkpoint }) => checkpoint));
  const found = shown.filter(({ checkpoint }) => !known.has(checkpoint));
  const lines = found.map(({ size, root, checkpoint, key }) => `${JSON.stringify({ size, root, checkpoint, key })}\n`);
  // What was kept is never written again: a stop in the middle loses none of it.
  appendFileSync(path, lines.join(""), { mode: 0o600 });
  chmodSync(path, 0o600);
}

/** The first row that isn't in its place: behind it all are another's. */
function faultsOfLines(lines: readonly string[], first: number): string[] {
  const wrong = lines.findIndex((line, at) => !line.startsWith(`{"n":${first + at},`));
  return wrong === -1 ? [] : [`row ${first + wrong} isn't in its place: one was added, deleted or moved`];
}

async function faultsOfSeals(
  shown: readonly Seal[],
  kept: readonly Seal[],
  key: string | undefined,
): Promise<string[]> {
  const faults: string[] = [];
  const trusted = [...kept.map((seal) => seal.key), ...(key === undefined ? [] : [key])];
  for (const seal of [...shown, ...kept]) {
    if (!(await isSigned(seal))) faults.push(`the seal over ${seal.size} rows isn't signed by its key`);
    if (trusted.length > 0 && !trusted.includes(seal.key)) {
      faults.push(`the seal over ${seal.size} rows is signed by another key: ${seal.key}`);
    }
  }
  return faults;
}

async function isSigned({ size, root, checkpoint, key }: Seal): Promise<boolean> {
  const [note, verifier] = [readCheckpoint(checkpoint), readVerifierKey(key)];
  if (note === undefined || verifier === undefined) return false;
  if (note.size !== size || note.root !== root || note.name !== verifier.name || note.origin !== note.name)
    return false;
  const [signed, published] = [bytesOf(note.signature), bytesOf(verifier.bytes)];
  const imported = await crypto.subtle.importKey("raw", published.slice(1), "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", imported, signed.slice(4), encoder.encode(checkpointText(note)));
}

/** Each seal's root over the rows as they are: the first that differs says between which rows one was changed. */
async function faultsOfRoots(lines: readonly string[], seals: readonly Seal[], before: Before): Promise<string[]> {
  const end = before.rows + lines.length;
  const subtree = await subtreesOf(lines, before);
  const held = [before.rows];
  for (const { size, root } of [...seals].sort((a, b) => a.size - b.size)) {
    // Of rows that are kept no longer nothing is left to be hashed.
    if (size < before.rows) continue;
    if (size > end) return [`rows ${end} to ${size - 1} are missing: a seal covers ${size}`];
    const now = await rootOf(0, size, subtree, sha256);
    if (Buffer.from(now).toString("base64") !== root) {
      const from = held.findLast((one) => one < size) ?? 0;
      return [`a row of ${from} to ${size - 1} isn't as it was sealed: the seal over ${size} rows has another root`];
    }
    held.push(size);
  }
  return [];
}

async function subtreesOf(lines: readonly string[], { rows, roots }: Before): Promise<Subtree> {
  const nothing: Hash = new Uint8Array(32);
  const gone = Array.from({ length: rows }, () => nothing);
  const levels = await levelsOf(
    [...gone, ...(await Promise.all(lines.map((line) => leafHash(encoder.encode(line), sha256))))],
    sha256,
  );
  const known = new Map<string, Hash>();
  for (let [start, at] = [0, 0]; start < rows; at++) {
    const size = 2 ** Math.floor(Math.log2(rows - start));
    known.set(`${start} ${size}`, roots[at] ?? nothing);
    start += size;
  }
  const subtree: Subtree = async (start, size) => {
    const whole = known.get(`${start} ${size}`);
    if (whole !== undefined) return whole;
    if (start >= rows || size === 1) return levels[Math.log2(size)]?.[start / size] ?? nothing;
    return nodeHash(await subtree(start, size / 2), await subtree(start + size / 2, size / 2), sha256);
  };
  return subtree;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
