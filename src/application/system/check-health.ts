/** Whether what the deployment needs can be reached. Anybody may know: it says nothing of a tenant. */
import { defined } from "../../conversation/defined.js";
import { describeError, log } from "../../platform/logging.js";
import { failingJobs } from "../../stores/tenant-events.js";
import { everywhere } from "../home.js";
import type { Services } from "../services.js";
import { fullSoonBytes } from "./archive-audit.js";
import { formerSecretMs, mergeResealing, viewOf } from "./reseal-secrets.js";

export interface Health {
  readonly environment: string;
  /** How many migrations the database has, and how many this code knows of. More are a newer version's. */
  readonly schema: { readonly have?: number | undefined; readonly want: number };
  /** The same of each database, where there are several: `schema` is that of the one that is furthest behind. */
  readonly databases?: DatabaseHealth[];
  /** By what was looked at: the database, whether it has each migration, and whether each secret is long enough. */
  readonly checks: Readonly<Record<"database" | "schema" | "ADMIN_SECRET" | "SEALING_SECRET", Check>>;
  /** What works now and will not for long. */
  readonly warnings?: string[];
  /** While SEALING_SECRET is exchanged. */
  readonly sealing?: Sealing;
}

/** How many migrations a database has; nothing where it can't be reached. */
interface DatabaseHealth {
  readonly database: number;
  readonly have?: number | undefined;
}

/** Keys by their ids, which tell nothing of them. */
interface Sealing {
  /** What seals, and what opens too. */
  readonly key: string;
  readonly otherKey: string;
  /** Once it was begun. The other secret has done its service when it is finished and that time has come. */
  readonly reseal?: ReturnType<typeof viewOf> & { readonly otherKeyUntil: string };
}

/** How many migrations this code expects the database to have: those of the folder `migrations`, which the Worker can't read. */
export const migrationCount = 58;

type Check = "ok" | "failed";

/** Characters that a secret of the deployment has at least. */
export const leastSecretLength = 32;

export function isLongEnough(secret: string | undefined): boolean {
  return (secret ?? "").length >= leastSecretLength;
}

export async function checkHealth(services: Services): Promise<Health> {
  const { environment, adminSecret, sealingSecrets } = services;
  const databases = await Promise.all(everywhere(services).map(checkDatabase));
  const isReached = databases.every(({ have }) => have !== undefined);
  const have = isReached ? Math.min(...databases.map((one) => one.have ?? 0)) : undefined;
  const { canMove } = await services.auditArchive();
  const warnings = databases.flatMap((one) => warningsOf({ ...one, canMove }));
  const check = (isRight: boolean): Check => (isRight ? "ok" : "failed");
  const checks = {
    database: check(isReached),
    schema: check(Number(have) >= migrationCount),
    ADMIN_SECRET: check(isLongEnough(adminSecret)),
    SEALING_SECRET: check(sealingSecrets.every(isLongEnough)),
  };
  const sealing = sealingSecrets.length > 1 ? await checkSealing(services) : undefined;
  const schema = { have, want: migrationCount };
  const several =
    databases.length > 1 ? { databases: databases.map(({ database, have: of }) => ({ database, have: of })) } : {};
  const warned = warnings.length === 0 ? {} : { warnings };
  return { environment, schema, ...several, checks, ...warned, ...defined({ sealing }) };
}

/** What will stop working if nobody does anything. */
export function warningsOf({ bytes, canMove, failing = 0, night }: Warned & { readonly canMove: boolean }): string[] {
  const gigabytes = (bytes / 1_000_000_000).toFixed(1);
  const rest = canMove
    ? "though a bucket is bound as ARCHIVE: look in the log for audit.move_failed, or add a database."
    : "and nothing of it can go elsewhere: bind an R2 bucket as ARCHIVE, and old rows of the audit go there.";
  return [
    ...(bytes > fullSoonBytes ? [`The database holds ${gigabytes} GB of at most 10, ${rest}`] : []),
    ...(failing > 0
      ? [
          `Jobs that failed again and again within the last day: ${failing}. The log has job.failing with their tenants, and their webhooks were told.`,
        ]
      : []),
    ...(night !== undefined && night.gone >= night.most
      ? [
          `Retention took ${night.gone} rows of what is overdue, its share of the database for today; the rest goes on tomorrow.`,
        ]
      : []),
  ];
}

interface Warned {
  readonly bytes: number;
  /** Jobs that fail again and again: erasures, restores and others. */
  readonly failing?: number | undefined;
  /** What retention took today of what is overdue, and how much it takes at most. */
  readonly night?: { readonly gone: number; readonly most: number } | undefined;
}

async function checkDatabase({ database, db, now, retention }: Services): Promise<DatabaseHealth & Warned> {
  const found = await db
    .prepare("SELECT (SELECT COUNT(*) FROM d1_migrations) AS n FROM (SELECT COUNT(*) FROM tenants)")
    .all<{ n: number }>()
    .catch((error: unknown) => {
      log("error", "health.database", { database, ...describeError(error) });
      return undefined;
    });
  // A database that is behind is told of above.
  const failing = await failingJobs(db, now()).catch(() => 0);
  const night = await (await retention()).night(now()).catch(() => undefined);
  return { database, have: found?.results[0]?.n, bytes: found?.meta.size_after ?? 0, failing, night };
}

async function checkSealing(services: Services): Promise<Sealing> {
  const [key = "", otherKey = ""] = await services.sealer.keyIds();
  // A database may be behind, which is said above.
  const at = mergeResealing(
    await Promise.all(everywhere(services).map(({ reseals }) => reseals.progress().catch(() => undefined))),
  );
  if (at === undefined) return { key, otherKey };
  const otherKeyUntil = new Date(at.begunAt + formerSecretMs).toISOString();
  return { key, otherKey, reseal: { ...viewOf(at), otherKeyUntil } };
}
