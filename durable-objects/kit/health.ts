/** How the supervisors of an object's work are: what the circuit breaker remembers, through evictions and crashes. */
import type { HealthRecord, HealthStore } from "../../src/supervision/breaker.js";

export class SupervisorHealth implements HealthStore {
  constructor(private readonly sql: SqlStorage) {}

  read(supervisor: string): HealthRecord | undefined {
    return this.sql
      .exec<{ version: number; failures: number; until: number }>(
        "SELECT version, failures, until FROM supervisor_health WHERE supervisor = ?",
        supervisor,
      )
      .toArray()[0];
  }

  write(supervisor: string, record: HealthRecord | undefined): void {
    if (record === undefined) this.sql.exec("DELETE FROM supervisor_health WHERE supervisor = ?", supervisor);
    else
      this.sql.exec(
        "INSERT OR REPLACE INTO supervisor_health (supervisor, version, failures, until) VALUES (?, ?, ?, ?)",
        supervisor,
        record.version,
        record.failures,
        record.until,
      );
  }
}
