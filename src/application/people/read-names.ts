/** What people of the tenant are called, for those who work beside them: records hold ids alone. */
import { act } from "../act.js";

/** More than work at one inbox. */
const mostNames = 500;

export const readPeopleNames = act("readPeopleNames", {
  role: "operator",
  reviewers: true,
  run: async ({ tenantId }, _input: unknown, services): Promise<ReadonlyMap<string, string>> => {
    const people = await services.people();
    const found = await people.list(tenantId, "", mostNames);
    return new Map(found.map(({ personId, name }) => [personId, name]));
  },
});
