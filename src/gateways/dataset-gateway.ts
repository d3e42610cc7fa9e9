/** Calls of datasets: their items, and the evals over them. */
import { z } from "zod";
import type { ActorRecord } from "../conversation/actor-record.js";
import type { CommandKey } from "../conversation/command-key.js";
import type { Result } from "../conversation/problem.js";
import { type Comparison, comparisonSchema } from "../evidence/comparison.js";
import { type Added, addedSchema, type DatasetView, datasetViewSchema } from "../evidence/dataset.js";
import { type Eval, evalSchema, type ItemResult, itemResultSchema, type NewEval } from "../evidence/evaluation.js";
import { type Expected, type Item, itemSchema, type NewItem } from "../evidence/item.js";
import { lazily } from "../text/lazily.js";
import type { PlacedObjects } from "./placement.js";
import { type Page, pageSchema, resultOf, toWire, type Wire } from "./wire.js";

/** An item that is to be added, under the digest of its content. */
export interface ItemToAdd extends NewItem {
  readonly itemId: string;
  readonly source: Item["source"];
  readonly labelledBy?: string | undefined;
}

/** What an eval is begun with, as its act has settled it. */
export interface EvalToStart extends Omit<NewEval, "dataset"> {
  readonly evalId: string;
  readonly keyId: string | undefined;
  /** Who starts it. */
  readonly by: ActorRecord;
  /** Calls of models that a unit may lead to, of each candidate; 0 where it needs none. */
  readonly modelCalls: readonly number[];
  /** The same where every worker, seat and supervisor has a part in it. */
  readonly atMost: readonly number[];
  /** The same of a judgement; 0 where there is no judge. */
  readonly judgeCalls: number;
  /** What each of them is asked with, in tokens, without the text. */
  readonly promptTokens: number;
  /** Says what it would come to, and begins nothing. */
  readonly onlyEstimate: boolean;
}

export interface ResultFilter {
  readonly candidate?: string | undefined;
  /** Only what isn't as expected. */
  readonly wrong?: boolean | undefined;
  /** Only items of which candidates said different things. */
  readonly disagreement?: boolean | undefined;
  readonly failed?: boolean | undefined;
}

export type EvalCommand =
  | { readonly act: "cancel" }
  | { readonly act: "retry" }
  | { readonly act: "resume"; readonly maxTokens: number };

/** Which item. */
interface ItemPath {
  readonly tenantId: string;
  readonly name: string;
  readonly itemId: string;
}

/** What a dataset's object offers. */
export interface DatasetObject {
  put(
    tenantId: string,
    name: string,
    description: string | undefined,
    key: CommandKey | undefined,
  ): Promise<Wire<Result<{ view: DatasetView; created: boolean }>>>;
  describe(): Promise<Wire<Result<DatasetView>>>;
  remove(): Promise<boolean>;
  addItems(items: Wire<readonly ItemToAdd[]>, key: CommandKey | undefined): Promise<Wire<Result<Added>>>;
  items(version: number | undefined, after: number, limit: number): Promise<Wire<Result<Page<Item>>>>;
  labelItem(
    itemId: string,
    expected: Wire<Expected>,
    by: string,
    key: CommandKey | undefined,
  ): Promise<Wire<Result<Item>>>;
  eraseItem(itemId: string, key: CommandKey | undefined): Promise<Wire<Result<null>>>;
  /** Erases the items that were drawn from a session; of one turn, the texts of results. */
  eraseDrawn(sessionId: string, turnId?: string): Promise<number>;
  startEval(started: Wire<EvalToStart>): Promise<Wire<Result<Eval>>>;
  evaluation(evalId: string): Promise<Wire<Result<Eval>>>;
  command(evalId: string, command: Wire<EvalCommand>, key: CommandKey | undefined): Promise<Wire<Result<Eval>>>;
  results(
    evalId: string,
    filter: Wire<ResultFilter>,
    after: number,
    limit: number,
  ): Promise<Wire<Result<Page<ItemResult>>>>;
  comparison(evalId: string): Promise<Wire<Result<Comparison>>>;
}

const schemas = lazily(() => ({
  put: resultOf(z.object({ view: datasetViewSchema(), created: z.boolean() })),
  view: resultOf(datasetViewSchema()),
  added: resultOf(addedSchema()),
  items: resultOf(pageSchema(itemSchema())),
  item: resultOf(itemSchema()),
  nothing: resultOf(z.null()),
  evaluation: resultOf(evalSchema()),
  results: resultOf(pageSchema(itemResultSchema())),
  comparison: resultOf(comparisonSchema()),
}));

export const evalToStartSchema = lazily(() => z.custom<EvalToStart>((value) => typeof value === "object"));
export const itemsToAddSchema = lazily(() => z.array(itemSchema().extend({ labelledBy: z.string().optional() })));
export const evalCommandSchema = lazily(() =>
  z.discriminatedUnion("act", [
    z.object({ act: z.literal("cancel") }),
    z.object({ act: z.literal("retry") }),
    z.object({ act: z.literal("resume"), maxTokens: z.int() }),
  ]),
);
export const resultFilterSchema = lazily(() =>
  z.object({
    candidate: z.string().optional(),
    wrong: z.boolean().optional(),
    disagreement: z.boolean().optional(),
    failed: z.boolean().optional(),
  }),
);
/** The datasets of tenants, each in an object under its name. */
export class DatasetGateway {
  constructor(private readonly objects: PlacedObjects<DatasetObject>) {}

  put(tenantId: string, name: string, description: string | undefined, key: CommandKey | undefined) {
    return this.objects.read([tenantId, name], schemas().put, (object) => object.put(tenantId, name, description, key));
  }

  describe(tenantId: string, name: string): Promise<Result<DatasetView>> {
    return this.objects.read([tenantId, name], schemas().view, (object) => object.describe());
  }

  remove(tenantId: string, name: string): Promise<boolean> {
    return this.objects.call([tenantId, name], (object) => object.remove());
  }

  addItems(
    tenantId: string,
    name: string,
    items: readonly ItemToAdd[],
    key: CommandKey | undefined,
  ): Promise<Result<Added>> {
    return this.objects.read([tenantId, name], schemas().added, (object) => object.addItems(toWire(items), key));
  }

  items(
    tenantId: string,
    name: string,
    version: number | undefined,
    after: number,
    limit: number,
  ): Promise<Result<Page<Item>>> {
    return this.objects.read([tenantId, name], schemas().items, (object) => object.items(version, after, limit));
  }

  labelItem(
    { tenantId, name, itemId }: ItemPath,
    expected: Expected,
    by: string,
    key: CommandKey | undefined,
  ): Promise<Result<Item>> {
    return this.objects.read([tenantId, name], schemas().item, (object) =>
      object.labelItem(itemId, toWire(expected), by, key),
    );
  }

  eraseItem({ tenantId, name, itemId }: ItemPath, key: CommandKey | undefined): Promise<Result<null>> {
    return this.objects.read([tenantId, name], schemas().nothing, (object) => object.eraseItem(itemId, key));
  }

  eraseDrawn(
    tenantId: string,
    name: string,
    { sessionId, turnId }: { readonly sessionId: string; readonly turnId?: string | undefined },
  ): Promise<number> {
    return this.objects.call([tenantId, name], (object) => object.eraseDrawn(sessionId, turnId));
  }

  startEval(tenantId: string, name: string, started: EvalToStart): Promise<Result<Eval>> {
    return this.objects.read([tenantId, name], schemas().evaluation, (object) => object.startEval(toWire(started)));
  }

  evaluation(tenantId: string, name: string, evalId: string): Promise<Result<Eval>> {
    return this.objects.read([tenantId, name], schemas().evaluation, (object) => object.evaluation(evalId));
  }

  command(
    tenantId: string,
    name: string,
    evalId: string,
    command: EvalCommand,
    key: CommandKey | undefined,
  ): Promise<Result<Eval>> {
    return this.objects.read([tenantId, name], schemas().evaluation, (object) =>
      object.command(evalId, toWire(command), key),
    );
  }

  results(
    tenantId: string,
    name: string,
    evalId: string,
    filter: ResultFilter,
    after: number,
    limit: number,
  ): Promise<Result<Page<ItemResult>>> {
    return this.objects.read([tenantId, name], schemas().results, (object) =>
      object.results(evalId, toWire(filter), after, limit),
    );
  }

  comparison(tenantId: string, name: string, evalId: string): Promise<Result<Comparison>> {
    return this.objects.read([tenantId, name], schemas().comparison, (object) => object.comparison(evalId));
  }
}
