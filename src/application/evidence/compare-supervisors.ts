/** How two supervisors decide on the same live texts, such as a shadow beside the one that is in force: read from the audit. */
import { z } from "zod";
import { itemName } from "../../conversation/names.js";
import { problem } from "../../conversation/problem.js";
import { compare, comparisonSchema } from "../../evidence/comparison.js";
import { comparisonText } from "../../evidence/comparison-text.js";
import { disagreementSchema, labelOf, Pairing } from "../../evidence/shadow-pairs.js";
import { sleep } from "../../platform/clock.js";
import { auditSelection } from "../../stores/audit-filter.js";
import { hooks } from "../../supervision/verdict.js";
import type { AuditEntry } from "../../tenancy/audit.js";
import { lazily } from "../../text/lazily.js";
import { act } from "../act.js";
import { noResource } from "../resources/read-resource.js";
import type { Services } from "../services.js";
import { rangeInput } from "../supervision/list-decisions.js";

/** Rows of the audit that one comparison looks at: what a request has time and room for. And those that it reads before it lets others in: some 30 ms. */
const mostRows = 50_000;
const atOnce = 200;

const version = () => z.coerce.number<string>().int().min(1).optional();

export const comparisonQuery = lazily(() => ({
  /** The other supervisor, such as the one in force: all counts are held against it. Itself, if nothing is said: another version of it. */
  with: itemName.optional(),
  /** Which version of each; those that count now, if nothing is said. */
  version: version(),
  withVersion: version(),
  hook: z.enum(hooks).optional(),
  ...rangeInput(),
}));

const versioned = lazily(() => z.object({ name: z.string(), version: z.int() }));

export const supervisorComparisonSchema = lazily(() =>
  z.object({
    supervisor: versioned(),
    with: versioned(),
    /** What was looked at: to the end of the range, or as far as the most rows reach. */
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    /** Whether that is all of the range; where it isn't, `from` of the next is this `to`. */
    complete: z.boolean(),
    /** Rows of the audit. */
    rows: z.int(),
    /** Texts that one of the two alone has judged. */
    unpaired: z.object({
      supervisor: z.int(),
      with: z.int(),
      share: z.object({ share: z.number(), low: z.number(), high: z.number() }).optional(),
    }),
    comparison: comparisonSchema(),
    /** Where they said different things, the oldest first. */
    disagreements: z.array(disagreementSchema()),
  }),
);
type SupervisorComparison = z.infer<ReturnType<typeof supervisorComparisonSchema>>;

export const compareSupervisors = act("compareSupervisors", {
  role: "operator",
  reviewers: true,
  input: () => z.object({ name: itemName, ...comparisonQuery() }),
  output: () => supervisorComparisonSchema(),
  run: async ({ tenantId }, { name, with: otherName = name, hook, from, to, ...versions }, services) => {
    const [own, other] = await Promise.all([
      versionOf(tenantId, name, versions.version, services),
      versionOf(tenantId, otherName, versions.withVersion, services),
    ]);
    if (name === otherName && own.version === other.version)
      throw problem("invalid", "These are one and the same. Name another supervisor or version to compare it with.", {
        errors: [{ path: "with", message: "names the supervisor itself, in the same version" }],
      });
    const range = { from: from ?? Math.max(own.since, other.since), to: to ?? services.now() + 1 };
    const supervisor = { name, version: own.version };
    const against = { name: otherName, version: other.version };
    const pairing = new Pairing({ supervisor, other: against, hook });
    const { rows, end } = await readAudit(tenantId, range, (entries) => pairing.add(entries), services.near.audit);
    const { results, ...seen } = pairing.pairs();
    const candidates = [labelOf(against), labelOf(supervisor)];
    return {
      ...{ supervisor, with: against, ...seen, rows, complete: end >= range.to },
      ...{ from: new Date(range.from).toISOString(), to: new Date(end).toISOString() },
      comparison: compare(results, candidates, candidates.join(" ")),
    };
  },
});

/** The same to be read. */
export function supervisorComparisonText(report: SupervisorComparison): string {
  const { supervisor, unpaired, from, to, complete } = report;
  const other = report.with;
  return [
    comparisonText(report.comparison, `${labelOf(supervisor)} beside ${labelOf(other)}`),
    `${from} to ${to}${complete ? "" : ", and there is more: go on from there"}. Judged by one of them alone: ${unpaired.supervisor} by ${labelOf(supervisor)}, ${unpaired.with} by ${labelOf(other)}.`,
    "",
    ...report.disagreements.map(
      ({ at, sessionId, runId, roundtableId, memoryId, workId, action, withAction }) =>
        `- ${at} ${sessionId ?? runId ?? roundtableId ?? memoryId ?? ""} ${workId ?? ""}: ${withAction}, and ${action} by ${supervisor.name}`,
    ),
  ].join("\n");
}

/** Which one is meant, and since when it is there. */
async function versionOf(tenantId: string, name: string, wanted: number | undefined, { near }: Services) {
  if (wanted === undefined) {
    const stored = await near.resources.get(tenantId, "supervisors", name);
    if (stored === undefined) throw noResource("supervisors", name);
    return { version: stored.version, since: stored.updatedAt };
  }
  const stored = await near.resourceVersions.get(tenantId, "supervisors", name, wanted);
  if (stored === undefined) throw noResource("supervisors", `${name}@${wanted}`);
  return { version: stored.version, since: stored.createdAt };
}

/**
 * The first rows of a range, wherever they lie by now.
 * @param read is given them page by page; between pages others in this isolate get their turn
 * @returns how many they were, and the end of the time of which these are all
 */
export async function readAudit(
  tenantId: string,
  range: { readonly from: number; readonly to: number },
  read: (entries: readonly AuditEntry[]) => void,
  audit: Pick<Services["near"]["audit"], "page">,
  most = mostRows,
): Promise<{ readonly rows: number; readonly end: number }> {
  let rows = 0;
  let end = range.to;
  let next: Parameters<typeof audit.page>[2];
  do {
    const page = await audit.page(tenantId, { ...range, to: end }, next, atOnce, auditSelection(tenantId, {}));
    read(page.entries);
    rows += page.entries.length;
    next = page.next;
    // The last moment is read to its end: whoever goes on begins behind it.
    if (rows >= most && next !== undefined) end = Math.min(end, next.at + 1);
    await sleep(0);
  } while (next !== undefined);
  return { rows, end };
}
