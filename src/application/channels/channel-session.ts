/** The session of a conversation in a chat, and under whose name things are done in it. */
import type { ChannelKind, OpenConnection } from "../../channels/connection.js";
import type { InboundEvent } from "../../channels/inbound.js";
import { newSessionSchema } from "../../chat/session.js";
import { defined } from "../../conversation/defined.js";
import { attempt, ok, type Result, refuse } from "../../conversation/problem.js";
import type { ConversationIdentity } from "../../gateways/channel-gateway.js";
import { newMemorySchema } from "../../memory/memory.js";
import type { Actor } from "../../tenancy/actor.js";
import { ensureSubjectMemory } from "../memory/bind-memories.js";
import { findVault } from "../memory/find-memory.js";
import { ensureMemory } from "../memory/manage-memories.js";
import type { Services } from "../services.js";
import { ensureSession } from "../sessions/begin-session.js";
import { conversationName, personName } from "./channel-names.js";

/** The connection itself, as the operator who stored it set it up. */
export function connectionActor({ tenantId, channelId }: Pick<OpenConnection, "tenantId" | "channelId">): Actor {
  return { tenantId, kind: "channel", id: channelId, role: "operator" };
}

/** Who wrote or pressed something; in the reviewers' conversation that is staff. */
export async function personActor(
  { tenantId, connection }: OpenConnection,
  { user, direct }: Pick<InboundEvent, "user" | "direct">,
  isStaff: boolean,
): Promise<Actor> {
  const id = await personName(connection.kind, user.id);
  const subject = direct && !isStaff ? { subject: subjectOf(connection.kind, id) } : {};
  return { tenantId, kind: "channel", id, role: isStaff ? "operator" : "client", ...subject };
}

/** The end user's name: of a channel of our own it is the application's. */
function subjectOf(kind: ChannelKind, person: string): string {
  return kind === "generic" ? person.slice("generic:".length) : person;
}

export interface ConversationSession {
  readonly identity: ConversationIdentity;
  /** Grows with each session that is begun anew. */
  readonly generation: number;
  readonly event: InboundEvent;
}

/** The session of a conversation, begun if there is none, and told to show there what happens in it. */
export async function sessionOfConversation(
  open: OpenConnection,
  { identity, generation, event }: ConversationSession,
  services: Services,
): Promise<Result<string>> {
  const actor = await personActor(open, event, false);
  const memory = await memoryOf(open, identity, actor.subject, services);
  if (!memory.ok) return memory;
  const { agent, kind } = open.connection;
  const definition = newSessionSchema.parse({
    agent,
    whileWaiting: "answer",
    metadata: { channel: kind, connection: open.name },
    ...defined({ subject: actor.subject }),
    ...(memory.value === undefined ? {} : { memory: { memoryId: memory.value } }),
  });
  const externalId = await conversationName(identity.channelId, identity.conversation, generation);
  const ensured = await attempt(() => ensureSession(actor, { externalId, definition }, services));
  if (!ensured.ok) return ensured;
  const { sessionId, begunBy } = ensured.value.session;
  if (begunBy === "user") return refuse("conflict", "An end user began a session under this conversation's name.");
  const shown = await services.sessions.showIn(identity.tenantId, sessionId, identity);
  return shown.ok ? ok(sessionId) : shown;
}

async function memoryOf(
  open: OpenConnection,
  { channelId, conversation }: ConversationIdentity,
  subject: string | undefined,
  services: Services,
): Promise<Result<string | undefined>> {
  const { memory, kind } = open.connection;
  if (memory === undefined) return ok(undefined);
  if ("memoryId" in memory) return ok(memory.memoryId);
  const actor = connectionActor(open);
  const { vaultId } = memory;
  return attempt(async () => {
    // A person's memory is the same wherever they are known by this name; that of a group is the conversation's.
    if (subject !== undefined) {
      await findVault(actor, memory, services.memory.ports.memories);
      return ensureSubjectMemory(actor.tenantId, subject, services, vaultId);
    }
    const externalId = await conversationName(channelId, conversation, 1);
    const definition = newMemorySchema.parse({ title: `${kind}: ${conversation}`.slice(0, 200) });
    return (await ensureMemory(actor, { vaultId, externalId, memory: definition }, services)).memory.memoryId;
  });
}
