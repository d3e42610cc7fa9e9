/** Have a team work on an input: the team by its name, or sent along. */
import { builtInServer } from "../../agent/tools.js";
import { ok, type ProblemIssue, type Result, refuse } from "../../conversation/problem.js";
import { sha256Hex } from "../../platform/digest.js";
import { newId } from "../../platform/ids.js";
import type { NewRun, Run } from "../../routing/run.js";
import { memoriesOf } from "../../routing/team.js";
import { keyOf } from "../../stores/reader-store.js";
import { type Actor, ownKey } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { externalIdTaken } from "../creation.js";
import { openStream } from "../events/follow-events.js";
import { missingNames, missingTools, namedAt, notStored } from "../name-checks.js";
import type { Services } from "../services.js";
import { checkMemories, checkTeam } from "../team-checks.js";
import { pinTeams } from "../team-loader.js";
import { runFor } from "./run-for.js";

export interface RunInput {
  readonly definition: NewRun;
  /** How long its end is waited for, in milliseconds. */
  readonly waitMs: number;
  /** A run sent twice under one key is one run. */
  readonly idempotencyKey?: string | undefined;
}

export async function startRun(actor: Actor, input: RunInput, services: Services): Promise<Result<Run>> {
  const allowed = authorize(actor, "startRun");
  if (!allowed.ok) return allowed;
  const { definition, waitMs } = input;
  if (typeof definition.team !== "string") {
    const maySend = authorize(actor, "sendTeam");
    if (!maySend.ok) return maySend;
  }
  const errors = await missingParts(actor, definition, services);
  if (errors.length > 0) {
    return refuse("invalid", "The run names things that don't exist or can't be used; see errors.", { errors });
  }
  const claimed = await claimRunId(actor, input, services);
  if (!claimed.ok) return claimed;
  const runId = await claimExternalId(actor.tenantId, claimed.value, definition, services);
  if (!runId.ok) return runId;
  const { tenantId, revision } = actor;
  const identity = { tenantId, runId: runId.value, keyId: keyOf(actor), revision };
  const run = await services.runs.start(identity, definition, waitMs);
  return run.ok ? ok(runFor(actor, run.value)) : run;
}

/** Starts a run and gives its events, as server-sent events: from the first one, until nothing goes on any more. */
export async function streamRun(
  actor: Actor,
  input: Omit<RunInput, "waitMs">,
  services: Services,
): Promise<Result<ReadableStream<Uint8Array>>> {
  const run = await startRun(actor, { ...input, waitMs: 0 }, services);
  if (!run.ok) return run;
  return openStream(actor, { kind: "run", id: run.value.runId }, { after: 0, lingerMs: 0 }, services);
}

/** The id to start the run under: its own, or one that a crash left with the same externalId and without a run. */
async function claimExternalId(
  tenantId: string,
  runId: string,
  { externalId }: NewRun,
  { claims, runs }: Services,
): Promise<Result<string>> {
  if (externalId === undefined) return ok(runId);
  const owner = await claims.claimExternalId(tenantId, "runs", externalId, runId);
  if (owner === runId) return ok(runId);
  return (await runs.describe(tenantId, owner, 0)).ok ? externalIdTaken(externalId, owner) : ok(owner);
}

/** A new run's id, or the id of the run that was sent under this key before. */
async function claimRunId(
  actor: Actor,
  { definition, idempotencyKey }: RunInput,
  { runIndex }: Services,
): Promise<Result<string>> {
  const runId = newId("run");
  const key = ownKey(actor, idempotencyKey);
  if (key === undefined) return ok(runId);
  const hash = await sha256Hex(JSON.stringify(definition));
  const claim = await runIndex.claimKey(actor.tenantId, key, hash, runId);
  if (claim.sameRequest) return ok(claim.runId);
  return refuse("idempotency_conflict", "This Idempotency-Key came with another run before. Use a new key.");
}

/** Everything that a run names has to exist when it begins. */
async function missingParts(
  { tenantId, revision }: Actor,
  { team, supervisors, memory }: NewRun,
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
  const isMissing = memory !== undefined && !(await memories.memory(tenantId, memory.memoryId)).ok;
  return [
    ...pinned.missing.map(({ kind, name }) => ({
      path: "team",
      message: notStored(kind, name),
    })),
    ...absentTools,
    ...absentNames,
    ...(isMissing ? [{ path: "memory.memoryId", message: "there is no such memory" }] : []),
    ...(typeof team === "string" ? [] : checkTeam(team, policy, "team")),
    ...(typeof team === "string" ? [] : await checkMemories(memories, tenantId, memoriesOf(team), "team")),
  ];
}
