/** The evals over a dataset: begun, done slice by slice, stopped where their tokens end, and compared. */
import type { DatasetPlatform } from "../../src/application/evidence/dataset-platform.js";
import type { JudgedSlice } from "../../src/application/evidence/judge-units.js";
import type { CommandKey } from "../../src/conversation/command-key.js";
import { defined } from "../../src/conversation/defined.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import { type Comparison, compare } from "../../src/evidence/comparison.js";
import { refusedEval } from "../../src/evidence/estimate.js";
import { type Eval, type ItemResult, sliceLength } from "../../src/evidence/evaluation.js";
import type { EvalCommand, EvalToStart, ResultFilter } from "../../src/gateways/dataset-gateway.js";
import type { Page } from "../../src/gateways/wire.js";
import { sleep } from "../../src/platform/clock.js";
import type { FailingJob } from "../../src/tenancy/limits/events.js";
import { loaded } from "../../src/text/lazily.js";
import type { Kit } from "../kit/kit.js";
import type { Lease, StepOutcome, WorkItem } from "../kit/work-loop.js";
import type { EvalRecord, EvalStore } from "./eval-store.js";
import { estimateOf, evalView, itemResults } from "./eval-views.js";
import { nextUnits } from "./next-units.js";
import type { DatasetStore } from "./store.js";

const judging = loaded(() => import("../../src/application/evidence/judge-units.js"));

/** Evals of a dataset that run at a time. */
const mostRunning = 2;

export class EvalRunner {
  constructor(
    private readonly rows: EvalStore,
    private readonly store: DatasetStore,
    private readonly kit: Kit,
    private readonly platform: DatasetPlatform,
  ) {}

  /** Whether one goes on without anybody doing anything. */
  active(): boolean {
    return this.rows.running() !== undefined;
  }

  has(evalId: string): boolean {
    return this.rows.find(evalId) !== undefined;
  }

  start(wanted: EvalToStart): Result<Eval> {
    const { evalId, candidates, repeats, parallel, callHttp, copy, judge, keyId, maxTokens, onlyEstimate } = wanted;
    const known = this.rows.find(evalId);
    if (known !== undefined) return ok(this.evalView(known));
    const newest = this.store.dataset().version;
    const version = wanted.version ?? newest;
    if (version > newest)
      return refuse("not_found", `The dataset has no version ${version} yet; its newest is ${newest}.`);
    const items = this.store.counts(version).items;
    const { estimate, greatest, turns } = estimateOf(wanted, this.store, version);
    if (judge !== undefined && !copy && turns > 0)
      return refuse("invalid", "A judge reads answers, and of turns results keep none without `copy`; see errors.", {
        errors: [
          { path: "eval.copy", message: `has to be true where there is a judge: ${turns} of the items are turns` },
        ],
      });
    const refused = refusedEval(estimate, onlyEstimate ? Number.POSITIVE_INFINITY : maxTokens);
    if (refused !== undefined) return refused;
    const record = {
      ...{ evalId, version, items, estimate, maxTokens, greatest },
      definition: { candidates: [...candidates], repeats, parallel, callHttp, copy, ...defined({ judge, keyId }) },
    };
    if (onlyEstimate)
      return ok(
        evalView(
          { ...unbegun, ...record, status: "running", createdAt: this.platform.now() },
          this.store.dataset().name,
        ),
      );
    if (items === 0) return refuse("invalid", `Version ${version} of the dataset has no items. Import some first.`);
    if (this.rows.countRunning() >= mostRunning)
      return refuse("conflict", `${mostRunning} evals of this dataset are running. Wait for one, or cancel it.`);
    this.kit.write(() => {
      this.rows.add(record, this.platform.now());
      this.changed(evalId);
      this.kit.outbox.put("act", evalId, {
        ...{ type: "eval.started", workId: evalId, decision: "started", actor: wanted.by },
        ...{
          subject: { kind: "datasets", name: this.store.dataset().name, version },
          reasons: [],
          at: this.platform.now(),
        },
      });
      this.kit.loop.kick();
    });
    this.kit.deliverSoon();
    return ok(this.evalOf(evalId));
  }

  command(evalId: string, command: EvalCommand, key: CommandKey | undefined): Result<Eval> {
    const found = this.rows.find(evalId);
    if (found === undefined) return noEval;
    const again = () => ok(this.evalOf(evalId));
    const done = this.kit.commands.once(key, () => this.commanded(found, command), again);
    this.kit.deliverSoon();
    return done;
  }

  evalOf(evalId: string): Eval {
    const record = this.rows.find(evalId);
    if (record === undefined) throw new TypeError(`there is no eval ${evalId}`);
    return this.evalView(record);
  }

  results(evalId: string, filter: ResultFilter, after: number, limit: number): Result<Page<ItemResult>> {
    const record = this.rows.find(evalId);
    if (record === undefined) return noEval;
    const { results, next } = itemResults(record, { store: this.store, evals: this.rows }, after, limit);
    const isWanted = ({ candidate, correct, judged, result }: ItemResult): boolean =>
      (filter.candidate === undefined || candidate === filter.candidate) &&
      (filter.wrong !== true || correct === false) &&
      (filter.failed !== true || (result.failed ?? judged?.failed) !== undefined);
    const disagreed = (itemId: string): boolean =>
      new Set(results.filter((one) => one.itemId === itemId).map(({ result }) => result.action)).size > 1;
    return ok({
      items: results.filter((one) => isWanted(one) && (filter.disagreement !== true || disagreed(one.itemId))),
      next,
    });
  }

  comparison(evalId: string): Result<Comparison> {
    const record = this.rows.find(evalId);
    if (record === undefined) return noEval;
    const all: ItemResult[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const page = itemResults(record, { store: this.store, evals: this.rows }, after, 1_000);
      all.push(...page.results.map(({ input: _, ...one }) => one));
      after = page.next;
    }
    return ok(
      compare(
        all,
        record.definition.candidates.map(({ name }) => name),
        evalId,
      ),
    );
  }

  /** In the write that is under way. */
  renewCopies(): void {
    for (const evalId of this.rows.ids()) this.changed(evalId);
  }

  private changed(evalId: string): void {
    this.kit.outbox.put("eval", evalId, this.evalOf(evalId));
  }

  private evalView(record: EvalRecord): Eval {
    return evalView({ ...record, ...this.rows.counts(record.evalId) }, this.store.dataset().name);
  }

  private commanded({ evalId, status, spent, reserved }: EvalRecord, command: EvalCommand): Result<Eval> {
    const { rows, platform } = this;
    switch (command.act) {
      case "cancel":
        if (status === "running" || status === "stopped") {
          if (rows.running()?.evalId === evalId) this.kit.loop.cancel();
          rows.setStatus(evalId, "cancelled", platform.now());
        }
        break;
      case "retry":
        if (status === "running")
          return refuse("conflict", "The eval is running. Retry what failed when it has ended.");
        if (status === "cancelled") return refuse("conflict", "The eval was cancelled. Start another.");
        if (rows.forgetFailures(evalId) > 0) rows.goOn(evalId, undefined);
        this.kit.loop.kick();
        break;
      case "resume":
        if (status !== "stopped") return refuse("conflict", `The eval is ${status}: only one that stopped is resumed.`);
        if (command.maxTokens <= spent + reserved)
          return refuse("invalid", `It has taken ${spent + reserved} tokens already: maxTokens has to be more.`);
        rows.goOn(evalId, command.maxTokens);
        this.kit.loop.kick();
        break;
    }
    this.changed(evalId);
    return ok(this.evalOf(evalId));
  }

  next(): WorkItem | undefined {
    const running = this.rows.running();
    if (running === undefined) return undefined;
    const { evalId, doneTo } = running;
    return {
      slice: (lease) => this.runSlice(evalId, lease),
      tries: {
        id: evalId,
        progress: `${doneTo}/${this.rows.counts(evalId).done}`,
        setAside: (why) =>
          this.kit.write(() => {
            this.stop(evalId, `It was given up: ${why}. Go on with POST /v1/evals/{evalId}/resume.`);
            const at = this.platform.now();
            const data: FailingJob = { job: "eval", jobId: evalId, reason: "died" };
            this.kit.outbox.put("limit", evalId, { type: "job.failing", key: `job.failing ${evalId} ${at}`, data, at });
          }),
      },
    };
  }

  /** The next units of an eval. What is reserved for them is on the disk before the first is judged, their results in one write after. */
  private async runSlice(evalId: string, lease: Lease): Promise<StepOutcome> {
    const { store, rows, kit, platform } = this;
    const record = rows.find(evalId);
    if (record === undefined) return "again";
    const { definition, maxTokens, greatest } = record;
    const { tenantId } = store.dataset();
    // What the slice before had reserved, and nobody settled, is lost.
    const spent = record.spent + record.reserved;
    const most = sliceLength({ ...definition, maxTokens }, spent, greatest);
    const { units, doneTo, isFull } = nextUnits(record, most, store, rows);
    if (units.length === 0) {
      kit.write(() => (isFull ? this.stop(evalId, tooFewTokens) : this.complete(evalId)));
      kit.deliverSoon();
      return "again";
    }
    const left = maxTokens === undefined ? 0 : maxTokens - spent;
    const tokens = Math.min(left, units.length * greatest);
    const work = `${evalId}/${record.slice + 1}`;
    kit.write(() => {
      kit.budgets.end(`${evalId}/${record.slice}`);
      rows.reserve(evalId, tokens);
    });
    const limits = greatest === 0 ? undefined : await platform.limitsOfWork({ tenantId, keyId: definition.keyId });
    kit.budgets.limit(work, limits);
    const slice = { tenantId, evalId, ...definition, units, tokens };
    const { judgeUnits } = await judging();
    const done = await judgeUnits(
      { ...slice, limits: kit.budgets.of(work), ...lease },
      platform.services,
      platform.work,
    );
    if (!lease.isHeld()) return "again";
    kit.write(() => this.keep({ ...record, doneTo }, work, done, tokens === left));
    kit.deliverSoon();
    // Rules wait for nobody: without a pause everybody else in this isolate would wait to the eval's end.
    await sleep(0);
    return "again";
  }

  /** @param record with the last item of which nothing was left when the slice began @param isLast nothing more could have been reserved */
  private keep(
    { evalId, doneTo, greatest, definition }: EvalRecord,
    work: string,
    done: JudgedSlice,
    isLast: boolean,
  ): void {
    const { rows, kit, platform } = this;
    for (const judged of done.judged) rows.addResult(evalId, judged);
    const nothing = done.judged.length === 0;
    rows.settle(evalId, {
      spent: done.spent,
      doneTo,
      greatest: nothing && done.refused > 0 ? Math.max(greatest * 2, done.refused * 2) : greatest,
    });
    const { keyId } = definition;
    const models = [...done.usage];
    if (models.length > 0)
      kit.outbox.put("usage", work, {
        work,
        kind: "eval",
        agent: "",
        ...defined({ keyId }),
        models,
        at: platform.now(),
      });
    kit.budgets.end(work);
    if (nothing && done.refused > 0 && isLast) this.stop(evalId, tooFewTokens);
    else this.changed(evalId);
  }

  private complete(evalId: string): void {
    this.rows.setStatus(evalId, "completed", this.platform.now());
    this.changed(evalId);
  }

  private stop(evalId: string, reason: string): void {
    this.rows.setStatus(evalId, "stopped", this.platform.now(), reason);
    this.changed(evalId);
  }
}

const tooFewTokens =
  "The next call may take more than is left of maxTokens. Go on with POST /v1/evals/{evalId}/resume and a larger one.";

/** What an estimate says of an eval that isn't begun. */
const unbegun = { done: 0, failed: 0, spent: 0, reserved: 0, reason: undefined, endedAt: undefined };

export const noEval = refuse("not_found", "There is no such eval.");
