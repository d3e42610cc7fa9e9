/** Which act needs what: the one table, and the one function that reads it. Every act of `application/` asks here first. */
import { type Role, roles } from "../asks/ask.js";
import { ok, type Result, refuse } from "../conversation/problem.js";
import { type Actor, deploymentScope } from "./actor.js";

/** A least role; or `deployment`, for who runs the deployment; or `system`, for the system's own work. */
export type Requirement = Role | "deployment" | "system";

/** Every act by its name. A new act is a line here; its file names itself with it. */
export const acts = {
  beginSession: { role: "client" },
  listSessions: { role: "client" },
  readSession: { role: "client" },
  deleteSession: { role: "client" },
  sendMessage: { role: "client" },
  readTurn: { role: "client" },
  cancelTurn: { role: "client" },
  readTranscript: { role: "client" },
  readVersions: { role: "client" },
  editMessage: { role: "operator" },
  restoreMessage: { role: "operator" },
  eraseMessage: { role: "operator" },
  readSessionContext: { role: "client" },
  // What a supervisor has excluded isn't included again by whom it was excluded for.
  changeSessionContext: { role: "operator" },
  restoreSessionContext: { role: "operator" },
  readSupervision: { role: "client" },
  followEvents: { role: "client" },

  listAsks: { role: "client" },
  readAsk: { role: "client" },
  // Each ask says itself who may answer it.
  answerAsk: { role: "client" },
  cancelAsk: { role: "client" },

  startRun: { role: "client" },
  listRuns: { role: "client" },
  readRun: { role: "client" },
  readTrace: { role: "client" },
  cancelRun: { role: "client" },

  putResource: { role: "operator" },
  readResource: { role: "client" },
  listResources: { role: "client" },
  deleteResource: { role: "operator" },

  createVault: { role: "client" },
  listVaults: { role: "client" },
  readVault: { role: "client" },
  deleteVault: { role: "client" },
  createMemory: { role: "client" },
  listMemories: { role: "client" },
  readMemory: { role: "client" },
  deleteMemory: { role: "client" },
  startThread: { role: "client" },
  recordMessages: { role: "client" },
  endThread: { role: "client" },
  readThread: { role: "client" },
  awaitConsistency: { role: "client" },
  listDeadLetters: { role: "client" },
  retryDeadLetter: { role: "client" },
  addEntry: { role: "client" },
  listEntries: { role: "client" },
  readEntry: { role: "client" },
  tagEntry: { role: "client" },
  correctEntry: { role: "client" },
  deleteEntry: { role: "client" },
  searchEntries: { role: "client" },
  readMemoryContext: { role: "client" },
  writeMemoryContext: { role: "client" },
  restoreMemoryContext: { role: "client" },
  listContextVersions: { role: "client" },
  readContextVersion: { role: "client" },
  listContextSources: { role: "client" },
  compareContextVersions: { role: "client" },

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
  keepDeadLetter: { role: "system" },
} as const satisfies Readonly<Record<string, { readonly role: Requirement }>>;
export type Act = keyof typeof acts;

/**
 * Whether an actor may do an act at all, whatever it is about. Acts look after the rest: that what is named belongs to the
 * actor's tenant, and what of it the actor sees.
 *
 * @example
 * const allowed = authorize(actor, "editMessage");
 * if (!allowed.ok) return allowed;
 */
export function authorize(actor: Actor, act: Act): Result<void> {
  const needed = requirementOf(act);
  switch (needed) {
    case "deployment":
      return isSystem(actor) && actor.tenantId === deploymentScope ? ok(undefined) : forDeployment;
    case "system":
      return isSystem(actor) && actor.tenantId !== deploymentScope ? ok(undefined) : forSystem;
    case "client":
    case "operator":
    case "admin":
      return hasRole(actor, needed) ? ok(undefined) : tooLow(actor, needed);
  }
}

function requirementOf(act: Act): Requirement {
  return acts[act].role;
}

/** Whether an actor's role is this one, or one above it. */
export function hasRole({ role }: Actor, needed: Role): boolean {
  return role !== undefined && roles.indexOf(role) >= roles.indexOf(needed);
}

function isSystem({ kind }: Actor): boolean {
  return kind === "system";
}

function tooLow({ role }: Actor, needed: Role): Result<never> {
  const own = role === undefined ? "this has none" : `yours is of role ${role}`;
  return refuse("forbidden", `This needs a key of role ${needed}; ${own}.`);
}

const forDeployment = refuse("forbidden", "This needs the deployment's ADMIN_SECRET.");
const forSystem = refuse("forbidden", "Only the system itself does this.");
