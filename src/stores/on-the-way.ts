/** Tenants that go from a database to another: what goes over all tenants of one leaves them out, where both have them. */
import { raw } from "../platform/sql.js";

/** Nothing adds up, packs or judges their rows until they have arrived. */
export const onTheWay = raw("(SELECT tenant_id FROM moves)");

/** They are counted and listed in the other database. */
export const elsewhere = raw(
  "(SELECT tenant_id FROM moves WHERE status IN ('arriving', 'settling', 'removing', 'moved'))",
);
