/** Whether what the deployment needs can be reached. Anybody may know: it says nothing of a tenant. */
import { describeError, log } from "../../platform/logging.js";
import type { Services } from "../services.js";

export interface Health {
  readonly environment: string;
  /** By what was looked at: the database, and whether each secret is long enough. */
  readonly checks: Readonly<Record<"database" | "ADMIN_SECRET" | "SEALING_SECRET", "ok" | "failed">>;
}

/** Characters that a secret of the deployment has at least. */
export const leastSecretLength = 32;

export function isLongEnough(secret: string | undefined): boolean {
  return (secret ?? "").length >= leastSecretLength;
}

export async function checkHealth({ db, environment, adminSecret, sealingSecret }: Services): Promise<Health> {
  const database = await db
    .prepare("SELECT COUNT(*) FROM tenants")
    .first()
    .then(
      () => "ok" as const,
      (error: unknown) => {
        log("error", "health.database", describeError(error));
        return "failed" as const;
      },
    );
  const lengthOf = (secret: string) => (isLongEnough(secret) ? ("ok" as const) : ("failed" as const));
  const checks = { database, ADMIN_SECRET: lengthOf(adminSecret), SEALING_SECRET: lengthOf(sealingSecret) };
  return { environment, checks };
}
