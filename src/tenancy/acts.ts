/** Every act and what it needs: the one table. docs/security.md shows it, and a test keeps the two the same. */
import type { Role } from "../asks/ask.js";

/** A least role; or `deployment`, for who runs the deployment; or `system`, for the system's own work. */
export type Requirement = Exclude<Role, "user"> | "deployment" | "system";

interface ActDefinition {
  readonly role: Requirement;
  /** `settings.clientMay` of a tenant can let its clients do it too. */
  readonly clientMay?: true;
  /** An end user's token does it with what is its own subject's. */
  readonly ofSubject?: true;
}

/** Every act by its name. A new act is a line here; its file names itself with it, and its route too. */
export const acts = {
  beginSession: { role: "client", ofSubject: true },
  /** A session's memory and metadata: what tools are told of it. */
  equipSession: { role: "client" },
  /** Rules, references and tools beside those of the agent. */
  chooseSessionContext: { role: "operator", clientMay: true },
  listSessions: { role: "client", ofSubject: true },
  readSession: { role: "client", ofSubject: true },
  /** Its metadata, and its subject, once. */
  changeSession: { role: "client" },
  deleteSession: { role: "operator", clientMay: true },
  sendMessage: { role: "client", ofSubject: true },
  /** As OpenAI's clients talk to an agent: in a session, or with the conversation sent along. */
  completeChat: { role: "client", ofSubject: true },
  /** Instructions of the caller's own, behind those that are stored. */
  instructAgent: { role: "client" },
  /** An answer that was stored for its caller. */
  readResponse: { role: "client", ofSubject: true },
  deleteResponse: { role: "client", ofSubject: true },
  readTurn: { role: "client", ofSubject: true },
  /** A turn's story: what its supervisors, agents and tools said, as they said it. */
  readTurnTrace: { role: "operator" },
  cancelTurn: { role: "client", ofSubject: true },
  readTranscript: { role: "client", ofSubject: true },
  readVersions: { role: "client" },
  /** What messages said before their supervision, and before each change. */
  readOriginals: { role: "operator" },
  editMessage: { role: "operator", clientMay: true },
  restoreMessage: { role: "operator", clientMay: true },
  eraseMessage: { role: "operator", clientMay: true },
  readSessionContext: { role: "client" },
  // What a supervisor has excluded isn't included again by whom it was excluded for.
  changeSessionContext: { role: "operator", clientMay: true },
  restoreSessionContext: { role: "operator", clientMay: true },
  readSupervision: { role: "client" },
  followEvents: { role: "client", ofSubject: true },

  listAsks: { role: "client", ofSubject: true },
  readAsk: { role: "client", ofSubject: true },
  // Each ask says itself who may answer it.
  answerAsk: { role: "client", ofSubject: true },
  cancelAsk: { role: "client", ofSubject: true },

  /** What staff is asked: reviews, approvals, questions to staff. */
  answerStaffAsks: { role: "operator", clientMay: true },
  exportAudit: { role: "operator" },
  /** What an object could not deliver. */
  listParkedDeliveries: { role: "operator" },
  retryParkedDeliveries: { role: "operator" },

  startRun: { role: "client" },
  /** A run of a team that is sent along and not stored: its models, prompts and addresses are the caller's. */
  sendTeam: { role: "operator", clientMay: true },
  listRuns: { role: "client" },
  readRun: { role: "client" },
  readTrace: { role: "operator", clientMay: true },
  cancelRun: { role: "client" },

  startRoundtable: { role: "client" },
  /** A roundtable whose seats, tools, models or limits are sent along and not stored. */
  sendPanel: { role: "operator", clientMay: true },
  listRoundtables: { role: "client" },
  /** Its rounds, consensus, thoughts, citations, requests and export, too. */
  readRoundtable: { role: "client" },
  continueRoundtable: { role: "client" },
  /** Results of what its seats asked for. */
  giveContext: { role: "client" },
  synthesizeRoundtable: { role: "client" },
  controlRoundtable: { role: "client" },
  forkRoundtable: { role: "client" },

  putResource: { role: "operator" },
  /** Agents, supervisors and teams, by name and description. */
  readResource: { role: "client", ofSubject: true },
  listResources: { role: "client", ofSubject: true },
  /** Everything that is stored of a resource of any kind: instructions, rules, addresses. */
  readWholeResource: { role: "operator", clientMay: true },
  deleteResource: { role: "operator" },
  // What a remote server lists reaches every model that holds its tools.
  pinTools: { role: "operator" },
  readSigningSecret: { role: "admin" },
  listResourceVersions: { role: "operator" },
  readResourceVersion: { role: "operator" },
  compareResourceVersions: { role: "operator" },
  restoreResource: { role: "operator" },

  putChannel: { role: "operator" },
  readChannel: { role: "operator" },
  listChannels: { role: "operator" },
  deleteChannel: { role: "operator" },
  /** Gives a connection to a chat platform another address. */
  rotateChannelAddress: { role: "operator" },
  listChannelDeliveries: { role: "operator" },
  retryChannelDelivery: { role: "operator" },

  createVault: { role: "operator", clientMay: true },
  listVaults: { role: "client" },
  readVault: { role: "client" },
  deleteVault: { role: "admin" },
  createMemory: { role: "operator", clientMay: true },
  listMemories: { role: "client" },
  findMemories: { role: "client" },
  readMemory: { role: "client" },
  deleteMemory: { role: "operator", clientMay: true },
  startThread: { role: "operator", clientMay: true },
  recordMessages: { role: "operator", clientMay: true },
  endThread: { role: "operator", clientMay: true },
  readThread: { role: "client" },
  listThreads: { role: "client" },
  deleteThread: { role: "operator", clientMay: true },
  awaitConsistency: { role: "client" },
  listDeadLetters: { role: "operator" },
  retryDeadLetter: { role: "operator" },
  addEntry: { role: "operator", clientMay: true },
  listEntries: { role: "operator", clientMay: true },
  readEntry: { role: "operator", clientMay: true },
  tagEntry: { role: "operator", clientMay: true },
  correctEntry: { role: "operator", clientMay: true },
  deleteEntry: { role: "operator", clientMay: true },
  searchEntries: { role: "client" },
  readMemoryContext: { role: "operator", clientMay: true },
  writeMemoryContext: { role: "operator", clientMay: true },
  restoreMemoryContext: { role: "operator", clientMay: true },
  listContextVersions: { role: "operator", clientMay: true },
  readContextVersion: { role: "operator", clientMay: true },
  listContextSources: { role: "operator", clientMay: true },
  compareContextVersions: { role: "operator", clientMay: true },
  /** The rules of the memory agent. */
  readPrompts: { role: "operator", clientMay: true },

  // Where a tenant's events go.
  putWebhook: { role: "operator" },
  readWebhook: { role: "operator" },
  listWebhooks: { role: "operator" },
  deleteWebhook: { role: "operator" },
  listWebhookDeliveries: { role: "operator" },
  retryWebhookDelivery: { role: "operator" },
  testWebhook: { role: "operator" },

  mintToken: { role: "client" },
  revokeSubject: { role: "client" },
  readSettings: { role: "admin" },
  changeSettings: { role: "admin" },
  createOwnKey: { role: "admin" },
  listOwnKeys: { role: "admin" },
  deleteOwnKey: { role: "admin" },
  readUsage: { role: "admin" },

  createTenant: { role: "deployment" },
  listTenants: { role: "deployment" },
  readTenant: { role: "deployment" },
  changeTenant: { role: "deployment" },
  deleteTenant: { role: "deployment" },
  createKey: { role: "deployment" },
  listKeys: { role: "deployment" },
  deleteKey: { role: "deployment" },
  runMaintenance: { role: "deployment" },

  flushThread: { role: "system" },
  deliverWebhooks: { role: "system" },
  keepDeadLetter: { role: "system" },
  /** What a chat platform has signed. */
  receiveChannelEvents: { role: "system" },
} as const satisfies Readonly<Record<string, ActDefinition>>;
export type Act = keyof typeof acts;

const definitions: Readonly<Record<Act, ActDefinition>> = acts;

export function requirementOf(act: Act): ActDefinition {
  return definitions[act];
}

/** The acts that `settings.clientMay` may name. */
export const widenableActs: readonly string[] = Object.entries(definitions).flatMap(([act, { clientMay }]) =>
  clientMay ? [act] : [],
);
