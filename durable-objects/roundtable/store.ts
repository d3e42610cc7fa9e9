/** The SQL of a roundtable. No rules: what a row means is decided elsewhere. */
import { z } from "zod";
import { nothingSpent, type Spent, spentSchema } from "../../src/agent/budget.js";
import { type Effect, effectSchema } from "../../src/agent/effects.js";
import { type Exit, exitSchema, type RoundRecord, roundRecordSchema } from "../../src/roundtable/debate.js";
import { type Perspective, perspectiveTextSchema } from "../../src/roundtable/panel.js";
import { type Position, positionSchema } from "../../src/roundtable/position.js";
import { type BookedRequest, bookedRequestSchema } from "../../src/roundtable/request-book.js";
import {
  type RoundtableDefinition,
  type RoundtableError,
  roundtableDefinitionSchema,
  roundtableErrorSchema,
} from "../../src/roundtable/roundtable.js";
import { type Synthesis, synthesisSchema } from "../../src/roundtable/synthesis.js";
import { integer, number, numberOrNull, text, textOrNull } from "../../src/stores/columns.js";
import { lazily } from "../../src/text/lazily.js";
import { readJsonRows } from "../kit/json-rows.js";
import { PassStore } from "../kit/pass-store.js";

export const commandSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.enum(["round", "rerun", "closing"]),
    round: integer,
    speakers: z.array(z.string()),
    absent: z.array(z.string()),
    focusQuestion: z.string().optional(),
    /** Milliseconds since the epoch. */
    startedAt: z.number(),
  }),
  z.object({ kind: z.enum(["synthesis", "analysis", "answers"]), round: z.int(), startedAt: z.number() }),
]);
export type Command = z.infer<typeof commandSchema>;
/** An analysis, or answers that supervision looks at, are in nobody's way: what goes on meanwhile does it, or does without. */
export function isInBackground({ kind }: Command): boolean {
  return kind === "analysis" || kind === "answers";
}
export type RoundCommandRow = Extract<Command, { kind: "round" | "rerun" | "closing" }>;

const commandRow = lazily(() =>
  z
    .object({ work: z.string(), status: z.enum(["running", "waiting"]), body: z.string() })
    .transform(({ body, ...row }) => ({ ...row, command: commandSchema.parse(JSON.parse(body)) })),
);
export type CommandRecord = z.infer<ReturnType<typeof commandRow>>;

const json = <T>(schema: z.ZodType<T>) =>
  z
    .string()
    .nullable()
    .transform((text) => (text === null ? undefined : schema.parse(JSON.parse(text))));

const roundtableRow = lazily(() =>
  z
    .object({
      tenant_id: text,
      roundtable_id: text,
      key_id: textOrNull,
      definition: text,
      salt: text,
      topic: textOrNull,
      perspectives: json(z.array(perspectiveTextSchema)),
      paused: number,
      exit: json(exitSchema),
      error: json(roundtableErrorSchema),
      synthesis: json(synthesisSchema),
      degraded: text,
      spent: text,
      last_command: textOrNull,
      created_at: number,
      updated_at: number,
      ended_at: numberOrNull,
    })
    .transform((row) => ({
      tenantId: row.tenant_id,
      roundtableId: row.roundtable_id,
      keyId: row.key_id ?? undefined,
      definition: roundtableDefinitionSchema.parse(JSON.parse(row.definition)),
      salt: row.salt,
      /** The effective topic, once its verdict is in. */
      topic: row.topic ?? undefined,
      perspectives: row.perspectives,
      paused: row.paused === 1,
      exit: row.exit,
      error: row.error,
      synthesis: row.synthesis,
      degraded: z.array(z.string()).parse(JSON.parse(row.degraded)),
      spent: spentSchema.parse(JSON.parse(row.spent)),
      /** The command that was taken last, by the id that its sender gave it. */
      lastCommand: row.last_command ?? undefined,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      endedAt: row.ended_at ?? undefined,
    })),
);
export type RoundtableRecord = z.infer<ReturnType<typeof roundtableRow>>;

export class RoundtableStore {
  readonly passes: PassStore;

  constructor(private readonly sql: SqlStorage) {
    this.passes = new PassStore(sql);
  }

  create(
    identity: { tenantId: string; roundtableId: string; keyId?: string | undefined },
    definition: RoundtableDefinition,
    salt: string,
    at: number,
  ): void {
    this.sql.exec(
      `INSERT INTO roundtable (one, tenant_id, roundtable_id, key_id, definition, salt, spent, created_at, updated_at)
       VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)`,
      identity.tenantId,
      identity.roundtableId,
      identity.keyId ?? null,
      JSON.stringify(definition),
      salt,
      JSON.stringify(nothingSpent),
      at,
      at,
    );
  }

  roundtable(): RoundtableRecord {
    return roundtableRow().parse(this.sql.exec("SELECT * FROM roundtable").one());
  }

  setTopic(topic: string): void {
    this.sql.exec("UPDATE roundtable SET topic = ?", topic);
  }

  setPerspectives(perspectives: readonly Perspective[]): void {
    this.sql.exec("UPDATE roundtable SET perspectives = ?", JSON.stringify(perspectives));
  }

  setPaused(paused: boolean): void {
    this.sql.exec("UPDATE roundtable SET paused = ?", paused ? 1 : 0);
  }

  /** It goes on: with so many rounds in all, and no end. */
  prolong(rounds: number): void {
    this.sql.exec(
      "UPDATE roundtable SET definition = json_set(definition, '$.panel.rounds', ?), exit = NULL, ended_at = NULL",
      rounds,
    );
  }

  setExit(exit: Exit): void {
    this.sql.exec("UPDATE roundtable SET exit = ?", JSON.stringify(exit));
  }

  setError(error: RoundtableError | undefined): void {
    this.sql.exec("UPDATE roundtable SET error = ?", error === undefined ? null : JSON.stringify(error));
  }

  setSynthesis(synthesis: Synthesis): void {
    this.sql.exec("UPDATE roundtable SET synthesis = ?", JSON.stringify(synthesis));
  }

  setDegraded(degraded: readonly string[]): void {
    this.sql.exec("UPDATE roundtable SET degraded = ?", JSON.stringify(degraded));
  }

  setSpent(spent: Spent): void {
    this.sql.exec("UPDATE roundtable SET spent = ?", JSON.stringify(spent));
  }

  setLastCommand(commandId: string): void {
    this.sql.exec("UPDATE roundtable SET last_command = ?", commandId);
  }

  touch(at: number): void {
    this.sql.exec("UPDATE roundtable SET updated_at = ?", at);
  }

  setEnded(at: number): void {
    this.sql.exec("UPDATE roundtable SET ended_at = ?", at);
  }

  /** The number of the next work, from 1: two tries of one round are two works. */
  nextWork(): number {
    return this.sql.exec<{ works: number }>("UPDATE roundtable SET works = works + 1 RETURNING works").one().works;
  }

  command(): CommandRecord | undefined {
    const row = this.sql.exec("SELECT work, status, body FROM command").toArray()[0];
    return row === undefined ? undefined : commandRow().parse(row);
  }

  setCommand(work: string, command: Command): void {
    this.sql.exec(
      "INSERT INTO command (one, work, status, body) VALUES (1, ?, 'running', ?)",
      work,
      JSON.stringify(command),
    );
    this.forgetUnderWay();
  }

  setCommandStatus(status: "running" | "waiting"): void {
    this.sql.exec("UPDATE command SET status = ?", status);
  }

  clearCommand(): void {
    this.sql.exec("DELETE FROM command");
    this.forgetUnderWay();
  }

  private forgetUnderWay(): void {
    this.sql.exec("DELETE FROM positions");
    this.sql.exec("DELETE FROM effects_under_way");
  }

  addPosition(position: Position): void {
    this.sql.exec(
      "INSERT INTO positions (seat, body) VALUES (?, ?) ON CONFLICT DO UPDATE SET body = excluded.body",
      position.seat,
      JSON.stringify(position),
    );
  }

  /** Those that were taken in the running round so far. */
  positions(): Position[] {
    return readJsonRows(this.sql, positionSchema, "SELECT body FROM positions");
  }

  putRound(round: RoundRecord): void {
    this.sql.exec(
      "INSERT INTO rounds (round, body) VALUES (?, ?) ON CONFLICT DO UPDATE SET body = excluded.body",
      round.round,
      JSON.stringify(round),
    );
  }

  rounds(): RoundRecord[] {
    return readJsonRows(this.sql, roundRecordSchema, "SELECT body FROM rounds ORDER BY round");
  }

  putRequest(booked: BookedRequest): void {
    this.sql.exec(
      "INSERT INTO requests (request_id, body) VALUES (?, ?) ON CONFLICT DO UPDATE SET body = excluded.body",
      booked.request.requestId,
      JSON.stringify(booked),
    );
  }

  addEffects(effects: readonly Effect[]): void {
    for (const effect of effects) this.sql.exec("INSERT INTO effects (body) VALUES (?)", JSON.stringify(effect));
  }

  /** What a call of the running round may have changed; nothing if it changed nothing after all. */
  setEffectUnderWay(toolCallId: string, effect: Effect | undefined): void {
    if (effect === undefined) {
      this.sql.exec("DELETE FROM effects_under_way WHERE call = ?", toolCallId);
      return;
    }
    this.sql.exec(
      `INSERT INTO effects_under_way (call, body) VALUES (?, ?)
       ON CONFLICT DO UPDATE SET body = excluded.body WHERE body <> excluded.body`,
      toolCallId,
      JSON.stringify(effect),
    );
  }

  /** Of the running round so far. */
  effectsUnderWay(): Effect[] {
    return readJsonRows(this.sql, effectSchema, "SELECT body FROM effects_under_way ORDER BY call");
  }

  /** What its seats did in all rounds, those that failed included. */
  effects(): Effect[] {
    return readJsonRows(this.sql, effectSchema, "SELECT body FROM effects ORDER BY n");
  }

  /** Those of the running round as well, as far as it has come. */
  allEffects(): Effect[] {
    return [...this.effects(), ...this.effectsUnderWay()];
  }

  requests(): BookedRequest[] {
    return readJsonRows(this.sql, bookedRequestSchema, "SELECT body FROM requests");
  }
}
