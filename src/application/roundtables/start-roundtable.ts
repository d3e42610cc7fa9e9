/** Begin a roundtable: of a stored panel, of a mode with a number of seats, or of seats that are sent along. */
import { ok, type ProblemIssue, type Result, refuse } from "../../conversation/problem.js";
import { newId } from "../../platform/ids.js";
import type { Panel } from "../../roundtable/panel.js";
import {
  bringsPanel,
  type NewRoundtable,
  panelOf,
  type Roundtable,
  type RoundtableDefinition,
} from "../../roundtable/roundtable.js";
import { keyOf } from "../../stores/reader-store.js";
import type { ResourceReader } from "../../stores/tenant-snapshots.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { resourceSchemas } from "../../tenancy/resources.js";
import { claimId, externalIdTaken } from "../creation.js";
import { missingNames, missingTools, namedAt, notStored } from "../name-checks.js";
import { checkPanel, mentionsOfPanel } from "../panel-checks.js";
import type { Services } from "../services.js";
import { shownTo } from "./roundtable-view.js";

export interface RoundtableInput {
  readonly start: NewRoundtable;
  /** How long its first round is waited for, in milliseconds. */
  readonly waitMs: number;
  /** A roundtable begun twice under one key is one roundtable. */
  readonly idempotencyKey?: string | undefined;
}

export async function startRoundtable(
  actor: Actor,
  { start, waitMs, idempotencyKey }: RoundtableInput,
  services: Services,
): Promise<Result<Roundtable>> {
  const allowed = authorize(actor, "startRoundtable");
  if (!allowed.ok) return allowed;
  if (bringsPanel(start)) {
    const maySend = authorize(actor, "sendPanel");
    if (!maySend.ok) return maySend;
  }
  const { tenantId, revision } = actor;
  const { resources } = services.snapshots.at(revision);
  const stored = start.panel === undefined ? undefined : await panelNamed(resources, tenantId, start.panel);
  if (start.panel !== undefined && stored === undefined) {
    return invalid([{ path: "panel", message: notStored("panels", start.panel) }]);
  }
  const read = panelOf(start, stored);
  if ("problems" in read) return invalid(read.problems);
  const errors = await missingParts(tenantId, start, read.panel, { resources, memory: services.memory });
  if (errors.length > 0) return invalid(errors);

  const definition = definitionOf(start, read.panel);
  const claimed = await claimId(actor, newId("rt"), { request: start, idempotencyKey }, services);
  if (!claimed.ok) return claimed;
  const id = await claimExternalId(tenantId, claimed.value, definition.externalId, services);
  if (!id.ok) return id;
  const identity = { tenantId, roundtableId: id.value, keyId: keyOf(actor), revision };
  return shownTo(actor, await services.roundtables.start(identity, definition, waitMs));
}

/** A stored panel as it counts now. */
async function panelNamed(resources: ResourceReader, tenantId: string, name: string): Promise<Panel | undefined> {
  const pins = await resources.pins(tenantId, [{ kind: "panels", name }]);
  const [stored] = await resources.versions(
    tenantId,
    pins.filter((pin) => pin.kind === "panels"),
  );
  return stored === undefined ? undefined : resourceSchemas.panels.parse(stored.body);
}

function definitionOf(start: NewRoundtable, panel: Panel): RoundtableDefinition {
  const { topic, supervisors, subject, externalId, metadata } = start;
  return {
    topic,
    panelName: start.panel ?? "inline",
    panel,
    supervisors,
    metadata,
    ...(subject === undefined ? {} : { subject }),
    ...(externalId === undefined ? {} : { externalId }),
  };
}

function invalid(errors: readonly ProblemIssue[]): Result<never> {
  return refuse("invalid", "The roundtable can't be begun like this; see errors.", { errors });
}

/** The id to begin it under: its own, or one that a crash left with the same externalId and without a roundtable. */
async function claimExternalId(
  tenantId: string,
  id: string,
  externalId: string | undefined,
  { claims, roundtables }: Services,
): Promise<Result<string>> {
  if (externalId === undefined) return ok(id);
  const owner = await claims.claimExternalId(tenantId, "roundtables", externalId, id);
  if (owner === id) return ok(id);
  return (await roundtables.describe(tenantId, owner, 0)).ok ? externalIdTaken(externalId, owner) : ok(owner);
}

/** Everything that it names has to exist when it begins. */
async function missingParts(
  tenantId: string,
  { supervisors }: NewRoundtable,
  panel: Panel,
  { resources, memory }: { readonly resources: ResourceReader } & Pick<Services, "memory">,
): Promise<ProblemIssue[]> {
  const { names, tools } = mentionsOfPanel(panel);
  const [absentNames, absentTools, unusable] = await Promise.all([
    missingNames(resources, tenantId, [...namedAt("supervisors", "supervisors", supervisors), ...names]),
    missingTools(resources, tenantId, tools),
    checkPanel(panel, tenantId, memory),
  ]);
  const all = [...absentNames, ...absentTools, ...unusable];
  return all.filter(({ path }, index) => all.findIndex((issue) => issue.path === path) === index);
}
