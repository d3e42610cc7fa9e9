/** Rows of D1 and counters that are kept of a person beside their sessions, runs, roundtables and memories. */

import { scopesOf } from "../../stores/subject-names.js";
import { tokenIdOf } from "../../tenancy/actor.js";
import { askFor } from "../asks/ask-view.js";
import { disconnect } from "../connections.js";
import type { SubjectKind } from "./kind.js";

/** Asks that one slice of an export reads. */
const readAtOnce = 100;

const asks: SubjectKind = {
  kind: "asks",
  count: (of, { subjects }) => subjects.count(of, "asks"),
  // Copies: the asks themselves went with the objects that asked.
  erase: async (of, _from, { subjects }) => ({ erased: await subjects.erase(of, "asks") }),
  export: async ({ tenantId, subject }, from, { near }) => {
    const filter = { audience: "user", owners: { subject } } as const;
    const [key = "", askId = ""] = from.split(" ");
    const after = from === "" ? undefined : { key, askId };
    const found = await near.asks.list(tenantId, filter, "openedAt", after, readAtOnce);
    const user = { tenantId, kind: "token", id: tokenIdOf(subject), role: "user", subject } as const;
    const last = found.length < readAtOnce ? undefined : found.at(-1);
    return {
      lines: found.map((ask) => ({ ask: askFor(user, ask) })),
      next: last && `${last.openedAt} ${last.askId}`,
    };
  },
};

const decisions: SubjectKind = {
  kind: "decisions",
  count: (of, { subjects }) => subjects.count(of, "decisions"),
  erase: async (of, _from, { subjects }) => ({ erased: await subjects.erase(of, "decisions") }),
};

const keptAnswers: SubjectKind = {
  kind: "keptAnswers",
  count: (of, { subjects }) => subjects.countKeys(of),
  erase: async (of, _from, { subjects }) => ({ erased: await subjects.eraseKeys(of) }),
};

const toolResults: SubjectKind = {
  kind: "toolResults",
  isShared: true,
  count: ({ tenantId }, { subjects }) => subjects.countResults(tenantId),
  erase: async ({ tenantId }, _from, { subjects }) => ({ erased: await subjects.eraseResults(tenantId) }),
};

const limits: SubjectKind = {
  kind: "limits",
  count: async ({ tenantId, subject }, { budgets }) => budgets.counted(tenantId, scopesOf(subject)),
  erase: async (of, _from, { budgets, subjects }) => {
    const counted = await budgets.forget(of.tenantId, scopesOf(of.subject));
    const named = await subjects.named(of);
    const told = await subjects.eraseLimitEvents(of);
    if (named.length === 0) return { erased: counted + told };
    return {
      erased: counted + told,
      left: named.length,
      why: `an administrator named the person in ${named.join(", ")}: change it there`,
    };
  },
};

/** Exports that were made for them: files of all of this. */
const files: SubjectKind = {
  kind: "exports",
  count: async (of, { subjects }) => (await subjects.exportsOf(of)).length,
  erase: async (of, _from, { subjects, subjectJobs }) => {
    const jobs = await subjects.exportsOf(of);
    for (const jobId of jobs) {
      await subjectJobs.remove(of.tenantId, jobId);
      await subjects.forgetJob(of.tenantId, jobId);
    }
    return { erased: jobs.length, next: jobs.length === 0 ? undefined : "more" };
  },
};

const usage: SubjectKind = {
  kind: "usage",
  count: (of, { subjects }) => subjects.count(of, "usage"),
  erase: async (of, from, { subjects }) => {
    const { renamed, next } = await subjects.renameUsage(of, Number(from));
    return {
      erased: 0,
      left: renamed,
      why: `under the pseudonym ${of.pseudonym}: what was used is billed`,
      next: next === undefined ? undefined : String(next),
    };
  },
};

const audit: SubjectKind = {
  kind: "audit",
  count: (of, { subjects }) => subjects.countActs(of),
  erase: async (of, _from, { subjects }) => ({
    erased: 0,
    left: await subjects.renameActs(of),
    why: `under the pseudonym ${of.pseudonym}, without reasons: what was decided stays on record`,
  }),
};

/** They are void from the request on; connections that they opened are closed. */
const tokens: SubjectKind = {
  kind: "tokens",
  count: async ({ tenantId, subject }, { readers }) => (await readers.owners(tenantId, tokenIdOf(subject))).length,
  erase: async ({ tenantId, subject }, _from, services) => {
    const open = await services.readers.owners(tenantId, tokenIdOf(subject));
    await disconnect(tenantId, tokenIdOf(subject), services);
    return { erased: open.length };
  },
};

export const erasedRecords: readonly SubjectKind[] = [
  tokens,
  asks,
  decisions,
  keptAnswers,
  toolResults,
  limits,
  files,
  usage,
  audit,
];
