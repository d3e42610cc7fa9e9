/** Calls of roundtables. */
import { z } from "zod";
import { type Effect, effectSchema } from "../agent/effects.js";
import type { Answerer } from "../asks/ask.js";
import type { ActorRecord } from "../conversation/actor-record.js";
import type { CommandKey } from "../conversation/command-key.js";
import type { Result } from "../conversation/problem.js";
import { newId } from "../platform/ids.js";
import type { ContextResult } from "../roundtable/context-results.js";
import { type DebateRecord, debateRecordSchema } from "../roundtable/debate-record.js";
import {
  type ContinueCommand,
  type ControlAction,
  type Roundtable,
  type RoundtableDefinition,
  roundtableDefinitionSchema,
  roundtableSchema,
} from "../roundtable/roundtable.js";
import { RootGateway, type RootObject } from "./root-gateway.js";
import { resultOf, toWire, type Wire } from "./wire.js";

export interface RoundtableIdentity {
  readonly tenantId: string;
  readonly roundtableId: string;
  readonly keyId?: string | undefined;
  /** The tenant's revision, as it was read with the key. */
  readonly revision?: number | undefined;
  /** Of what the tenant has limits, as it was read with the key. */
  readonly measures?: readonly string[] | undefined;
}

/** What is known of who sends a command. */
export interface CommandSender {
  readonly revision?: number | undefined;
  readonly measures?: readonly string[] | undefined;
  readonly key?: CommandKey | undefined;
}

/** What a roundtable's object offers. */
export interface RoundtableObject extends RootObject {
  /** Begins the roundtable, unless it was begun before; waits for its first round, at most `waitMs`. */
  start(
    identity: RoundtableIdentity,
    definition: Wire<RoundtableDefinition>,
    waitMs: number,
  ): Promise<Wire<Result<Roundtable>>>;
  /** Begins it as it stood in another's record, unless it was begun before; with what its seats aren't to do again. */
  adopt(
    identity: RoundtableIdentity,
    definition: Wire<RoundtableDefinition>,
    record: Wire<DebateRecord>,
    effects?: Wire<readonly Effect[]>,
  ): Promise<Wire<Result<Roundtable>>>;
  describe(waitMs: number): Promise<Wire<Result<Roundtable>>>;
  readRecord(): Promise<Wire<Result<DebateRecord>>>;
  /** What its seats did with tools that isn't to be done again; none where there is no such roundtable. */
  readEffects(): Promise<Wire<readonly Effect[]>>;
  /** As it was begun: its topic and its panel. */
  readDefinition(): Promise<Wire<Result<RoundtableDefinition>>>;
  /** @param commandId the same command, sent again because the object died, does nothing again */
  goOn(
    commandId: string,
    command: Wire<ContinueCommand>,
    answerer: Answerer,
    waitMs: number,
    revision?: number,
    key?: CommandKey,
    measures?: readonly string[],
  ): Promise<Wire<Result<Roundtable>>>;
  giveContext(
    results: Wire<readonly ContextResult[]>,
    answerer: Answerer,
    command?: CommandKey,
  ): Promise<Wire<Result<Roundtable>>>;
  synthesize(
    waitMs: number,
    command?: CommandKey,
    commandId?: string,
    revision?: number,
    measures?: readonly string[],
  ): Promise<Wire<Result<Roundtable>>>;
  control(
    action: ControlAction,
    by: ActorRecord,
    waitMs: number,
    command?: CommandKey,
  ): Promise<Wire<Result<Roundtable>>>;
}

const roundtableResult = resultOf(roundtableSchema);
const recordResult = resultOf(debateRecordSchema);
const definitionResult = resultOf(roundtableDefinitionSchema);

/** The roundtables of the system. Each is begun once under its id, so that beginning it can be repeated too. */
export class RoundtableGateway extends RootGateway<RoundtableObject> {
  start(identity: RoundtableIdentity, definition: RoundtableDefinition, waitMs: number): Promise<Result<Roundtable>> {
    const wire = toWire(definition);
    return this.roundtable(identity.tenantId, identity.roundtableId, (object) => object.start(identity, wire, waitMs));
  }

  async adopt(
    identity: RoundtableIdentity,
    definition: RoundtableDefinition,
    record: DebateRecord,
    effects: readonly Effect[],
  ): Promise<Result<Roundtable>> {
    const [wire, recordWire, effectsWire] = [toWire(definition), toWire(record), toWire(effects)];
    return this.roundtable(identity.tenantId, identity.roundtableId, (object) =>
      object.adopt(identity, wire, recordWire, effectsWire),
    );
  }

  describe(tenantId: string, roundtableId: string, waitMs: number): Promise<Result<Roundtable>> {
    return this.roundtable(tenantId, roundtableId, (object) => object.describe(waitMs));
  }

  async record(tenantId: string, roundtableId: string): Promise<Result<DebateRecord>> {
    return this.objects.read([tenantId, roundtableId], recordResult, (object) => object.readRecord());
  }

  effects(tenantId: string, roundtableId: string): Promise<readonly Effect[]> {
    return this.objects.read([tenantId, roundtableId], z.array(effectSchema), (object) => object.readEffects());
  }

  definition(tenantId: string, roundtableId: string): Promise<Result<RoundtableDefinition>> {
    return this.objects.read([tenantId, roundtableId], definitionResult, (object) => object.readDefinition());
  }

  goOn(
    tenantId: string,
    roundtableId: string,
    command: ContinueCommand,
    answerer: Answerer,
    waitMs: number,
    { revision, measures, key }: CommandSender = {},
  ): Promise<Result<Roundtable>> {
    const wire = toWire(command);
    const commandId = newId("req");
    return this.roundtable(tenantId, roundtableId, (object) =>
      object.goOn(commandId, wire, answerer, waitMs, revision, key, measures),
    );
  }

  giveContext(
    tenantId: string,
    roundtableId: string,
    results: readonly ContextResult[],
    answerer: Answerer,
    key?: CommandKey,
  ): Promise<Result<Roundtable>> {
    const wire = toWire(results);
    return this.roundtable(tenantId, roundtableId, (object) => object.giveContext(wire, answerer, key));
  }

  synthesize(
    tenantId: string,
    roundtableId: string,
    waitMs: number,
    { revision, measures, key }: CommandSender = {},
  ): Promise<Result<Roundtable>> {
    const commandId = newId("req");
    return this.roundtable(tenantId, roundtableId, (object) =>
      object.synthesize(waitMs, key, commandId, revision, measures),
    );
  }

  control(
    tenantId: string,
    roundtableId: string,
    action: ControlAction,
    by: ActorRecord,
    waitMs: number,
    key?: CommandKey,
  ): Promise<Result<Roundtable>> {
    return this.roundtable(tenantId, roundtableId, (object) => object.control(action, by, waitMs, key));
  }

  private roundtable(
    tenantId: string,
    roundtableId: string,
    method: (object: RoundtableObject) => Promise<Wire<Result<Roundtable>>>,
  ): Promise<Result<Roundtable>> {
    return this.objects.read([tenantId, roundtableId], roundtableResult, method);
  }
}
