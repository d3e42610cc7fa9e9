/** The object of a roundtable as others call it: what it does is in `RoundtableEngine`. */
import { z } from "zod";
import { type Effect, effectSchema } from "../../src/agent/effects.js";
import type { Answerer } from "../../src/asks/ask.js";
import { environmentOf } from "../../src/composition/databases.js";
import { composeRootPlatform } from "../../src/composition/objects.js";
import type { ActorRecord } from "../../src/conversation/actor-record.js";
import type { CommandKey } from "../../src/conversation/command-key.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import type { RoundtableIdentity, RoundtableObject } from "../../src/gateways/roundtable-gateway.js";
import { fromWire, toWire, type Wire } from "../../src/gateways/wire.js";
import { type ContextResult, contextResultSchema, type ResultOutcome } from "../../src/roundtable/context-results.js";
import { type DebateRecord, debateRecordSchema } from "../../src/roundtable/debate-record.js";
import {
  type ContinueCommand,
  type ControlAction,
  continueSchema,
  type RoundtableDefinition,
  type Roundtable as RoundtableView,
  roundtableDefinitionSchema,
} from "../../src/roundtable/roundtable.js";
import { tenantOf } from "../kit/home.js";
import { Root } from "../kit/root.js";
import type { Admitted } from "./command-intake.js";
import { RoundtableEngine } from "./roundtable-engine.js";
import { roundtableSchemaSteps } from "./schema.js";

type Answer = Promise<Wire<Result<RoundtableView>>>;

/** A command on its way in. */
interface SentCommand {
  /** The same command has the same, however often it comes; callers of the version before send none. */
  readonly commandId: string | undefined;
  /** The tenant's, and of what it has limits, as they were read with the caller's key. */
  readonly revision: number | undefined;
  readonly measures: readonly string[] | undefined;
  readonly text: string;
  readonly key: CommandKey | undefined;
  /** Whether it begins work, as things are. */
  readonly begins: () => boolean;
}

/** One debate: its rounds, what its seats asked for, and what it came to. */
export class Roundtable extends Root<RoundtableEngine> implements RoundtableObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(
      ctx,
      env,
      roundtableSchemaSteps,
      new RoundtableEngine(ctx, composeRootPlatform(environmentOf(env, tenantOf(ctx, "roundtable")))),
    );
  }

  async start(identity: RoundtableIdentity, definition: Wire<RoundtableDefinition>, waitMs: number): Answer {
    if (!this.exists()) {
      const parsed = fromWire(definition, roundtableDefinitionSchema);
      const admitted = await this.engine.admit(identity.roundtableId, identity, parsed, parsed.topic);
      if (!admitted.ok) return toWire(admitted);
      // Sent twice at the same time, it is begun by the first that there is room for: what the other took is the same.
      if (!this.exists()) {
        this.makeTables();
        this.engine.intake.begin(identity, parsed, admitted.value);
      }
    }
    return this.describe(waitMs);
  }

  async adopt(
    identity: RoundtableIdentity,
    definition: Wire<RoundtableDefinition>,
    record: Wire<DebateRecord>,
    effects?: Wire<readonly Effect[]>,
  ): Answer {
    if (!this.exists()) {
      const [parsed, from] = [fromWire(definition, roundtableDefinitionSchema), fromWire(record, debateRecordSchema)];
      const done = effects === undefined ? [] : fromWire(effects, z.array(effectSchema));
      this.makeTables();
      this.engine.intake.adopt(identity, parsed, from, done);
    }
    return this.describe(0);
  }

  async describe(waitMs: number): Answer {
    return this.settle(ok(undefined), waitMs);
  }

  async readRecord(): Promise<Wire<Result<DebateRecord>>> {
    return toWire(this.exists() ? ok(this.engine.record()) : noRoundtable);
  }

  async readEffects(): Promise<Wire<readonly Effect[]>> {
    return toWire(this.exists() ? this.engine.store.allEffects() : []);
  }

  async readDefinition(): Promise<Wire<Result<RoundtableDefinition>>> {
    return toWire(this.exists() ? ok(this.engine.store.roundtable().definition) : noRoundtable);
  }

  async goOn(
    commandId: string,
    command: Wire<ContinueCommand>,
    answerer: Answerer,
    waitMs: number,
    revision?: number,
    key?: CommandKey,
    measures?: readonly string[],
  ): Answer {
    const { intake } = this.engine;
    const sent = fromWire(command, continueSchema);
    const sender = { commandId, revision, measures, text: command.json };
    return this.admitted(
      { ...sender, key, begins: () => intake.beginsRound(commandId, sent) },
      (admitted) => intake.goOn(commandId, sent, answerer, admitted),
      waitMs,
    );
  }

  async giveContext(results: Wire<readonly ContextResult[]>, answerer: Answerer, key?: CommandKey): Answer {
    const sent = fromWire(results, z.array(contextResultSchema));
    return this.once(key, () => this.engine.intake.giveContext(sent, answerer), 0);
  }

  async synthesize(
    waitMs: number,
    key?: CommandKey,
    commandId?: string,
    revision?: number,
    measures?: readonly string[],
  ): Answer {
    const { intake } = this.engine;
    const sender = { commandId, revision, measures, text: "" };
    return this.admitted(
      { ...sender, key, begins: () => intake.beginsSynthesis() },
      (admitted) => intake.synthesize(admitted),
      waitMs,
    );
  }

  async control(action: ControlAction, by: ActorRecord, waitMs: number, key?: CommandKey): Answer {
    return this.once(key, () => this.engine.intake.control(action, by), waitMs);
  }

  /** Takes a command that may begin work, if its tenant's limits have room for it. What begins nothing takes nothing. */
  private async admitted(
    { commandId = "", revision, measures, text, key, begins }: SentCommand,
    take: (admitted: Admitted | undefined) => Result<readonly ResultOutcome[] | undefined>,
    waitMs: number,
  ): Answer {
    if (!this.exists()) return toWire(noRoundtable);
    const { engine } = this;
    if (engine.kit.commands.find(key) !== undefined || !begins()) return this.once(key, () => take(undefined), waitMs);
    const { tenantId, roundtableId, keyId, definition } = engine.store.roundtable();
    const reservation = `${roundtableId}/${commandId}`;
    const identity = { tenantId, roundtableId, keyId, revision, measures };
    const admitted = await engine.admit(reservation, identity, definition, text);
    if (!admitted.ok) {
      // It may be taken all the same: only the answer was late.
      if (admitted.problem.code === "limits_unavailable" && this.exists()) engine.giveBackUnbegun(reservation);
      return toWire(admitted);
    }
    return this.once(
      key,
      () => take(admitted.value),
      waitMs,
      () => {
        if (admitted.value.reserved !== undefined) engine.giveBackUnbegun(admitted.value.reservation);
      },
    );
  }

  /** Takes a command, once under its key; a repetition waits for what the first one began. */
  private async once(
    key: CommandKey | undefined,
    take: () => Result<readonly ResultOutcome[] | undefined>,
    waitMs: number,
    afterwards = (): void => {},
  ): Answer {
    if (!this.exists()) return toWire(noRoundtable);
    const again = (): Result<undefined> => ok(undefined);
    const taken = this.engine.kit.commands.once(key, take, again);
    afterwards();
    if (taken.ok) await this.engine.cleared(longestClearingMs);
    return this.settle(taken, waitMs);
  }

  /** The roundtable once nothing runs any more, or as it is after `waitMs`. */
  private async settle(done: Result<readonly ResultOutcome[] | undefined>, waitMs: number): Answer {
    if (!done.ok) return toWire(done);
    return toWire((await this.settled(waitMs)) ? ok(this.engine.view(done.value)) : noRoundtable);
  }
}

/** Until it has seen them, answers have no text for readers. */
const longestClearingMs = 5_000;
const noRoundtable = refuse("not_found", "There is no such roundtable.");
