/** What there is of a person: how much of each kind, and which holds keep it. */
import { z } from "zod";
import { subjectSchema } from "../../conversation/names.js";
import { act } from "../act.js";
import { personalDataTag } from "./holds.js";
import { subjectKinds } from "./kinds.js";

export const readSubject = act("readSubject", {
  role: "operator",
  route: {
    method: "get",
    path: "/v1/subjects/{subject}",
    tag: personalDataTag,
    summary: "What there is of an end user, by kind (operators)",
    description:
      "Counts alone; `toolResults` are those of the whole tenant, since nobody knows whom a kept result is about. Of somebody who isn't known all are 0.",
    answer: "How much there is",
  },
  input: () => z.object({ subject: subjectSchema }),
  output: () =>
    z.object({
      subject: z.string(),
      counts: z.record(z.string(), z.int()),
      holds: z.array(z.string()).describe("Holds that keep some of it."),
    }),
  run: async ({ tenantId }, { subject }, services) => {
    const counts: Record<string, number> = {};
    for (const { kind, count } of subjectKinds) counts[kind] = await count({ tenantId, subject }, services);
    return { subject, counts, holds: await services.holds.holding(tenantId, { subject }) };
  },
});
