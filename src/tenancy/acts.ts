/** What an act asks of who performs it, and which acts a tenant's settings can let its clients do. The acts themselves stand in `src/application`. */
import type { Role } from "../asks/ask.js";

/** A least role; or `person`, for what somebody who signed in does of their own; or `deployment`, for who runs the deployment; or `system`, for the system's own work. */
export type Requirement = Exclude<Role, "user"> | "person" | "deployment" | "system";

/** What is asked of an actor before an act, or for a part of one. */
export interface Permission {
  /** The name of the act. */
  readonly act: string;
  readonly role: Requirement;
  /** `settings.clientMay` of a tenant can let its clients do it too. */
  readonly clientMay?: true | undefined;
  /** An end user's token does it with what is its own subject's. */
  readonly ofSubject?: true | undefined;
  /** People of role reviewer do it. */
  readonly reviewers?: true | undefined;
}

/** The acts that `settings.clientMay` may name. Tenants' rows hold these names: they stay. */
export const widenableActs = [
  "chooseSessionContext",
  "superviseSession",
  "deleteSession",
  "editMessage",
  "restoreMessage",
  "eraseMessage",
  "changeSessionContext",
  "restoreSessionContext",
  "answerStaffAsks",
  "sendTeam",
  "readTrace",
  "sendPanel",
  "readWholeResource",
  "createVault",
  "createMemory",
  "changeMemory",
  "deleteMemory",
  "startThread",
  "recordMessages",
  "endThread",
  "deleteThread",
  "addEntry",
  "listEntries",
  "readEntry",
  "tagEntry",
  "correctEntry",
  "deleteEntry",
  "readMemoryContext",
  "writeMemoryContext",
  "restoreMemoryContext",
  "listContextVersions",
  "readContextVersion",
  "listContextSources",
  "compareContextVersions",
  "readPrompts",
] as const;
export type WidenableAct = (typeof widenableActs)[number];
