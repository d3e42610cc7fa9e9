/** Read parts of a roundtable's record: a round, its consensus, a seat's thoughts, sources, requests, or all of it. */
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { Consensus } from "../../roundtable/consensus/schema.js";
import { type ContextRequestView, viewOfRequest } from "../../roundtable/context-request.js";
import { type DebateExport, debateJson } from "../../roundtable/reading/json.js";
import { debateMarkdown } from "../../roundtable/reading/markdown.js";
import { type Thoughts, thoughtsOf } from "../../roundtable/reading/thoughts.js";
import {
  filteredRequests,
  type RequestFilter,
  type ShownCitation,
  type ShownRound,
  shownCitations,
  shownRound,
} from "../../roundtable/record-views.js";
import type { Actor } from "../../tenancy/actor.js";
import { type Page, type PageRequest, readNumberedPage } from "../page.js";
import type { Services } from "../services.js";
import { readDebate } from "./read-roundtable.js";

export async function readRound(
  actor: Actor,
  { roundtableId, round }: { readonly roundtableId: string; readonly round: number },
  services: Services,
): Promise<Result<ShownRound>> {
  const debate = await readDebate(actor, roundtableId, services);
  if (!debate.ok) return debate;
  const shown = shownRound(debate.value, round);
  return shown === undefined ? noRound : ok(shown);
}

/** @param query `round`: the last complete one, if none is named */
export async function readConsensus(
  actor: Actor,
  { roundtableId, round }: { readonly roundtableId: string; readonly round?: number | undefined },
  services: Services,
): Promise<Result<Consensus>> {
  const debate = await readDebate(actor, roundtableId, services);
  if (!debate.ok) return debate;
  const { rounds } = debate.value;
  const record = round === undefined ? rounds.at(-1) : rounds.find((one) => one.round === round);
  return record?.consensus === undefined ? noRound : ok(record.consensus);
}

export async function readThoughts(
  actor: Actor,
  { roundtableId, agentId }: { readonly roundtableId: string; readonly agentId: string },
  services: Services,
): Promise<Result<Thoughts>> {
  const debate = await readDebate(actor, roundtableId, services);
  if (!debate.ok) return debate;
  const thoughts = thoughtsOf(debate.value, agentId);
  return thoughts === undefined ? refuse("not_found", "Nobody of that id sits at this table.") : ok(thoughts);
}

export async function listCitations(
  actor: Actor,
  { roundtableId, ...page }: PageRequest & { readonly roundtableId: string },
  services: Services,
): Promise<Result<Page<ShownCitation>>> {
  const debate = await readDebate(actor, roundtableId, services);
  return debate.ok ? pageOf(page, shownCitations(debate.value)) : debate;
}

export async function listRequests(
  actor: Actor,
  { roundtableId, filter, ...page }: PageRequest & { readonly roundtableId: string; readonly filter: RequestFilter },
  services: Services,
): Promise<Result<Page<ContextRequestView>>> {
  const debate = await readDebate(actor, roundtableId, services);
  return debate.ok ? pageOf(page, filteredRequests(debate.value.requests, filter).map(viewOfRequest)) : debate;
}

/** The whole debate, for somebody who wasn't there. */
export async function exportDebate(
  actor: Actor,
  roundtableId: string,
  services: Services,
): Promise<Result<{ readonly json: DebateExport; readonly markdown: string }>> {
  const debate = await readDebate(actor, roundtableId, services);
  if (!debate.ok) return debate;
  return ok({ json: debateJson(debate.value), markdown: debateMarkdown(debate.value) });
}

function pageOf<T>(page: PageRequest, items: readonly T[]): Promise<Result<Page<T>>> {
  return readNumberedPage(page, async (after, limit) => {
    const end = after + limit;
    return ok({ items: items.slice(after, end), next: items.length > end ? end : null });
  });
}

const noRound = refuse("not_found", "The roundtable has no such round, or it isn't complete yet.");
