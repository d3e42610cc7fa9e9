/** Read parts of a roundtable's record: a round, its consensus, a seat's thoughts, sources, requests, or all of it. */
import { z } from "zod";
import { problem } from "../../conversation/problem.js";
import { consensusSchema } from "../../roundtable/consensus/schema.js";
import {
  contextPriorities,
  contextRequestViewSchema,
  requestStatuses,
  viewOfRequest,
} from "../../roundtable/context-request.js";
import {
  filteredRequests,
  shownCitationSchema,
  shownCitations,
  shownRound,
  shownRoundSchema,
} from "../../roundtable/debate-record.js";
import { debateJson } from "../../roundtable/reading/json.js";
import { debateMarkdown } from "../../roundtable/reading/markdown.js";
import { thoughtsOf, thoughtsSchema } from "../../roundtable/reading/thoughts.js";
import { lazily } from "../../text/lazily.js";
import { act } from "../act.js";
import { listOf, type Page, type PageRequest, pageInput, readNumberedPage } from "../page.js";
import { debateOf, readRoundtable } from "./read-roundtable.js";
import { roundtableInput, roundtableTag } from "./roundtable-view.js";

/** Each is a part of what {@link readRoundtable} reads, under its authority. */
const part = { role: readRoundtable.role, reviewers: true } as const;
const at = (rest: string, summary: string, answer: string) =>
  ({ method: "get", path: `/v1/roundtables/{roundtableId}/${rest}`, tag: roundtableTag, summary, answer }) as const;
const roundNumber = lazily(() => z.coerce.number<string>().int().min(1).max(1_000));

export const readRound = act("readRoundtable", {
  ...part,
  route: at("rounds/{round}", "One complete round", "The round"),
  input: () => z.object({ ...roundtableInput(), round: roundNumber() }),
  output: () => shownRoundSchema,
  run: async ({ tenantId }, { roundtableId, round }, services) =>
    shownRound(await debateOf(tenantId, roundtableId, services), round) ?? noRound(),
});

export const readConsensus = act("readRoundtable", {
  ...part,
  route: at("consensus", "What a round came to: the last complete one, or the one that `round` names", "The consensus"),
  input: () => z.object({ ...roundtableInput(), round: roundNumber().optional() }),
  output: () => consensusSchema,
  run: async ({ tenantId }, { roundtableId, round }, services) => {
    const { rounds } = await debateOf(tenantId, roundtableId, services);
    const record = round === undefined ? rounds.at(-1) : rounds.find((one) => one.round === round);
    return record?.consensus ?? noRound();
  },
});

export const readThoughts = act("readRoundtable", {
  ...part,
  route: at("thoughts/{agentId}", "What one seat held over the rounds, and what changed it", "The seat's thoughts"),
  input: () => z.object({ ...roundtableInput(), agentId: z.string().max(100) }),
  output: () => thoughtsSchema,
  run: async ({ tenantId }, { roundtableId, agentId }, services) => {
    const thoughts = thoughtsOf(await debateOf(tenantId, roundtableId, services), agentId);
    if (thoughts === undefined) throw problem("not_found", "Nobody of that id sits at this table.");
    return thoughts;
  },
});

export const listCitations = act("readRoundtable", {
  ...part,
  route: at("citations", "The sources that positions rest on", "A page of sources"),
  input: () => z.object({ ...roundtableInput(), ...pageInput() }),
  output: () => listOf(shownCitationSchema),
  run: async ({ tenantId }, { roundtableId, ...page }, services) =>
    pageOf(page, shownCitations(await debateOf(tenantId, roundtableId, services))),
});

export const listRequests = act("readRoundtable", {
  ...part,
  route: at("requests", "What the seats asked for, and what became of it", "A page of requests"),
  input: () =>
    z.object({
      ...roundtableInput(),
      ...pageInput(),
      priority: z.enum(contextPriorities).optional(),
      status: z.enum(requestStatuses).optional(),
      agentId: z.string().max(100).optional(),
      round: roundNumber().optional(),
    }),
  output: () => listOf(contextRequestViewSchema),
  run: async ({ tenantId }, { roundtableId, limit, cursor, ...filter }, services) => {
    const { requests } = await debateOf(tenantId, roundtableId, services);
    return pageOf({ limit, cursor }, filteredRequests(requests, filter).map(viewOfRequest));
  },
});

/** The whole debate, for somebody who wasn't there. */
export const exportDebate = act("readRoundtable", {
  ...part,
  run: async ({ tenantId }, { roundtableId }: { readonly roundtableId: string }, services) => {
    const debate = await debateOf(tenantId, roundtableId, services);
    return { json: debateJson(debate), markdown: debateMarkdown(debate) };
  },
});

async function pageOf<T>(page: PageRequest, items: readonly T[]): Promise<Page<T>> {
  const read = async (after: number, limit: number) => {
    const end = after + limit;
    return { items: items.slice(after, end), next: items.length > end ? end : null };
  };
  return readNumberedPage(page, read);
}

function noRound(): never {
  throw problem("not_found", "The roundtable has no such round, or it isn't complete yet.");
}
