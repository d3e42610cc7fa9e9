/** Whether what the deployment needs can be reached. Anybody may know: it says nothing of a tenant. */
import { describeError, log } from "../../platform/logging.js";
import type { Services } from "../services.js";

export interface Health {
  readonly environment: string;
  readonly checks: { readonly database: "ok" | "failed" };
}

export async function checkHealth({ db, environment }: Services): Promise<Health> {
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
  return { environment, checks: { database } };
}
