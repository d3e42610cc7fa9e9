/**
 * The versions of a message: what it said, who made it say that, by which verdict and why. Their digests are a chain, each made with
 * the one before it, so that it still tells what there was when the texts are erased.
 */
import { z } from "zod";
import { authorText, storedAuthorSchema } from "../conversation/actor-record.js";
import { defined } from "../conversation/defined.js";
import { type ChatMessage, chatMessageSchema, type ToolCallResult } from "../conversation/message.js";
import { editOperationsSchema } from "../supervision/structural-edit.js";
import { lazily } from "../text/lazily.js";
import { diffPartSchema, wordDiff } from "../text/word-diff.js";

export const messageVersionSchema = z.object({
  version: z.int(),
  /** Absent when it was erased, and for those who may not read it. */
  message: chatMessageSchema.optional(),
  /** Who made it say that: its sender, the agent, supervisors (all their names), or who edited, restored or erased it. */
  author: storedAuthorSchema,
  decision: z.enum(["original", "allow", "modify", "review", "block", "edited", "restored", "erased"]),
  reasons: z.array(z.string()),
  at: z.iso.datetime(),
  /** The salted digest of the text; of a reply what an edit of this version names as its base. */
  hash: z.string(),
  /** The digest of the version and of the chain before it. */
  chain: z.string(),
  /** What is different from the version before. */
  diff: z.array(diffPartSchema).optional(),
});
export type MessageVersion = z.infer<typeof messageVersionSchema>;

/** An edit of a reply, as a person sends it. */
export const messageEditSchema = lazily(() =>
  z.strictObject({
    operations: editOperationsSchema(),
    /** The hash of the version that the operations were written for. */
    baseHash: z.string().min(1).max(200),
    reason: z.string().min(1).max(2_000).optional(),
  }),
);
export type MessageEdit = z.infer<ReturnType<typeof messageEditSchema>>;

/** A version before its place in the chain is known. */
export type UnlinkedVersion = Pick<MessageVersion, "author" | "decision" | "reasons" | "at"> & {
  readonly message: ChatMessage;
};

/** What a version's link of the chain is the digest of: this text is documented, so that anybody can look the chain over. */
export function linkText(before: string, version: Omit<MessageVersion, "chain">): string {
  const { version: number, author, decision, at, hash } = version;
  return JSON.stringify([before, number, authorText(author), decision, at, hash]);
}

export interface Digests {
  readonly ofMessage: (message: ChatMessage) => Promise<string>;
  readonly ofText: (text: string) => Promise<string>;
}

/** Oldest first. */
export async function chainOf(changes: readonly UnlinkedVersion[], digests: Digests): Promise<MessageVersion[]> {
  const versions: MessageVersion[] = [];
  let before: ChatMessage | undefined;
  for (const change of changes) {
    const diff = before === undefined ? undefined : wordDiff(readable(before), readable(change.message));
    const unlinked = { ...change, version: versions.length + 1, hash: await digests.ofMessage(change.message) };
    versions.push({ ...(await linked(versions, unlinked, digests)), ...defined({ diff }) });
    before = change.message;
  }
  return versions;
}

/** The versions with one more at their end, which says that all of them were erased: who, when, in what order and by which digests stays. */
export async function erasedVersions(
  versions: readonly MessageVersion[],
  by: Pick<MessageVersion, "author" | "at">,
  digests: Pick<Digests, "ofText">,
): Promise<MessageVersion[]> {
  const left = versions.map(({ message: _, diff: __, ...kept }) => kept);
  const last = { ...by, version: left.length + 1, decision: "erased" as const, reasons: [], hash: "" };
  return [...left, await linked(left, last, digests)];
}

async function linked(
  before: readonly Pick<MessageVersion, "chain">[],
  version: Omit<MessageVersion, "chain">,
  digests: Pick<Digests, "ofText">,
): Promise<MessageVersion> {
  return { ...version, chain: await digests.ofText(linkText(before.at(-1)?.chain ?? "", version)) };
}

/** As somebody may read them who may not read originals: the text that holds now, and of all others that they were. */
export function withoutOriginals(versions: readonly MessageVersion[]): MessageVersion[] {
  return versions.map(({ diff: _, ...version }, index) => {
    if (index === versions.length - 1) return version;
    const { message: __, ...kept } = version;
    return kept;
  });
}

/** What replaces a message whose text was erased. */
export function erasedMessage(message: ChatMessage): ChatMessage {
  const { messageId, role, createdAt } = message;
  const time = createdAt === undefined ? {} : { createdAt };
  if (role !== "assistant") return { messageId, role, content: erasedText, ...time, erased: true };
  const { timestamp } = message.modelReply;
  const turns = [{ turnId: `${messageId}.0`, message: erasedText }];
  return { messageId, role, modelReply: { timestamp, turns }, ...time, erased: true };
}

const erasedText = "[erased]";

/** A message as a person would compare it: its texts, and the tool calls with their outputs. */
function readable(message: ChatMessage): string {
  if (message.role !== "assistant") return message.content;
  return message.modelReply.turns
    .flatMap((turn) => [turn.message, turn.error, ...(turn.toolCalls ?? []).map(readableCall)])
    .filter((part) => part !== undefined && part !== "")
    .join("\n");
}

function readableCall({ server, tool, args, output, error }: ToolCallResult): string {
  return `${server}/${tool} ${JSON.stringify(args)} → ${output ?? error ?? ""}`;
}
