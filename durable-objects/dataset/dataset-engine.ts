/** A dataset at work: its items and their versions. The evals over them are `EvalRunner`'s. */
import type { DatasetPlatform } from "../../src/application/evidence/dataset-platform.js";
import type { CommandKey } from "../../src/conversation/command-key.js";
import { defined } from "../../src/conversation/defined.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import { type Added, type DatasetView, replayPrefix } from "../../src/evidence/dataset.js";
import { type Expected, type Item, itemSchema, maxItems } from "../../src/evidence/item.js";
import type { ItemToAdd } from "../../src/gateways/dataset-gateway.js";
import type { Page } from "../../src/gateways/wire.js";
import { describeError } from "../../src/platform/logging.js";
import { canonicalJson } from "../../src/text/json.js";
import { otherCommand } from "../kit/commands.js";
import { Kit } from "../kit/kit.js";
import { EvalRunner } from "./eval-runner.js";
import { EvalStore } from "./eval-store.js";
import { DatasetStore } from "./store.js";

export class DatasetEngine {
  readonly store: DatasetStore;
  readonly evals: EvalRunner;
  readonly kit: Kit;

  constructor(
    ctx: DurableObjectState,
    private readonly platform: DatasetPlatform,
  ) {
    this.store = new DatasetStore(ctx.storage.sql);
    this.kit = new Kit(ctx, {
      now: platform.now,
      owner: () => {
        const { tenantId, name } = this.store.dataset();
        return { tenantId, id: name };
      },
      deliver: (messages, { tenantId, id }) => platform.deliver({ tenantId, ownerId: id, messages }),
      next: () => this.evals.next(),
      present: (_type, data) => data,
      askClosed: () => {},
      active: () => this.evals.active(),
      crashed: (error) => this.kit.log("error", "eval.slice_failed", describeError(error)),
      load: platform.load,
    });
    this.evals = new EvalRunner(new EvalStore(ctx.storage.sql), this.store, this.kit, platform);
  }

  renewCopy(): void {
    this.kit.outbox.put("dataset", "dataset", this.view());
    this.evals.renewCopies();
  }

  view(): DatasetView {
    const { name, description, version, createdAt, updatedAt } = this.store.dataset();
    const counted = this.store.counts(version);
    return {
      name,
      ...defined({ description, of: name.startsWith(replayPrefix) ? ("replay" as const) : undefined }),
      version,
      ...counted,
      createdAt: new Date(createdAt).toISOString(),
      updatedAt: new Date(updatedAt).toISOString(),
    };
  }

  describe(
    description: string | undefined,
    created: boolean,
    key: CommandKey | undefined,
  ): Result<{ view: DatasetView; created: boolean }> {
    return this.once(key, () => {
      this.store.describe(description, this.platform.now());
      return ok({ view: this.view(), created });
    });
  }

  /** An item that is there already stays as it is: importing twice adds nothing. */
  addItems(items: readonly ItemToAdd[], key: CommandKey | undefined): Result<Added> {
    return this.once(key, () => {
      const known = this.store.known(items.map(({ itemId }) => itemId));
      const fresh = [...new Map(items.map((item) => [item.itemId, item])).values()].filter(
        ({ itemId }) => !known.has(itemId),
      );
      const { version, items: there } = this.view();
      if (there + fresh.length > maxItems)
        return refuse("conflict", `A dataset has at most ${maxItems} items; this one has ${there}. Begin another.`);
      const same = items.length - fresh.length;
      if (fresh.length === 0) return ok({ added: 0, same, version });
      const made = this.store.nextVersion(this.platform.now());
      for (const item of fresh) this.store.add(itemSchema().parse(item), made);
      return ok({ added: fresh.length, same, version: made });
    });
  }

  labelItem(itemId: string, expected: Expected, by: string, key: CommandKey | undefined): Result<Item> {
    const done = this.once(key, (): Result<{ readonly labelled: true }> => {
      const found = this.store.item(itemId);
      if (found === undefined) return noItem;
      if (canonicalJson(found.item.expected) !== canonicalJson(expected)) {
        const item: Item = { ...found.item, expected, labelledBy: by };
        this.store.replace({ n: found.n, item }, this.store.nextVersion(this.platform.now()));
      }
      return ok({ labelled: true });
    });
    if (!done.ok) return done;
    const found = this.store.item(itemId);
    return found === undefined ? noItem : ok(found.item);
  }

  /** What it was and what was said of it are gone from every version. */
  eraseItem(itemId: string, key: CommandKey | undefined): Result<null> {
    return this.once(key, () => {
      if (!this.store.erase(itemId)) return noItem;
      this.kit.freeSpace.overwriteSoon();
      this.store.nextVersion(this.platform.now());
      return ok(null);
    });
  }

  /** Of a turn of which a text was erased, results keep what came of it, and no words. @returns how many */
  eraseTurn(sessionId: string, turnId: string): number {
    const erased = this.kit.write(() => this.store.eraseTexts(sessionId, turnId));
    if (erased > 0) this.kit.freeSpace.overwriteSoon();
    return erased;
  }

  itemsPage(version: number | undefined, after: number, limit: number): Page<Item> {
    const rows = this.store.items(version ?? this.store.dataset().version, after, limit + 1);
    const shown = rows.slice(0, limit);
    return { items: shown.map(({ item }) => item), next: rows.length > limit ? (shown.at(-1)?.n ?? null) : null };
  }

  /** A change of items, once under its key: a repetition is told what the first one came to. */
  private once<T>(key: CommandKey | undefined, change: () => Result<T>): Result<T> {
    const { kit } = this;
    const known = kit.commands.find(key);
    // What was left under a key is what this very change came to: its digest says so.
    if (known !== undefined) return known.kind === "done" ? ok(JSON.parse(known.note)) : otherCommand;
    const done = kit.write(() => {
      const result = change();
      if (result.ok) {
        kit.commands.claim(key, JSON.stringify(result.value));
        kit.outbox.put("dataset", "dataset", this.view());
      }
      return result;
    });
    kit.deliverSoon();
    return done;
  }
}

export const noDataset = refuse("not_found", "There is no such dataset. Make it with PUT /v1/datasets/{name}.");
const noItem = refuse("not_found", "The dataset has no such item.");
