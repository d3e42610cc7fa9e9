/** Have a team work on an input: the team by its name, or sent along. */

import { builtInServer } from "../../agent/tools.js";
import { need, type ProblemIssue, problem } from "../../conversation/problem.js";
import { sha256Hex } from "../../platform/digest.js";
import { newId } from "../../platform/ids.js";
import type { NewRun } from "../../routing/run.js";
import { memoriesOf } from "../../routing/team.js";
import { keyOf } from "../../stores/reader-store.js";
import { type Actor, ownKey } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { referencesIn } from "../../tenancy/secrets.js";
import { act, permission } from "../act.js";
import { externalIdTaken } from "../creation.js";
import { openStream } from "../events/follow-events.js";
import { findMemoriesToBind, withWarnings } from "../memory/bind-memories.js";
import { missingNames, missingTools, namedAt, notStored } from "../name-checks.js";
import type { Services } from "../services.js";
import { checkMemories, checkTeam } from "../team-checks.js";
import { pinTeams } from "../team-loader.js";
import { runFor } from "./run-for.js";

export interface RunInput {
  readonly definition: NewRun;
  /** How long its end is waited for, in milliseconds. */
  readonly waitMs: number;
}

/** A run of a team that is sent along and not stored: its models, prompts and addresses are the caller's. */
export const sendTeam = permission("sendTeam", { role: "operator", clientMay: true });

/** A run sent twice under one key is one run. */
export const startRun = act("startRun", {
  role: "client",
  run: async (actor, { definition, waitMs }: RunInput, services) => {
    if (typeof definition.team !== "string") need(authorize(actor, sendTeam));
    const { tenantId, revision, measures } = actor;
    const memories = await findMemoriesToBind(tenantId, definition, services);
    const errors = [...(await missingParts(actor, definition, services)), ...memories.errors];
    if (errors.length > 0) {
      throw problem("invalid", "The run names things that don't exist or can't be used; see errors.", { errors });
    }
    const claimed = await claimRunId(actor, definition, services);
    const runId = await claimExternalId(tenantId, claimed, definition, services);
    const identity = { tenantId, runId, keyId: keyOf(actor), revision, measures };
    const begun = { ...definition, memory: await memories.bind() };
    return withWarnings(runFor(actor, need(await services.runs.start(identity, begun, waitMs))), memories.warnings);
  },
});

/** Starts a run and returns its events, as server-sent events: from the first one, until nothing goes on any more. */
export async function streamRun(
  actor: Actor,
  definition: NewRun,
  services: Services,
): Promise<ReadableStream<Uint8Array>> {
  const { runId } = await startRun(actor, { definition, waitMs: 0 }, services);
  return openStream(actor, { kind: "run", id: runId }, { after: 0, lingerMs: 0 }, services);
}

/** The id to start the run under: its own, or one that a crash left with the same externalId and without a run. */
async function claimExternalId(
  tenantId: string,
  runId: string,
  { externalId }: NewRun,
  { claims, runs }: Services,
): Promise<string> {
  if (externalId === undefined) return runId;
  const owner = await claims.claimExternalId(tenantId, "runs", externalId, runId);
  if (owner === runId) return runId;
  if ((await runs.describe(tenantId, owner, 0)).ok) throw externalIdTaken(externalId, owner);
  return owner;
}

/** A new run's id, or the id of the run that was sent under this key before. */
async function claimRunId(actor: Actor, definition: NewRun, { runIndex }: Services): Promise<string> {
  const runId = newId("run");
  const key = ownKey(actor, actor.command?.key);
  if (key === undefined) return runId;
  const hash = await sha256Hex(JSON.stringify(definition));
  const claim = await runIndex.claimKey(actor.tenantId, key, hash, runId);
  if (claim.sameRequest) return claim.runId;
  throw problem("idempotency_conflict", "This Idempotency-Key came with another run before. Use a new key.");
}

/** Everything that a run names has to exist when it begins. */
async function missingParts(
  { tenantId, revision }: Actor,
  { team, supervisors }: NewRun,
  { snapshots, policy, memory: memories }: Services,
): Promise<ProblemIssue[]> {
  const { resources } = snapshots.at(revision);
  const pinned = await pinTeams(resources, tenantId, team);
  const names = [
    ...namedAt("supervisors", "supervisors", supervisors),
    ...pinned.supervisors.map((name) => ({ path: "team.supervisors", kind: "supervisors" as const, name })),
  ];
  // Those of the system are checked with the team itself.
  const tools = pinned.tools.filter(({ server }) => server !== builtInServer);
  const [absentNames, absentTools] = await Promise.all([
    missingNames(resources, tenantId, names),
    missingTools(
      resources,
      tenantId,
      tools.map((ref) => ({ path: "team.tools", ref })),
    ),
  ]);
  // Who sends a team says where its secrets go: those that are stored are for what operators store.
  const named = typeof team === "string" ? [] : referencesIn(team);
  return [
    ...named.map(({ path }) => ({
      path: `team.${path}`,
      message: "a team that is sent along names no stored secret: store the team, or send the secret itself",
    })),
    ...pinned.missing.map(({ kind, name }) => ({
      path: "team",
      message: notStored(kind, name),
    })),
    ...absentTools,
    ...absentNames,
    ...(typeof team === "string" ? [] : checkTeam(team, policy, "team")),
    ...(typeof team === "string" ? [] : await checkMemories(memories, tenantId, memoriesOf(team), "team")),
  ];
}
