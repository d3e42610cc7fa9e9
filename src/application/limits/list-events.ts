/** What was told of the tenant's limits. */
import { limitEventsRoot } from "../../tenancy/limits/events.js";
import { act } from "../act.js";
import { type PageRequest, readPage } from "../page.js";

export const listLimitEvents = act("listLimitEvents", {
  role: "admin",
  run: async ({ tenantId }, page: PageRequest, { limits }) => {
    const read = async (after = "0", limit: number) => {
      const seen = await limits.events(tenantId, limitEventsRoot, { after: Number(after), limit });
      return seen.map(({ seq, type, data }) => ({ id: seq, event: type, data }));
    };
    return readPage(page, read, ({ id }) => String(id));
  },
});
