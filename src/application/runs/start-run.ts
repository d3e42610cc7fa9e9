/** Have a team work on an input: the team by its name, or sent along. */
import { builtInServer } from "../../agent/tools.js";
import { ok, type ProblemIssue, type Result, refuse } from "../../conversation/problem.js";
import { sha256Hex } from "../../platform/digest.js";
import { newId } from "../../platform/ids.js";
import type { NewRun, Run } from "../../routing/run.js";
import { memoriesOf } from "../../routing/team.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { withAsksFor } from "../asks/ask-view.js";
import { missingNames, missingTools, namedAt } from "../name-checks.js";
import type { Services } from "../services.js";
import { checkMemories, checkTeam } from "../team-checks.js";
import { pinTeams } from "../team-loader.js";

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
  const errors = await missingParts(actor.tenantId, definition, services);
  if (errors.length > 0) {
    return refuse("invalid", "The run names things that don't exist or can't be used; see errors.", { errors });
  }
  const runId = await claimRunId(actor.tenantId, input, services);
  if (!runId.ok) return runId;
  const run = await services.runs.start(actor.tenantId, runId.value, definition, waitMs);
  return run.ok ? ok(withAsksFor(actor, run.value)) : run;
}

/** A new run's id, or the id of the run that was sent under this key before. */
async function claimRunId(
  tenantId: string,
  { definition, idempotencyKey }: RunInput,
  { runIndex }: Services,
): Promise<Result<string>> {
  const runId = newId("run");
  if (idempotencyKey === undefined) return ok(runId);
  const hash = await sha256Hex(JSON.stringify(definition));
  const claim = await runIndex.claimKey(tenantId, idempotencyKey, hash, runId);
  if (claim.sameRequest) return ok(claim.runId);
  return refuse("idempotency_conflict", "This Idempotency-Key came with another run before. Use a new key.");
}

/** Everything that a run names has to exist when it begins. */
async function missingParts(
  tenantId: string,
  { team, supervisors, memory }: NewRun,
  { resources, policy, memory: memories }: Services,
): Promise<ProblemIssue[]> {
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
    ...pinned.missing.map((name) => ({
      path: "team",
      message: `there is no teams/${name}; store it at PUT /v1/teams/${name}`,
    })),
    ...absentTools,
    ...absentNames,
    ...(isMissing ? [{ path: "memory.memoryId", message: "there is no such memory" }] : []),
    ...(typeof team === "string" ? [] : checkTeam(team, policy, "team")),
    ...(typeof team === "string" ? [] : await checkMemories(memories, tenantId, memoriesOf(team), "team")),
  ];
}
