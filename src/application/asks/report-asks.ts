/** How asks were decided: how long that took, and what became of what was proposed. */
import { z } from "zod";
import { askReportSchema, reportOf } from "../../asks/report.js";
import { mostCounted } from "../../stores/ask-index.js";
import { authorize } from "../../tenancy/authority.js";
import { act } from "../act.js";

const week = 7 * 86_400_000;

export const reportAsks = act("reportAsks", {
  role: "operator",
  reviewers: true,
  route: {
    method: "get",
    path: "/v1/asks/report",
    tag: "Asks",
    summary:
      "How long decisions took, and how many were accepted, edited and rejected, by supervisor (operators and reviewers)",
    description:
      "Of what was closed from `from` up to `to`, by default in the last seven days; the newest 10,000 count. Accepted means as it was proposed. What each person answered is for operators.",
    answer: "The report",
  },
  input: () =>
    z.object({
      from: z.iso.datetime().optional(),
      to: z.iso.datetime().optional(),
      agent: z.string().max(200).optional(),
      supervisor: z.string().max(200).optional(),
    }),
  output: askReportSchema,
  run: async (actor, { from, to, ...filter }, { near: { asks }, now }) => {
    const { tenantId } = actor;
    const until = to === undefined ? now() : Date.parse(to);
    const range = {
      from: new Date(from === undefined ? until - week : Date.parse(from)).toISOString(),
      to: new Date(until).toISOString(),
    };
    const [closed, ages] = await Promise.all([asks.closed(tenantId, range, filter), asks.openAges(tenantId, filter)]);
    const { byPerson, ...report } = reportOf(closed, ages);
    const seesPeople = authorize(actor, { act: "reportAsks", role: "operator" }).ok;
    return { ...range, complete: closed.length < mostCounted, ...report, ...(seesPeople && { byPerson }) };
  },
});
