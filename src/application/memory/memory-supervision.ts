/**
 * Supervision of memories. What somebody writes to one passes the tenant's request supervisors, as a message would; what is recalled
 * into a prompt passes the tenant's rules again, since they may have been stored after it.
 */
import { settleInOrder } from "../../agent/concurrency.js";
import { type Journal, Parked } from "../../agent/journal.js";
import { transientJournal } from "../../agent/transient-journal.js";
import type { ModelUsage } from "../../agent/work.js";
import { type ActorRecord, callerOf, recordOf } from "../../conversation/actor-record.js";
import { defined } from "../../conversation/defined.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import { withCancelSignal } from "../../platform/clock.js";
import { newId } from "../../platform/ids.js";
import { batch } from "../../platform/sql.js";
import { insertMemoryPass } from "../../stores/audit-log.js";
import { saltOfMemory } from "../../stores/memory/memory-store.js";
import { activeAtHop } from "../../supervision/as-hop.js";
import { dataGuard, givesOrders } from "../../supervision/orders-in-data.js";
import type { PendingShadow } from "../../supervision/shadows.js";
import type { SupervisionState } from "../../supervision/state.js";
import { type Subject, spokenText } from "../../supervision/subject.js";
import { supervise } from "../../supervision/supervise.js";
import type { Supervisor } from "../../supervision/supervisor.js";
import { isOfKind } from "../../tenancy/resources.js";
import { lazily, loaded } from "../../text/lazily.js";
import type { RequestBudget, RequestBudgetPorts } from "../limits/request-budget.js";
import { saltedHash } from "../salted-hash.js";
import type { SupervisorBuilder } from "../supervisor-builder.js";
import { addModelUsage, recordUsage, type UsagePorts } from "../usage/record-usage.js";
import { missing, named, pinsOf, type SetupSources, tenantPolicies, type WorkPolicies } from "../work-setup.js";
import { storedShadow } from "./memory-shadows.js";
import {
  issuesOf,
  type MemorySubject,
  type Outcome,
  type Refused,
  refuseWrite,
  type WrittenText,
} from "./written-text.js";

export type SupervisionSources = Pick<SetupSources, "tenants" | "resources"> &
  UsagePorts &
  RequestBudgetPorts & {
    readonly supervisors: Pick<SupervisorBuilder, "build" | "counting">;
    /** What is judged is put on no record. */
    readonly isUnrecorded?: true;
  };

/** Whose memory it is, and which. */
interface MemoryName {
  readonly tenantId: string;
  readonly memoryId: string;
  /** Whom it is about. */
  readonly subject?: string | undefined;
}

/** What is put on record of some texts of one memory. */
interface PassRecord {
  readonly passes: SupervisionState[];
  /** Those whose verdict a write doesn't wait for. */
  readonly shadows: PendingShadow[];
  readonly hash: (subject: Subject) => Promise<string>;
  /** What calls of models are held against. */
  readonly journal: Journal;
}

/** What becomes of a text: what is written or recalled is as good as a message, what an end user reads as good as a reply, too. */
type Use = "kept" | "shown";
/** Of a text that isn't let pass so many lines are judged one by one; a longer one is left out. */
const mostLines = 1_000;

/** Texts that are supervised at the same time. */
const textsAtOnce = 8;

export class MemorySupervision {
  constructor(private readonly sources: SupervisionSources) {}

  /** The same, with what is known of a tenant. */
  with(view: Pick<SupervisionSources, "tenants" | "resources">): MemorySupervision {
    return new MemorySupervision({ ...this.sources, ...view });
  }

  /** The same, which leaves no trace: for what is only tried. */
  unrecorded(): MemorySupervision {
    return new MemorySupervision({ ...this.sources, isUnrecorded: true });
  }

  /**
   * Has texts supervised before they are written.
   * @returns the texts as they may be written, in their order; a refusal when one of them is blocked, or held for a review (a write
   * can't wait for a person), and `conflict` when the settings name a supervisor that is gone
   */
  async ofWrite(memory: MemoryName, actor: ActorRecord, texts: readonly WrittenText[]): Promise<Result<string[]>> {
    const { tenantId } = memory;
    const policies = await tenantPolicies(tenantId, this.sources);
    const usage = new Map<string, ModelUsage>();
    const counting = this.sources.supervisors.counting((model, taken) => addModelUsage(usage, model, taken));
    const supervisors = await this.supervisorsNamed(tenantId, policies.supervisors, "kept", counting);
    if (!supervisors.ok) return supervisors;
    if (supervisors.value.length === 0) return ok(texts.map(({ content }) => content));
    const record = this.recordOf(memory);
    const budget = await this.budgetOf(memory, actor, supervisors.value);
    const tasks = texts.map(
      ({ content }) =>
        () =>
          this.judge(content, supervisors.value, policies, { ...record, journal: budget.journal }),
    );
    const outcomes = await settleInOrder(tasks, textsAtOnce).finally(() =>
      Promise.all([budget.end(), this.count(tenantId, actor, usage)]),
    );
    await this.keep(memory, actor, record.passes, record.shadows);
    const refusal = budget.refusal();
    // Without room for who judges it nothing is written, and later there may be: it isn't the text's fault.
    if (refusal !== undefined) return { ok: false, problem: refusal };
    const refused = outcomes.flatMap((outcome, at): Refused[] => issuesOf(outcome, texts[at]));
    if (refused.length > 0) return refuseWrite(refused);
    return ok(outcomes.flatMap((outcome) => (outcome === "held" ? [] : [spokenText(outcome.subject)])));
  }

  /** Holds texts that an end user reads against the tenant's rules as they are now. */
  async ofReading(memory: MemoryName, texts: readonly string[]): Promise<string[]> {
    const record = this.recordOf(memory);
    const policies = await tenantPolicies(memory.tenantId, this.sources);
    const read = await this.byRules(memory, texts, policies, record, "shown");
    await this.keepActed(memory, "reading", record);
    return read;
  }

  /** The same of recalled texts, for a prompt: what gives orders is marked as data. */
  async ofRecall(memory: MemoryName, texts: readonly string[]): Promise<string[]> {
    const policies = await tenantPolicies(memory.tenantId, this.sources);
    const record = this.recordOf(memory);
    const marked: string[] = [];
    for (const text of await this.byRules(memory, texts, policies, record)) {
      marked.push(await this.withoutOrders(text, policies, record));
    }
    await this.keepActed(memory, "recall", record);
    return marked;
  }

  /** What the rules change is changed, what they don't let pass is left out; of a text of several lines, only the lines that it concerns. */
  private async byRules(
    { tenantId }: MemoryName,
    texts: readonly string[],
    policies: Awaited<ReturnType<typeof tenantPolicies>>,
    record: PassRecord,
    use: Use = "kept",
  ): Promise<string[]> {
    const all = await this.supervisorsNamed(tenantId, policies.supervisors, use);
    // A rule that is gone must not be a rule that allows.
    if (!all.ok) return texts.map(() => "");
    const rules = all.value.filter(({ pure }) => pure);
    const passing = async (text: string): Promise<string> => {
      const outcome = await this.judge(text, rules, policies, record, use);
      return outcome === "held" || outcome.action === "block" ? "" : spokenText(outcome.subject);
    };
    const recalled: string[] = [];
    for (const text of texts) {
      const whole = text === "" ? "" : await passing(text);
      if (whole !== "" || !text.includes("\n")) {
        recalled.push(whole);
        continue;
      }
      const lines: string[] = [];
      const parts = text.split("\n");
      for (const line of parts.length > mostLines ? [] : parts) lines.push(line === "" ? "" : await passing(line));
      const left = lines.join("\n").trim();
      // What no line says alone, they may say together.
      recalled.push(left === "" ? "" : await passing(left));
    }
    return recalled;
  }

  private keepActed(memory: MemoryName, id: string, { passes }: PassRecord): Promise<void> {
    // However many texts of a page a rule concerns, and however often they are read: a row for each thing that was done.
    const acted = new Map(
      passes
        .filter(({ decision }) => decision !== "allow")
        .map((state) => [
          JSON.stringify([state.decision, ...state.steps.map((step) => [step.supervisor, step.action])]),
          state,
        ]),
    );
    return this.keep(memory, { kind: "system", id }, [...acted.values()]);
  }

  /** A recalled text in which what gives orders is marked as data, or left out: a line of it, or all of it if lines do so together. */
  private async withoutOrders(text: string, policies: WorkPolicies, record: PassRecord): Promise<string> {
    const { ordersInData } = policies;
    if (ordersInData === "allow" || !givesOrders(text)) return text;
    const guard = [dataGuard(ordersInData, new Set(["request"] as const))];
    const judged = async (part: string): Promise<string> => {
      const outcome = await this.judge(part, guard, policies, record);
      return outcome === "held" || outcome.action === "block" ? "" : spokenText(outcome.subject);
    };
    const lines = text.split("\n");
    if (!lines.some(givesOrders)) return judged(text);
    const parts = await Promise.all(lines.map((line) => (givesOrders(line) ? judged(line) : line)));
    const marked = parts.join("\n");
    // What no other line says alone, they may say together.
    return givesOrders(marked) ? judged(text) : marked;
  }

  private async judge(
    content: string,
    supervisors: readonly Supervisor[],
    { strict, reviews }: WorkPolicies,
    { passes, shadows, hash, journal }: PassRecord,
    use: Use = "kept",
  ): Promise<Outcome> {
    const subject: MemorySubject =
      use === "kept"
        ? { hook: "request", message: { messageId: newId("msg"), role: "user", content } }
        : { hook: "hop", from: "memory", to: "user", content };
    try {
      return await supervise<MemorySubject>(subject, supervisors, journal, {
        now: this.sources.now,
        hash,
        withDeadline: withCancelSignal,
        strict,
        decided: (state) => void passes.push({ ...state, subject: {} }),
        shadow: (pending) => void shadows.push(pending),
        review: reviews,
        source: {},
      });
    } catch (error) {
      if (error instanceof Parked) return "held";
      throw error;
    }
  }

  /** The tenant's supervisors of requests, as they are now; of what is shown, those of responses too. */
  private async supervisorsNamed(
    tenantId: string,
    names: readonly string[],
    use: Use = "kept",
    supervisors: Pick<SupervisorBuilder, "build"> = this.sources.supervisors,
  ): Promise<Result<Supervisor[]>> {
    if (names.length === 0) return ok([]);
    const { resources } = this.sources;
    const pins = pinsOf("supervisors", await resources.pins(tenantId, named("supervisors", names)));
    const versions = await resources.versions(tenantId, pins);
    const absent = names.find((name) => !versions.some((version) => version.name === name));
    // Trying again is of no use: somebody has to store it, or to change the settings.
    if (absent !== undefined) {
      const detail = `${missing("supervisors", absent)} The tenant's settings name it (PATCH /v1/tenant).`;
      return refuse("conflict", detail, { userMessage: "That can't be stored at present." });
    }
    const all = versions
      .filter((version) => isOfKind("supervisors", version))
      .map((version) => supervisors.build(tenantId, version));
    return ok(
      use === "kept" ? all.filter(({ hooks }) => hooks.has("request")) : activeAtHop(all, ["request", "response"]),
    );
  }

  private recordOf(memory: MemoryName): PassRecord {
    const salt = lazily(() => saltOfMemory(this.sources.db, memory, newId("req")));
    const hash = async (subject: Subject): Promise<string> => saltedHash(await salt(), subject);
    return { passes: [], shadows: [], hash, journal: transientJournal };
  }

  /** Rules call no model, so nobody is asked for room. */
  private async budgetOf(
    { tenantId, subject }: MemoryName,
    actor: ActorRecord,
    supervisors: readonly Supervisor[],
  ): Promise<RequestBudget> {
    const mayCall = supervisors.some(({ pure, mode }) => !pure && mode !== "shadow");
    const facts = mayCall ? { tenantId, ...defined({ subject }), ...callerOf(actor) } : undefined;
    return (await budgeting()).requestBudget(facts, this.sources);
  }

  private async count(tenantId: string, actor: ActorRecord, usage: ReadonlyMap<string, ModelUsage>): Promise<void> {
    const origin = { tenantId, work: newId("req"), kind: "memory_write", ...callerOf(actor) } as const;
    await recordUsage(origin, usage, this.sources);
  }

  private async keep(
    { tenantId, memoryId }: MemoryName,
    actor: ActorRecord,
    passes: readonly SupervisionState[],
    shadows: readonly PendingShadow[] = [],
  ): Promise<void> {
    if (passes.length === 0 || this.sources.isUnrecorded === true) return;
    const { db, now } = this.sources;
    const [memory, by, at] = [{ tenantId, memoryId }, recordOf(actor), now()];
    await batch(db, [
      ...passes.map((state) => insertMemoryPass(memory, { state, actor: by, at })),
      ...shadows.map((shadow) => storedShadow(memory, shadow, by, at)),
    ]);
  }
}

const budgeting = loaded(() => import("../limits/request-budget.js"));
