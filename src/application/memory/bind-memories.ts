/** Finds the memories that something is to be bound to, under whichever name: one way for every face. */
import { type BoundMemories, type BoundMemory, type MemoryChoice, namedIn } from "../../conversation/memory-binding.js";
import { externalIdSchema } from "../../conversation/names.js";
import { type ProblemIssue, problem } from "../../conversation/problem.js";
import { newMemorySchema } from "../../memory/memory.js";
import { sha256Hex } from "../../platform/digest.js";
import { newId } from "../../platform/ids.js";
import type { Services } from "../services.js";

export interface Bindable {
  readonly memory?: MemoryChoice | undefined;
  readonly subject?: string | undefined;
}

export interface FoundMemories {
  /** What can't be bound, by its path in the body. */
  readonly errors: readonly ProblemIssue[];
  /** What can be bound and may not be meant. */
  readonly warnings: readonly ProblemIssue[];
  /** Makes the subject's own memory where there is none. To be called once nothing else is wrong. */
  readonly bind: () => Promise<BoundMemories | undefined>;
}

type Memories = { readonly memory: Pick<Services["memory"], "ports"> };

export async function findMemoriesToBind(
  tenantId: string,
  { memory, subject }: Bindable,
  services: Memories,
): Promise<FoundMemories> {
  const isList = Array.isArray(memory);
  const found = await Promise.all(
    namedIn(memory).map(async (named, at): Promise<ProblemIssue | Found | "subject"> => {
      const path = isList ? `memory.${at}` : "memory";
      if (named === "subject") {
        if (subject === undefined) return { path, message: "whose memory? Name the end user as `subject`" };
        const own = await subjectMemory(tenantId, subject, services);
        if (own === "other")
          return { path, message: `the memory with the externalId "${subject}" is of another subject` };
        return own === undefined ? named : { bound: { memoryId: own } };
      }
      const { externalId, memoryId, ...rest } = named;
      const { memories } = services.memory.ports;
      if (externalId !== undefined) {
        const [one] = await memories.memories(tenantId, { externalId }, "", 1);
        if (one === undefined) return { path: `${path}.externalId`, message: "no memory has this externalId" };
        return { bound: { memoryId: one.memoryId, ...rest }, ...ofAnother(path, one.subject, subject) };
      }
      const known = memoryId === undefined ? undefined : await memories.find(tenantId, memoryId);
      if (known === undefined) return { path: `${path}.memoryId`, message: "there is no such memory" };
      return { bound: { memoryId: known.memoryId, ...rest }, ...ofAnother(path, known.subject, subject) };
    }),
  );
  return {
    errors: found.flatMap((one) => (typeof one === "object" && "message" in one ? [one] : [])),
    warnings: found.flatMap((one) =>
      typeof one === "object" && "bound" in one && one.warning !== undefined ? [one.warning] : [],
    ),
    async bind() {
      const bound: BoundMemory[] = [];
      for (const one of found) {
        if (one === "subject") bound.push({ memoryId: await ensureSubjectMemory(tenantId, subject ?? "", services) });
        else if ("bound" in one) bound.push(one.bound);
      }
      const distinct = bound.filter(
        ({ memoryId }, at) => bound.findIndex((other) => other.memoryId === memoryId) === at,
      );
      return isList ? distinct : distinct[0];
    },
  };
}

interface Found {
  readonly bound: BoundMemory;
  readonly warning?: ProblemIssue;
}

/** A backend may bind any memory of its tenant; that what one end user said is recalled for another is seldom meant. */
function ofAnother(path: string, owner: string | undefined, subject: string | undefined): { warning?: ProblemIssue } {
  if (owner === undefined || owner === subject) return {};
  const message =
    subject === undefined
      ? "this memory is a subject's, and no subject is named here: whoever talks here is answered from it"
      : "this memory is another subject's: what it holds of them can be recalled here, and it may be written to";
  return { warning: { path, message } };
}

/** The answer that begins what is bound, with what may not be meant. */
export function withWarnings<T extends object>(
  begun: T,
  warnings: readonly ProblemIssue[],
): T & { warnings?: ProblemIssue[] } {
  return warnings.length === 0 ? begun : { ...begun, warnings: [...warnings] };
}

/** The vault that subjects' own memories are made in where nobody chose another. */
const subjectsVault = { vaultId: "vlt_subjects", title: "Memories of subjects" };

/** What a subject's own memory is called: by the subject, wherever that can be an externalId. */
async function nameOf(subject: string): Promise<string> {
  return externalIdSchema.safeParse(subject).success ? subject : `subject-${await sha256Hex(subject)}`;
}

/** The subject's own memory, if there is one; `other` where what has its name isn't about the subject. */
async function subjectMemory(
  tenantId: string,
  subject: string,
  { memory }: Memories,
): Promise<string | "other" | undefined> {
  const [own] = await memory.ports.memories.memories(tenantId, { externalId: await nameOf(subject) }, "", 1);
  if (own === undefined) return undefined;
  return own.subject === subject ? own.memoryId : "other";
}

/**
 * The subject's own memory, made if there is none: once, however many ask at the same time.
 * @param vaultId where it is made; a vault for all subjects, if left out
 */
export async function ensureSubjectMemory(
  tenantId: string,
  subject: string,
  { memory }: Memories,
  vaultId?: string,
): Promise<string> {
  const { memories } = memory.ports;
  if (vaultId === undefined) await memories.createVault(tenantId, subjectsVault.vaultId, subjectsVault.title);
  const definition = newMemorySchema.parse({ title: subject, subject, externalId: await nameOf(subject) });
  const ref = { tenantId, vaultId: vaultId ?? subjectsVault.vaultId, memoryId: newId("mem") };
  const made = (await memories.createMemory(ref, definition)).memory;
  if (made.subject === subject) return made.memoryId;
  throw problem("conflict", `The memory with the externalId "${definition.externalId}" is of another subject.`);
}
