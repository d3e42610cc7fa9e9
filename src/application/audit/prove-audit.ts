/** What proves the audit: its seals, that a row is under one, and that the rows of one begin those of a later one. */
import { z } from "zod";
import { problem } from "../../conversation/problem.js";
import { bytesOf } from "../../platform/event-stream.js";
import { BrokenArchiveError } from "../../stores/archive/archive-error.js";
import type { StoredSeal } from "../../stores/archive/audit-seals.js";
import { lazily } from "../../text/lazily.js";
import { act } from "../act.js";
import { listOf, pageInput, readPage } from "../page.js";
import type { Services } from "../services.js";
import { recordRead } from "./record-read.js";

const tag = "Audit";
const arrival = () =>
  z
    .string()
    .regex(/^\d{1,15}$/, "a number, 0 or more")
    .transform(Number);
/** How many rows a seal covers. */
const count = () => z.coerce.number<string>().int().min(1);

export const auditSealSchema = lazily(() =>
  z.object({
    /** How many rows it covers, from the first on. */
    size: z.int(),
    /** Base64, as hashes of paths are. */
    root: z.string(),
    at: z.iso.datetime(),
    checkpoint: z.string(),
    key: z.string(),
  }),
);

export const auditProofSchema = lazily(() =>
  z.object({
    row: z.int(),
    /** The row as it is stored, letter by letter: what is hashed. */
    line: z.string(),
    path: z.array(z.string()),
    seal: auditSealSchema(),
  }),
);

export const auditConsistencySchema = lazily(() =>
  z.object({ from: auditSealSchema(), to: auditSealSchema(), path: z.array(z.string()) }),
);

const listAuditSeals = act("listAuditSeals", {
  role: "operator",
  route: {
    method: "get",
    path: "/v1/audit/seals",
    tag,
    summary: "Seals of the audit, the newest first (operators)",
    description:
      "The root of a Merkle tree (RFC 9162) over all rows that had been archived, as a signed checkpoint. Whoever keeps seals elsewhere can tell whether rows that they cover were changed; webhooks are told of each as `audit.sealed`.",
    answer: "A page of seals",
  },
  input: () => z.object(pageInput()),
  output: () => listOf(auditSealSchema()),
  run: async ({ tenantId }, page, services) => {
    const seals = await services.auditSeals();
    const read = async (below: string | undefined, limit: number) =>
      (await seals.list(tenantId, below === undefined ? Number.MAX_SAFE_INTEGER : Number(below), limit)).map(shown);
    return readPage(page, read, ({ size }) => String(size));
  },
});

const proveAuditRow = act("proveAuditRow", {
  role: "operator",
  route: {
    method: "get",
    path: "/v1/audit/rows/{row}/proof",
    tag,
    summary: "What proves that a row of the audit is under a seal (operators)",
    description:
      "The row as it is stored, without whom and what its references stand for, and the hashes that lead from it to the root of the seal (RFC 9162, 2.1.3). `size` is the seal to prove it under, the newest if nothing is said.",
    answer: "The row and its proof",
  },
  input: () =>
    z.object({
      row: z
        .string()
        .regex(/^\d{1,15}$/, "an arrival number: 0 or more")
        .transform(Number),
      size: count().optional(),
    }),
  output: () => auditProofSchema(),
  run: async ({ tenantId }, { row, size }, services) => {
    const seal = await sealOf(tenantId, size, services);
    if (row >= seal.size) {
      throw problem(
        "not_found",
        `The seal covers rows 0 to ${seal.size - 1}. A row is sealed within an hour of its time.`,
      );
    }
    const proof = await unbroken(async () => (await services.auditSeals()).prove(tenantId, row, seal.size));
    if (proof === undefined) throw problem("not_found", `Row ${row} isn't kept any more.`);
    return { row, ...proof, seal: shown(seal) };
  },
});

const proveAuditConsistency = act("proveAuditConsistency", {
  role: "operator",
  route: {
    method: "get",
    path: "/v1/audit/seals/{size}/consistency",
    tag,
    summary: "What proves that the rows of a seal begin those of a later one (operators)",
    description: "The hashes of RFC 9162, 2.1.4. `to` is the size of the later seal, of the newest if nothing is said.",
    answer: "Both seals and the proof",
  },
  input: () => z.object({ size: arrival(), to: count().optional() }),
  output: () => auditConsistencySchema(),
  run: async ({ tenantId }, wanted, services) => {
    const from = await sealOf(tenantId, wanted.size, services);
    const to = await sealOf(tenantId, wanted.to, services);
    if (from.size > to.size) {
      throw problem("invalid", "`to` is a later seal.", {
        errors: [{ path: "to", message: `at least ${from.size}` }],
      });
    }
    const path = await unbroken(async () =>
      (await services.auditSeals()).proveConsistency(tenantId, from.size, to.size),
    );
    return { from: shown(from), to: shown(to), path };
  },
});

export const exportAuditRows = act("exportAuditRows", {
  role: "operator",
  run: async (actor, { from }: { readonly from: number }, services) => {
    await recordRead(actor, services, {
      type: "audit.exported",
      ownerId: "audit",
      subject: { kind: "audit", name: "rows" },
    });
    const seals = await services.auditSeals();
    async function* parts() {
      for await (const lines of seals.lines(actor.tenantId, from)) yield lines.map((line) => `${line}\n`).join("");
    }
    return bytesOf(parts());
  },
});

export const auditProofActs = [listAuditSeals, exportAuditRows, proveAuditRow, proveAuditConsistency];

async function sealOf(tenantId: string, size: number | undefined, services: Services): Promise<StoredSeal> {
  const seals = await services.auditSeals();
  if (size !== undefined) {
    const seal = await seals.at(tenantId, size);
    if (seal === undefined) throw problem("not_found", `No seal covers ${size} rows. GET /v1/audit/seals lists them.`);
    return seal;
  }
  const [newest] = await seals.list(tenantId, Number.MAX_SAFE_INTEGER, 1);
  if (newest === undefined)
    throw problem("not_found", "Nothing is sealed yet. A row is sealed within an hour of its time.");
  return newest;
}

/** What can't be proven since rows are gone or others is no failure of ours to be tried again: the answer says it. */
async function unbroken<T>(prove: () => Promise<T>): Promise<T> {
  try {
    return await prove();
  } catch (error) {
    if (!(error instanceof BrokenArchiveError)) throw error;
    throw problem("conflict", `There is no proof: ${error.message}.`);
  }
}

function shown({ at, ...seal }: StoredSeal) {
  return { ...seal, at: new Date(at).toISOString() };
}
