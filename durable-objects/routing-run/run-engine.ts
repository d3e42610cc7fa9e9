/** A run at work: the kit's parts put together, and what happens when it begins, an answer comes or an alarm rings. */
import { z } from "zod";
import type { EndedStatus } from "../../src/agent/work.js";
import type { AdmittedWork } from "../../src/application/limits/admit-work.js";
import type { RootPlatform } from "../../src/application/root-platform.js";
import { loadRunSetup } from "../../src/application/run-setup.js";
import { saltedHash } from "../../src/application/salted-hash.js";
import type { AskWork } from "../../src/asks/origin.js";
import { askForAll } from "../../src/asks/views.js";
import type { EventData } from "../../src/catalogues/events.js";
import { ReplyStream } from "../../src/chat/reply-stream.js";
import type { ActorRecord } from "../../src/conversation/actor-record.js";
import { defined } from "../../src/conversation/defined.js";
import type { Result } from "../../src/conversation/problem.js";
import type { RunIdentity } from "../../src/gateways/run-gateway.js";
import {
  hasEnded,
  type Run,
  type RunDefinition,
  type RunEnd,
  type RunOutcome,
  runRouting,
} from "../../src/routing/run.js";
import { openStreamGate } from "../../src/supervision/stream-gate.js";
import { loaded } from "../../src/text/lazily.js";
import { agentPorts } from "../kit/agent-ports.js";
import type { StreamOptions } from "../kit/event-stream.js";
import { Kit } from "../kit/kit.js";
import type { RootEngine } from "../kit/root.js";
import type { Lease, WorkItem } from "../kit/work-loop.js";
import { runView, summaryView, teamOf } from "./run-view.js";
import { RoutingRunStore } from "./store.js";

const admission = loaded(() => import("../../src/application/limits/admit-work.js"));
/** What a run takes of limits; its tokens and money are worked out. */
const takenByRun = { turns: 1, concurrentTurns: 1, openAsks: 1, tokens: 1, money: 1 };

const tracedEventSchema = z.object({ entry: z.number() });

export class RunEngine implements RootEngine {
  readonly store: RoutingRunStore;
  readonly kit: Kit;
  /** What is shown of the response while it is written, in this instance. */
  private stream: ReplyStream | undefined;

  constructor(
    ctx: DurableObjectState,
    private readonly platform: RootPlatform,
  ) {
    this.store = new RoutingRunStore(ctx.storage.sql);
    this.kit = new Kit(ctx, {
      now: platform.now,
      owner: () => {
        const { tenantId, runId } = this.store.run();
        return { tenantId, id: runId };
      },
      deliver: (messages, { tenantId, id }) => platform.deliver({ tenantId, ownerId: id, messages }),
      next: () => this.next(),
      present: (type, data) => this.present(type, data),
      describeWork: () => this.describeWork(),
      askClosed: () => this.askClosed(),
      active: () => this.active(),
      shadows: { platform, keep: (_work, state) => this.store.passes.add(state) },
      load: platform.load,
    });
  }

  /** Whether the tenant's limits have room for it; nothing where there are no such limits. */
  async admit(
    { tenantId, runId, keyId, revision, measures }: RunIdentity,
    definition: RunDefinition,
  ): Promise<Result<AdmittedWork> | undefined> {
    if (measures !== undefined && !measures.some((measure) => Object.hasOwn(takenByRun, measure))) return undefined;
    const { input: text, subject } = definition;
    const facts = { tenantId, keyId, subject, agent: teamOf(definition) };
    return (await admission()).admitWork({ work: runId, facts, text, revision }, takenByRun, this.platform);
  }

  begin(identity: RunIdentity, definition: RunDefinition, admitted?: AdmittedWork): void {
    this.kit.write(() => {
      this.store.create(identity, definition, crypto.randomUUID(), this.platform.now());
      if (admitted?.reserved !== undefined)
        this.kit.budgets.begin(identity.runId, admitted.reserved, admitted.reservation);
      this.kit.events.append("run.started", identity.runId, { runId: identity.runId });
      this.updateIndex();
      this.kit.loop.kick({ id: identity.runId, revision: identity.revision });
    });
    this.kit.deliverSoon();
  }

  cancel(by?: ActorRecord): void {
    if (hasEnded(this.store.status())) return;
    this.kit.loop.cancel();
    this.end("cancelled", { clarifications: [], degraded: [], ...defined({ cancelledBy: by }) });
  }

  stop(): void {
    this.cancel();
  }

  /** Whether the run goes on without anybody doing anything. */
  active(): boolean {
    return this.store.status() === "running";
  }

  unfinished(): boolean {
    return !hasEnded(this.store.status());
  }

  view(): Run {
    return runView(this.store, this.kit);
  }

  /** Who comes late gets what was shown of the response before. */
  replaySoFar(): Pick<StreamOptions, "catchUp"> {
    const delta = this.active() ? this.stream?.soFar() : undefined;
    const { runId } = this.store.run();
    return delta === undefined ? {} : { catchUp: this.kit.events.live("run.delta", runId, { runId, ...delta }) };
  }

  private next(): WorkItem | undefined {
    if (!this.active()) return undefined;
    const { runId } = this.store.run();
    return {
      id: runId,
      drive: async (lease, revision) => {
        const { status, outcome } = await this.drive(lease, revision);
        return () => this.end(status, outcome);
      },
      park: () => {
        this.store.setStatus("waiting");
        this.kit.events.append("run.waiting", runId, { runId });
        this.updateIndex();
      },
      fail: (why) => this.fail(why && `The run was given up: ${why}.`),
    };
  }

  /** Gathers the run's setup and enters the durable function. @throws {Parked} while it waits for an ask */
  private async drive({ signal, isHeld }: Lease, revision: number | undefined): Promise<RunEnd> {
    const { store, kit } = this;
    const { tenantId, runId, definition, salt, createdAt } = store.run();
    const platform = await this.platform.at(tenantId, revision);
    const journal = kit.journal(runId, isHeld);
    const { input, metadata, subject } = definition;
    const origin = { runId, team: teamOf(definition), subject, metadata };
    const loaded = await loadRunSetup({ tenantId, definition, origin, health: kit.health }, journal, platform);
    if (!loaded.ok) return failed({ code: "failed", detail: loaded.detail });
    const { team, supervisors, policies } = loaded;
    kit.budgets.limit(
      runId,
      await platform.limitsOfWork({ tenantId, subject, agent: teamOf(definition), keyId: store.run().keyId }),
    );
    const ports = agentPorts(kit, platform, {
      tenantId,
      origin,
      ownerId: runId,
      ref: { type: "run", id: runId },
      hash: (passed) => saltedHash(salt, passed),
      signal,
      settings: policies,
      environment: {
        transcript: () => {
          kit.works.flush(runId);
          const { input: effective } = store.run();
          return effective === undefined ? [] : [{ role: "user", content: effective }];
        },
      },
      keepPass: (state) => store.passes.add(state),
      reviewPass: (before, after) => store.passes.replace(before, after),
    });
    const stream = new ReplyStream(() => openStreamGate(supervisors), {
      delta: (delta) => kit.events.announce("run.delta", runId, { runId, ...delta }),
      retracted: (attempt) => kit.events.announce("run.retracted", runId, { runId, attempt }),
    });
    this.stream = stream;
    return runRouting({ runId, input, metadata, subject, acceptedAt: createdAt }, team, {
      ...ports,
      journal,
      model: await platform.model(tenantId),
      supervisors,
      stream,
      observer: {
        ...ports.observer,
        keepsTexts: true,
        traced: (entry) => kit.events.append(entry.type, runId, { runId, entry: store.addTrace(entry) }),
      },
      inputDecided: (effective) => store.setInput(effective),
    });
  }

  private fail(detail = "An internal error, which has been logged. Start the run again."): void {
    const { status, outcome } = failed({ code: "internal", detail });
    this.end(status, outcome);
  }

  private end(status: EndedStatus, outcome: RunOutcome): void {
    const { runId, createdAt, definition, keyId } = this.store.run();
    const ended = {
      kind: "run",
      outcome: status,
      since: createdAt,
      agent: teamOf(definition),
      subject: definition.subject,
      keyId,
      by: outcome.cancelledBy,
      degraded: outcome.degraded,
    };
    this.kit.end(runId, ended, (usage, endedAt) => {
      this.store.end(status, { ...outcome, usage }, endedAt);
      this.kit.events.append("run.completed", runId, { runId });
      this.updateIndex();
      if (status !== "completed")
        this.kit.outbox.put("work_ended", "work_ended", { work: runId, at: this.platform.now() });
    });
  }

  private askClosed(): void {
    if (this.store.status() !== "waiting") return;
    this.store.setStatus("running");
    this.updateIndex();
    this.kit.loop.kick();
  }

  /** What its asks say of where they come from. */
  private describeWork(): AskWork {
    const { runId, definition, input } = this.store.run();
    const { subject, externalId, metadata } = definition;
    return { runId, team: teamOf(definition), agent: "supervisor", subject, externalId, metadata, message: input };
  }

  renewCopy(): void {
    this.updateIndex();
  }

  private updateIndex(): void {
    this.kit.outbox.put("run", "run", summaryView(this.store.run()));
  }

  /** What the log stores are ids; what is shown of them is what holds now. */
  private present(type: string, data: unknown): unknown {
    if (type === "run.completed") {
      const run = this.view();
      return { ...run, asks: run.asks.map(askForAll) } satisfies EventData<"run.completed">;
    }
    const { data: traced } = tracedEventSchema.safeParse(data);
    return traced === undefined ? data : (this.store.traceEntry(traced.entry) ?? data);
  }
}

function failed(error: RunOutcome["error"]): RunEnd {
  return { status: "failed", outcome: { error, clarifications: [], degraded: [] } };
}
