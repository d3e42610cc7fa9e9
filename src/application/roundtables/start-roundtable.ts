/** Begin a roundtable: of a stored panel, of a mode with a number of seats, or of seats that are sent along. */
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import { need, type ProblemError, type ProblemIssue, problem } from "../../conversation/problem.js";
import { newId } from "../../platform/ids.js";
import type { Panel } from "../../roundtable/panel.js";
import {
  bringsPanel,
  type NewRoundtable,
  newRoundtableSchema,
  panelOf,
  type RoundtableDefinition,
  roundtableSchema,
} from "../../roundtable/roundtable.js";
import { keyOf } from "../../stores/reader-store.js";
import type { ResourceReader } from "../../stores/tenant-snapshots.js";
import { authorize } from "../../tenancy/authority.js";
import { resourceSchemas } from "../../tenancy/resources.js";
import { act, permission } from "../act.js";
import { claimId, externalIdTaken } from "../creation.js";
import { findMemoriesToBind, withWarnings } from "../memory/bind-memories.js";
import { missingNames, missingTools, namedAt, notStored } from "../name-checks.js";
import type { Services } from "../services.js";
import { checkPanel, mentionsOfPanel } from "../team-checks.js";
import { commandAnswer, roundtableTag, seenBy, waitInput } from "./roundtable-view.js";

/** A roundtable whose seats, tools, models or limits are sent along and not stored. */
export const sendPanel = permission("sendPanel", { role: "operator", clientMay: true });

/** A roundtable begun twice under one key is one roundtable. */
export const startRoundtable = act("startRoundtable", {
  role: "client",
  route: {
    method: "post",
    path: "/v1/roundtables",
    tag: roundtableTag,
    summary: "Have a panel debate a topic; the first round begins at once",
    body: "start",
    answer: "The roundtable, after its first round",
    status: 201,
    other: { ...commandAnswer.other, answer: "The roundtable, whose first round still runs" },
    location: "/v1/roundtables/{sessionId}",
  },
  input: () => z.object({ start: newRoundtableSchema.safeExtend(waitInput()) }),
  output: () => roundtableSchema,
  run: async (actor, { start: { waitMs, ...start } }, services) => {
    if (bringsPanel(start)) need(authorize(actor, sendPanel));
    const { tenantId, revision, measures } = actor;
    const { resources } = services.snapshots.at(revision);
    const stored = start.panel === undefined ? undefined : await panelNamed(resources, tenantId, start.panel);
    if (start.panel !== undefined && stored === undefined) {
      throw invalid([{ path: "panel", message: notStored("panels", start.panel) }]);
    }
    const read = panelOf(start, stored);
    if ("problems" in read) throw invalid(read.problems);
    const memories = await findMemoriesToBind(tenantId, start, services);
    const missing = await missingParts(tenantId, start, read.panel, { resources, memory: services.memory });
    const errors = [...missing, ...memories.errors];
    if (errors.length > 0) throw invalid(errors);

    const definition = definitionOf(start, read.panel);
    const claimed = await claimId(actor, newId("rt"), start, services);
    const roundtableId = await claimExternalId(tenantId, claimed, definition.externalId, services);
    const identity = { tenantId, roundtableId, keyId: keyOf(actor), revision, measures };
    const begun = { ...definition, memory: await memories.bind() };
    return withWarnings(seenBy(actor, await services.roundtables.start(identity, begun, waitMs)), memories.warnings);
  },
});

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
    ...defined({ subject, externalId }),
  };
}

function invalid(errors: readonly ProblemIssue[]): ProblemError {
  return problem("invalid", "The roundtable can't be begun like this; see errors.", { errors });
}

/** The id to begin it under: its own, or one that a crash left with the same externalId and without a roundtable. */
async function claimExternalId(
  tenantId: string,
  id: string,
  externalId: string | undefined,
  { claims, roundtables }: Services,
): Promise<string> {
  if (externalId === undefined) return id;
  const owner = await claims.claimExternalId(tenantId, "roundtables", externalId, id);
  if (owner === id) return id;
  if ((await roundtables.describe(tenantId, owner, 0)).ok) throw externalIdTaken(externalId, owner);
  return owner;
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
