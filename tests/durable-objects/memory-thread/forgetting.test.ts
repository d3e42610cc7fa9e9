/**
 * Memory forgets only what was erased: over random entries, flushes, corrections, deletions, expiries and documents by hand, each
 * remaining fact is in the context once it has settled, and no erased text is anywhere.
 */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { maintainMemories } from "../../../src/application/memory/maintenance.js";
import { composeServices } from "../../../src/composition/services.js";
import type { Fields } from "../../support/conclave.js";
import { newMemory, type TestMemory } from "../../support/memory.js";
import { randomFrom } from "../../support/random.js";
import { tracesInD1, tracesInThread } from "../../support/traces.js";

const threads = ["first", "second"] as const;
const steps = 36;

interface Known {
  readonly entryId: string;
  readonly fact: string;
}

/** What is done with a memory, and what has to be true of it by then. */
class Story {
  private readonly random: () => number;
  private facts: Known[] = [];
  private readonly superseded: Known[] = [];
  private readonly byHand: string[] = [];
  readonly erased: string[] = [];

  constructor(
    private readonly memory: TestMemory,
    seed: number,
  ) {
    this.random = randomFrom(seed);
  }

  async run(): Promise<void> {
    for (let step = 0; step < steps; step++) await this.one(this.acts)?.();
  }

  private readonly acts = [
    () => this.say(),
    () => this.say(),
    () => this.say(),
    () => this.add(),
    () => this.add(),
    () => this.correct(),
    () => this.erase(),
    () => this.erase(),
    () => this.expire(),
    () => this.writeByHand(),
    () => this.memory.end(this.one(threads)).catch(() => undefined),
  ];

  /** Everything that was asked for is done. */
  async settle(): Promise<string> {
    for (const threadId of threads) await this.memory.end(threadId).catch(() => undefined);
    await this.memory.object("").end();
    const answer = await this.memory.call("POST", "/await-consistency", { level: "context", timeoutMs: 60_000 });
    if (!answer.reached)
      throw new Error(`not settled: ${JSON.stringify(answer)} ${JSON.stringify(await this.memory.context())}`);
    return (await this.memory.context()).document;
  }

  /** Facts that a document has to hold, and those that it must not. */
  missingIn(document: string): string[] {
    return [...this.facts.map(({ fact }) => fact), ...this.byHand].filter((fact) => !document.includes(fact));
  }

  private async say(): Promise<void> {
    const facts = Array.from({ length: 1 + Math.floor(this.random() * 4) }, () => this.fact());
    const { messages } = await this.memory.say(facts, this.one(threads));
    this.facts.push(...messages.map(({ entryId }: Fields, at: number) => ({ entryId, fact: facts[at] ?? "" })));
  }

  private async add(more: Fields = {}): Promise<Known> {
    const fact = this.fact();
    const { entryId } = await this.memory.call("POST", "/entries", { rawEntry: fact, ...more });
    const known = { entryId, fact };
    this.facts.push(known);
    return known;
  }

  private async correct(): Promise<void> {
    const old = await this.indexed();
    if (old === undefined) return;
    const fact = this.fact();
    const { entryId } = await this.memory.call("POST", `/entries/${old.entryId}/corrections`, { rawEntry: fact });
    this.facts = [...this.facts.filter((known) => known !== old), { entryId, fact }];
    this.superseded.push(old);
  }

  private async erase(): Promise<void> {
    const known = this.one([...this.facts, ...this.superseded]);
    if (known === undefined) return;
    await this.memory.call("DELETE", `/entries/${known.entryId}`);
    this.forget(known);
  }

  private async expire(): Promise<void> {
    const known = await this.add({ expiresAt: "2026-01-01T00:00:00Z" });
    if (this.random() < 0.5) await this.settle();
    await maintainMemories(composeServices(env).memory, Date.now());
    this.forget(known);
  }

  private async writeByHand(): Promise<void> {
    const { document, version } = await this.memory.context();
    const line = this.fact();
    const answer = await this.memory.tenant.call(
      "PUT",
      `${this.memory.path}/context`,
      { document: `${document}\n\n## Preferences\n- ${line}` },
      { "if-match": `"${version}"` },
    );
    // A flush was faster: what it wrote isn't written over.
    if (answer.status === 200) this.byHand.push(line);
    else expect(answer.status).toBe(412);
  }

  private forget(known: Known): void {
    this.facts = this.facts.filter((other) => other !== known);
    if (this.superseded.includes(known)) this.superseded.splice(this.superseded.indexOf(known), 1);
    this.erased.push(known.fact);
  }

  /** One whose entry is written already. */
  private async indexed(): Promise<Known | undefined> {
    const known = this.one(this.facts);
    if (known === undefined) return undefined;
    const answer = await this.memory.tenant.call("GET", `${this.memory.path}/entries/${known.entryId}`);
    return answer.status === 200 ? known : undefined;
  }

  /** A word that nothing else holds. */
  private fact(): string {
    const letters = Array.from({ length: 10 }, () => "bdfgklmnprstvz"[Math.floor(this.random() * 14)]);
    return `Luo${letters.join("")}`;
  }

  private one<T>(list: readonly [T, ...T[]]): T;
  private one<T>(list: readonly T[]): T | undefined;
  private one<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.random() * list.length)];
  }
}

describe.each(["cites", "cites nothing", "offline"] as const)("with a memory model that %s", (manner) => {
  it("each remaining fact is in the context, and no erased text anywhere", async () => {
    const memory = await newMemory(manner === "offline" ? "offline" : "scripted");
    if (manner !== "offline") await memory.model.reply({ remembers: manner, repeat: true });
    const story = new Story(memory, 20_261_122);
    await story.run();
    const document = await story.settle();
    expect(story.missingIn(document)).toEqual([]);
    expect(story.erased.length).toBeGreaterThan(3);
    expect(await tracesInD1(story.erased)).toEqual([]);
    for (const threadId of ["", ...threads]) {
      expect(await tracesInThread(memory, threadId, story.erased)).toEqual([]);
    }
  }, 120_000);
});
