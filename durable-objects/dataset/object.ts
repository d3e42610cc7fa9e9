/** The object of a dataset as others call it: what it does is in `DatasetEngine`. */
import { environmentOf } from "../../src/composition/databases.js";
import { composeDatasetPlatform } from "../../src/composition/objects.js";
import type { CommandKey } from "../../src/conversation/command-key.js";
import { ok, type Result } from "../../src/conversation/problem.js";
import type { Comparison } from "../../src/evidence/comparison.js";
import type { Added, DatasetView } from "../../src/evidence/dataset.js";
import type { Eval, ItemResult } from "../../src/evidence/evaluation.js";
import { type Expected, expectedSchema, type Item } from "../../src/evidence/item.js";
import {
  type DatasetObject,
  type EvalCommand,
  type EvalToStart,
  evalCommandSchema,
  evalToStartSchema,
  type ItemToAdd,
  itemsToAddSchema,
  type ResultFilter,
  resultFilterSchema,
} from "../../src/gateways/dataset-gateway.js";
import { fromWire, type Page, toWire, type Wire } from "../../src/gateways/wire.js";
import { tenantOf } from "../kit/home.js";
import { StoredObject } from "../kit/stored-object.js";
import { DatasetEngine, noDataset } from "./dataset-engine.js";
import { noEval } from "./eval-runner.js";
import { datasetSchema } from "./schema.js";

/** A tenant's dataset: texts with what should come of them, and what candidates made of them. */
export class Dataset extends StoredObject<DatasetEngine> implements DatasetObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(
      ctx,
      env,
      datasetSchema,
      new DatasetEngine(ctx, composeDatasetPlatform(environmentOf(env, tenantOf(ctx, "dataset")))),
    );
    // A new instance goes on at once with what the one before it left, whatever woke it.
    if (this.canGoOn()) this.engine.kit.resume();
  }

  async put(tenantId: string, name: string, description: string | undefined, key: CommandKey | undefined) {
    const created = !this.exists();
    if (created)
      this.ctx.storage.transactionSync(() => {
        this.makeTables();
        this.engine.store.create(tenantId, name, Date.now());
      });
    return toWire(this.engine.describe(description, created, key));
  }

  async describe(): Promise<Wire<Result<DatasetView>>> {
    return toWire(this.exists() ? ok(this.engine.view()) : noDataset);
  }

  async remove(): Promise<boolean> {
    if (!this.exists()) return false;
    await this.engine.kit.stop();
    await this.engine.kit.empty();
    return true;
  }

  async addItems(items: Wire<readonly ItemToAdd[]>, key: CommandKey | undefined): Promise<Wire<Result<Added>>> {
    return toWire(this.exists() ? this.engine.addItems(fromWire(items, itemsToAddSchema()), key) : noDataset);
  }

  async items(version: number | undefined, after: number, limit: number): Promise<Wire<Result<Page<Item>>>> {
    return toWire(this.exists() ? ok(this.engine.itemsPage(version, after, limit)) : noDataset);
  }

  async labelItem(
    itemId: string,
    expected: Wire<Expected>,
    by: string,
    key: CommandKey | undefined,
  ): Promise<Wire<Result<Item>>> {
    if (!this.exists()) return toWire(noDataset);
    return toWire(this.engine.labelItem(itemId, fromWire(expected, expectedSchema()), by, key));
  }

  async eraseItem(itemId: string, key: CommandKey | undefined): Promise<Wire<Result<null>>> {
    return toWire(this.exists() ? this.engine.eraseItem(itemId, key) : noDataset);
  }

  async eraseDrawn(sessionId: string, turnId?: string): Promise<number> {
    if (!this.exists()) return 0;
    if (turnId !== undefined) return this.engine.eraseTurn(sessionId, turnId);
    const items = this.engine.store.drawnFrom(sessionId);
    for (const itemId of items) this.engine.eraseItem(itemId, undefined);
    return items.length;
  }

  async startEval(started: Wire<EvalToStart>): Promise<Wire<Result<Eval>>> {
    return toWire(this.exists() ? this.engine.evals.start(fromWire(started, evalToStartSchema())) : noDataset);
  }

  async evaluation(evalId: string): Promise<Wire<Result<Eval>>> {
    return toWire(this.ofEval(evalId, () => ok(this.engine.evals.evalOf(evalId))));
  }

  async command(evalId: string, command: Wire<EvalCommand>, key: CommandKey | undefined): Promise<Wire<Result<Eval>>> {
    return toWire(
      this.ofEval(evalId, () => this.engine.evals.command(evalId, fromWire(command, evalCommandSchema()), key)),
    );
  }

  async results(
    evalId: string,
    filter: Wire<ResultFilter>,
    after: number,
    limit: number,
  ): Promise<Wire<Result<Page<ItemResult>>>> {
    const wanted = fromWire(filter, resultFilterSchema());
    return toWire(this.ofEval(evalId, () => this.engine.evals.results(evalId, wanted, after, limit)));
  }

  async comparison(evalId: string): Promise<Wire<Result<Comparison>>> {
    return toWire(this.ofEval(evalId, () => this.engine.evals.comparison(evalId)));
  }

  private ofEval<T>(evalId: string, read: () => Result<T>): Result<T> {
    return this.exists() && this.engine.evals.has(evalId) ? read() : noEval;
  }
}
