/** What was put back, what is being, and what was given up. */
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import type { Restore } from "../../stores/restore-store.js";
import { lazily } from "../../text/lazily.js";
import { act } from "../act.js";
import { listOf, pageInput, readPage } from "../page.js";
import { mostTries } from "./restore-root.js";

export const restoreView = lazily(() =>
  z.object({
    restoreId: z.string(),
    kind: z.enum(["session", "run", "roundtable", "thread"]),
    id: z.string().describe("What was put back; of a thread the memory that it is of."),
    threadId: z.string().optional(),
    at: z.string().optional().describe("To when; missing where it was to a bookmark."),
    status: z.enum(["running", "done", "given_up"]),
    tries: z.int().describe("How often the schedule went on with it in vain."),
    failure: z.string().optional().describe("What went wrong at the last try."),
    undo: z.string().optional().describe("As a `bookmark` it puts everything back to how it was before this."),
    begunAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().optional(),
  }),
);

export const listRestores = act("listRestores", {
  role: "admin",
  route: {
    method: "get",
    path: "/v1/restores",
    tag: "A tenant's own administration",
    summary: "What was put back to an earlier time, and what couldn't be (admins)",
    description: `One that is interrupted goes on by the schedule, once a minute. After ${mostTries} tries that failed it is given up, and \`failure\` says why.`,
    answer: "A page of restores, oldest first",
  },
  input: () => z.object(pageInput()),
  output: () => listOf(restoreView()),
  run: async ({ tenantId }, page, { restores }) => {
    const { items, nextCursor } = await readPage(
      page,
      (after = "", limit) => restores.list(tenantId, after, limit),
      ({ restoreId }) => restoreId,
    );
    return { items: items.map(viewOf), nextCursor };
  },
});

function viewOf(restore: Restore): z.infer<ReturnType<typeof restoreView>> {
  const { restoreId, kind, rootId: id, threadId, target, tries, failure, undo, begunAt, finishedAt } = restore;
  const ended = failure === undefined ? "done" : "given_up";
  return {
    ...{ restoreId, kind, id, status: finishedAt === undefined ? "running" : ended, tries },
    begunAt: new Date(begunAt).toISOString(),
    ...defined({ threadId, at: target.at, failure, undo }),
    ...(finishedAt !== undefined && { finishedAt: new Date(finishedAt).toISOString() }),
  };
}
