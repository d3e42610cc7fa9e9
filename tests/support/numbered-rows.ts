/** Many rows of a tenant in a table of D1, in one statement. */
import { env } from "cloudflare:workers";

/** @param values in SQL; `n` is the number of a row, from 1 to `many` */
export const numberedRows =
  (many: number) =>
  (table: string, columns: string, values: string, tenantId: string): D1PreparedStatement =>
    env.DB.prepare(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2)
       INSERT INTO ${table} (tenant_id, ${columns}) SELECT ?1, ${values} FROM numbers`,
    ).bind(tenantId, many);
