/** Counts the calls of the database that a test's own tenant causes, by what they ask for. */
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import type { TestTenant } from "./conclave.js";

/** A statement as it stands in a call, as far as it is looked into. */
interface Sent {
  readonly statement: string;
  readonly params: readonly unknown[];
}

export class D1Calls {
  private calls: string[] = [];

  constructor(private readonly tenant: TestTenant) {
    const batch = Object.getPrototypeOf(env.DB).batch;
    const about = (sent: readonly Sent[], kind: string): void => {
      const own = [tenant.tenantId, keyIdOf(this.tenant.key)];
      if (sent.some(({ params }) => params.some((param) => own.includes(String(param))))) this.calls.push(kind);
    };
    vi.spyOn(Object.getPrototypeOf(env.DB), "batch").mockImplementation(function (this: unknown, sent: unknown) {
      about(sentOf(sent), "batch");
      return batch.call(this, sent);
    });
    const statements = Object.getPrototypeOf(env.DB.prepare("SELECT 1"));
    for (const method of ["first", "all", "run", "raw"]) {
      const original = statements[method];
      vi.spyOn(statements, method).mockImplementation(function (this: unknown, ...rest: unknown[]) {
        const sent = sentOf([this]);
        about(sent, tableOf(sent[0]?.statement ?? ""));
        return original.apply(this, rest);
      });
    }
  }

  /** What was called since this was asked last, in order. */
  taken(): string[] {
    const { calls } = this;
    this.calls = [];
    return calls;
  }
}

function sentOf(statements: unknown): Sent[] {
  if (!Array.isArray(statements)) throw new Error("a batch of nothing");
  return statements.map(({ statement, params }) => ({
    statement: String(statement),
    params: Array.from(params ?? []),
  }));
}

/** The first table that a statement names. */
function tableOf(statement: string): string {
  return /\b(?:FROM|INTO|UPDATE)\s+(\w+)/i.exec(statement)?.[1] ?? statement;
}

function keyIdOf(key: string): string {
  return `key_${key.split("_")[1] ?? ""}`;
}
