/**
 * Shadow supervisors beside the work: what they judge is stored in the write of the pass that they belong to, and goes with the write that
 * records their verdict. A turn doesn't wait for them; what an instance died over, the alarm takes up again.
 */
import { z } from "zod";
import type { CallOrigin } from "../../src/agent/call-context.js";
import type { Journal } from "../../src/agent/journal.js";
import type { WorkLimits } from "../../src/application/limits/work-limits.js";
import type { RootPlatform } from "../../src/application/root-platform.js";
import { withCancelSignal } from "../../src/platform/clock.js";
import { sha256Hex } from "../../src/platform/digest.js";
import { describeError } from "../../src/platform/logging.js";
import type { Level, LogFields } from "../../src/platform/metrics.js";
import { exec } from "../../src/platform/sql.js";
import { judgeShadow, type PendingShadow, shadowedSchema } from "../../src/supervision/shadows.js";
import type { SupervisionState } from "../../src/supervision/state.js";
import type { LimitFacts } from "../../src/tenancy/limits/demand.js";
import { isOfKind } from "../../src/tenancy/resources.js";
import { lazily } from "../../src/text/lazily.js";
import type { Deadlines } from "./deadlines.js";
import type { SupervisorHealth } from "./health.js";
import type { Outbox } from "./outbox.js";
import { putAudit } from "./pass-audit.js";
import type { WorkBook } from "./work-book.js";
import type { WorkBudgets } from "./work-budgets.js";

export const shadowDeadline = "shadows";

/** When the alarm looks after those that their instance may have died over, in milliseconds. */
const lookedAfterMs = 30_000;
/** One that was begun more often is on record as failed. */
const mostTries = 4;

/** What they need of the object's kit. */
interface ShadowKit {
  readonly deadlines: Deadlines;
  readonly outbox: Outbox;
  readonly works: WorkBook;
  readonly health: SupervisorHealth;
  readonly budgets: Pick<WorkBudgets, "limit" | "end">;
  readonly write: <T>(change: () => T) => T;
  readonly journal: (work: string, isHeld: () => boolean) => Journal;
  readonly deliverSoon: () => void;
  readonly log: (level: Level, event: string, fields: LogFields) => void;
}

/** What a root has to have for them. */
export interface ShadowPorts {
  readonly platform: Pick<RootPlatform, "at" | "limitsOfWork">;
  /** Stores the pass with those of the work. */
  readonly keep: (work: string, state: SupervisionState) => void;
}

const bodySchema = lazily(() => {
  const origin = z.object({
    sessionId: z.string().optional(),
    runId: z.string().optional(),
    roundtableId: z.string().optional(),
    turnId: z.string().optional(),
    agent: z.string().optional(),
    team: z.string().optional(),
    subject: z.string().optional(),
    metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  });
  return shadowedSchema().extend({ name: z.string(), version: z.int(), origin });
});
type Body = z.infer<ReturnType<typeof bodySchema>>;

interface Row {
  readonly id: string;
  readonly work: string;
  readonly tries: number;
  readonly body: string;
}

type Limits = () => Promise<WorkLimits | undefined>;
/** What is to be judged, and what it has to have room in. */
interface Known {
  readonly pending: PendingShadow;
  readonly limits: Limits;
}

/** Whom the limits of a shadow's model are counted for. */
export function factsOf(tenantId: string, { subject, agent, team, sessionId }: CallOrigin): LimitFacts {
  return { tenantId, subject, agent: agent ?? team, sessionId };
}

export class Shadows {
  private readonly running = new Set<string>();
  private isStopped = false;

  constructor(
    private readonly ctx: DurableObjectState,
    private readonly kit: ShadowKit,
    private readonly owner: () => { readonly tenantId: string },
    private readonly now: () => number,
    private readonly ports: ShadowPorts | undefined,
  ) {}

  /** In the write of the pass. @param limits those that the calls of its model have to have room in */
  begin(work: string, origin: CallOrigin, pending: PendingShadow, limits: Limits): void {
    const { name, version = 0 } = pending.supervisor;
    const id = crypto.randomUUID();
    const body = JSON.stringify({ ...pending.shadowed, name, version, origin } satisfies Body);
    this.isStopped = false;
    exec(this.ctx.storage.sql)`INSERT INTO shadows (id, work, tries, body) VALUES (${id}, ${work}, 0, ${body})`;
    this.kit.deadlines.within(shadowDeadline, this.now() + lookedAfterMs, this.now());
    this.run({ id, work, tries: 0, body }, { pending, limits });
  }

  /** Takes up those that nobody has at work. */
  resume(): void {
    const rows = this.ctx.storage.sql.exec<{ id: string; work: string; tries: number; body: string }>(
      "SELECT id, work, tries, body FROM shadows",
    );
    for (const row of rows.toArray()) {
      this.kit.deadlines.within(shadowDeadline, this.now() + lookedAfterMs, this.now());
      if (!this.running.has(row.id)) this.run(row);
    }
  }

  /** A text is erased, which may stand in the conversation of any of them: what isn't judged yet never will be. */
  forget(): void {
    const rows = this.ctx.storage.sql.exec<{ id: string }>("DELETE FROM shadows RETURNING id");
    this.kit.write(() => {
      for (const { id } of rows.toArray()) this.forgetSteps(id);
    });
  }

  /** The object is to be erased. */
  stop(): void {
    this.isStopped = true;
  }

  private run(row: Row, known?: Known): void {
    this.running.add(row.id);
    const done = this.judge(row, known)
      .catch((error: unknown) => this.kit.log("warn", "shadow.failed", { work: row.work, ...describeError(error) }))
      .finally(() => this.running.delete(row.id));
    this.ctx.waitUntil(done);
  }

  private async judge(row: Row, begun: Known | undefined): Promise<void> {
    // The write that it was begun in is over by then.
    await Promise.resolve();
    const { id, work, tries } = row;
    if (!this.isThere(id)) return;
    if (tries > mostTries) {
      // Even that it failed can't be put on record: what is stored of it can't be read, or not be made anew.
      this.kit.write(() => this.drop(id));
      this.kit.log("error", "shadow.dropped", { work, attempts: tries });
      return;
    }
    exec(this.ctx.storage.sql)`UPDATE shadows SET tries = tries + 1 WHERE id = ${id}`;
    const known = begun ?? (await this.again(row));
    this.kit.budgets.limit(stepsOf(id), await known?.limits());
    const state = known && (await this.verdictOf(known.pending, row));
    this.kit.write(() => {
      if (!this.isThere(id)) return;
      const models = this.kit.works.stepsOf(stepsOf(id)).end(true);
      this.kit.budgets.end(stepsOf(id));
      exec(this.ctx.storage.sql)`DELETE FROM shadows WHERE id = ${id}`;
      if (state === undefined) return;
      this.ports?.keep(work, state);
      const at = this.now();
      putAudit(this.kit.outbox, work, state, at);
      const { agent = "", subject } = bodySchema().parse(JSON.parse(row.body)).origin;
      if (models.length > 0)
        this.kit.outbox.put("usage", stepsOf(id), { work: stepsOf(id), kind: "shadow", agent, subject, models, at });
    });
    this.kit.works.ended(stepsOf(id));
    if (tries > 0) this.kit.log("info", "shadow.resumed", { work, attempts: tries + 1 });
    this.kit.deliverSoon();
  }

  private verdictOf(pending: PendingShadow, { id, tries }: Row): Promise<SupervisionState> {
    const dies = async (): Promise<never> => Promise.reject(new Error("the Worker died over it again and again"));
    const supervisor = tries < mostTries ? pending.supervisor : { ...pending.supervisor, judge: dies };
    return judgeShadow(
      { ...pending, supervisor },
      {
        now: this.now,
        withDeadline: withCancelSignal,
        digest: sha256Hex,
        journal: this.kit.journal(stepsOf(id), () => this.isThere(id)),
      },
    );
  }

  /** Made anew of what is stored. Without the rules, nobody but operators reads its reasons: a shadow's are for nobody else anyway. */
  private async again({ body }: Row): Promise<Known | undefined> {
    const { name, version, origin, ...shadowed } = bodySchema().parse(JSON.parse(body));
    const { tenantId } = this.owner();
    const platform = await this.ports?.platform.at(tenantId, undefined);
    const [found] = (await platform?.resources.versions(tenantId, [{ kind: "supervisors", name, version }])) ?? [];
    if (platform === undefined || found === undefined || !isOfKind("supervisors", found)) return undefined;
    const supervisor = platform.supervisors.build(tenantId, found, { health: this.kit.health, origin });
    const limits = () => platform.limitsOfWork(factsOf(tenantId, origin));
    return { pending: { supervisor, rules: [], shadowed }, limits };
  }

  private drop(id: string): void {
    exec(this.ctx.storage.sql)`DELETE FROM shadows WHERE id = ${id}`;
    this.forgetSteps(id);
  }

  private forgetSteps(id: string): void {
    this.kit.works.forget(stepsOf(id));
    this.kit.budgets.end(stepsOf(id));
  }

  private isThere(id: string): boolean {
    if (this.isStopped) return false;
    return this.ctx.storage.sql.exec("SELECT 1 FROM shadows WHERE id = ?", id).toArray().length > 0;
  }
}

/** What its steps stand under in the journal. */
function stepsOf(id: string): string {
  return `shadow/${id}`;
}
