/**
 * A turn that is only tried: the agent, team or panel that is held against an item answers it, as a session's turn would, with every
 * supervisor. Models are called; nothing else is, and nothing is written, sent or asked.
 */

import type { CallBudget } from "../../agent/call-budget.js";
import { agentSchema, panelAgentSchema, teamAgentSchema } from "../../agent/definition.js";
import type { HistoryMessage } from "../../agent/prompt.js";
import { transientJournalWithin } from "../../agent/transient-journal.js";
import { ReplyStream } from "../../chat/reply-stream.js";
import { type SessionDefinition, sessionDefinitionSchema } from "../../chat/session.js";
import { runTurn, type TurnOutcome } from "../../chat/turn.js";
import type { TurnPorts } from "../../chat/turn-ports.js";
import type { TurnRequest } from "../../chat/turn-request.js";
import { defined } from "../../conversation/defined.js";
import { type ModelReply, replyText } from "../../conversation/message.js";
import { problem } from "../../conversation/problem.js";
import { type Answerer, type Result, resourceOf } from "../../evidence/evaluation.js";
import type { Stub } from "../../evidence/item.js";
import type { CancelSignal, TokenUsage } from "../../model/port.js";
import { withCancelSignal } from "../../platform/clock.js";
import { newDebateId } from "../../platform/ids.js";
import type { DebateRecord } from "../../roundtable/debate-record.js";
import { panelSchema } from "../../roundtable/panel.js";
import { teamSchema } from "../../routing/team.js";
import type { TeamState } from "../../routing/team-state.js";
import { CallsSoFar } from "../../supervision/environment.js";
import { openStreamGate } from "../../supervision/stream-gate.js";
import type { Supervisor } from "../../supervision/supervisor.js";
import { validateArguments } from "../argument-check.js";
import { loadOwnParts } from "../own-parts.js";
import type { RootPlatform } from "../root-platform.js";
import { saltedHash } from "../salted-hash.js";
import { trialContext } from "../supervision/trial-context.js";
import { trialOrigin } from "../supervision/try-supervisors.js";
import { countedModel } from "../supervisor-builder.js";
import { type Answering, loadTurnSetup } from "../turn-setup.js";
import type { SetupSources } from "../work-setup.js";
import { type RecordedAnswers, TrialEnd } from "./recorded-answers.js";

/** What is answered, and what was there when it was said. */
export interface TriedTurn {
  readonly message: string;
  /** Newest last. */
  readonly history: readonly HistoryMessage[];
  readonly record: RecordedAnswers;
  /** Of a stored turn. */
  readonly session?: {
    readonly sessionId: string;
    readonly definition: SessionDefinition;
    /** When the turn began: what is remembered is what was then. */
    readonly at: string;
    /** In which its supervisors judged, by name. */
    readonly versions: ReadonlyMap<string, number>;
    /** Whether the session's subject, metadata and supervisors are those of the turn: of older turns they aren't on record. */
    readonly isAsItWas: boolean;
  };
  /** What its caller sent along, and the calls that the caller was handed, with those that had come back. */
  readonly request?: TurnRequest;
  readonly handed?: readonly Stub[];
  readonly lastReply?: ModelReply["metadata"];
}

export interface TrialPorts {
  /** Aborted where nobody waits for it any more. */
  readonly signal: CancelSignal;
  readonly platform: RootPlatform;
  readonly budget: CallBudget;
  /** Hears what each call of a model has taken. */
  readonly taken: (model: string, usage: TokenUsage) => void;
  /** Endpoints of supervisors of kind `http` are called. */
  readonly callHttp: boolean;
  /** By which hashes of the trial are salted, and which ids are made. */
  readonly id: string;
}

/** How long one may take, in milliseconds. */
const longestTurnMs = 300_000;

/** As an agent of a session, whatever kind it is of. @throws {z.ZodError} where a field that is changed doesn't fit */
export function answeringOf(candidate: Answerer, stored: object): Answering {
  const changed = { ...stored, ...candidate.change };
  const { kind, name } = resourceOf(candidate);
  switch (kind) {
    case "agents":
      return agentSchema.parse(changed);
    case "teams":
      return { ...teamAgentSchema.parse({ kind: "team", team: name }), team: teamSchema.parse(changed) };
    case "panels":
      return { ...panelAgentSchema.parse({ kind: "panel", panel: name }), panel: panelSchema.parse(changed) };
  }
}

type Answered = Pick<Result, "action" | "text" | "tools" | "workers" | "stance" | "diverged" | "asNow" | "failed">;

/** What comes of the turn. Whoever calls knows whether tokens were left for it. */
export async function tryTurn(
  tenantId: string,
  answering: Answering,
  tried: TriedTurn,
  ports: TrialPorts,
): Promise<Answered> {
  const workers: string[] = [];
  let debate: DebateRecord | undefined;
  let asNow: readonly string[] = [];
  const { record, handed = [] } = tried;
  const found = () => ({
    ...defined({
      tools: record.called.length === 0 ? undefined : [...record.called],
      workers: workers.length === 0 ? undefined : workers,
      stance: debate && stanceOf(debate),
      asNow: asNow.length === 0 ? undefined : [...asNow],
    }),
  });
  try {
    const { status, reply, failure, error, request, response } = await withCancelSignal(
      longestTurnMs,
      (signal) =>
        runTried(tenantId, answering, tried, ports, {
          signal,
          chosen: (worker) => workers.push(worker),
          debated: (now) => {
            debate = now;
          },
          supervised: (names) => {
            asNow = names;
          },
        }),
      ports.signal,
    );
    record.handedOver(reply?.modelReply.pendingToolCalls ?? [], handed);
    if (status === "failed") return { action: "allow", failed: failure ?? error?.content ?? "it failed", ...found() };
    if (status === "blocked") return { action: "block", ...found() };
    const text = reply === undefined ? "" : replyText(reply.modelReply);
    const isChanged = request.action === "modify" || response?.action === "modify";
    return { action: isChanged ? "modify" : "allow", text, ...found() };
  } catch (error) {
    if (!(error instanceof TrialEnd)) throw error;
    return { action: "allow", ...error.outcome, ...found() };
  }
}

interface Watched {
  readonly signal: CancelSignal;
  /** A worker of a team got the task. */
  readonly chosen: (worker: string) => void;
  /** How a panel's debate stands now. */
  readonly debated: (debate: DebateRecord) => void;
  /** What of a stored turn is as it is now, since nothing is on record of it. */
  readonly supervised: (asNow: readonly string[]) => void;
}

async function runTried(
  tenantId: string,
  answering: Answering,
  { message, history, record, session, lastReply, request }: TriedTurn,
  ports: TrialPorts,
  { signal, chosen, debated, supervised }: Watched,
): Promise<TurnOutcome> {
  const { platform, budget, taken, id } = ports;
  const journal = transientJournalWithin(budget, (askId, request) => record.ask(askId, request));
  const sources = triedSources(tenantId, record, ports, session?.at);
  const definition = session?.definition ?? sessionDefinitionSchema.parse({ agent: "eval" });
  const { subject, metadata, agent, context } = definition;
  const origin = { ...trialOrigin, agent, subject, metadata };
  const health = { read: () => undefined, write: () => {} };
  const sessionId = session?.sessionId ?? id;
  const versions = session?.versions;
  const facts = { tenantId, sessionId, definition, origin, health, answering, versions, history: () => history };
  const changeContext = () => ({ version: 0, changed: true });
  const loaded = await loadTurnSetup(
    { ...facts, context: () => context, changeContext, lastReply: () => lastReply },
    journal,
    sources,
  );
  if (!loaded.ok) throw problem("conflict", loaded.detail);
  const { setup, policies } = loaded;
  if (session !== undefined) supervised(asNowIn(session, setup.supervisors, answering));
  const [turnId, messageId, replyId] = ["turn_trial", "msg_trial", "msg_trial_reply"];
  const withDeadline: TurnPorts["withDeadline"] = (timeoutMs, work) => withCancelSignal(timeoutMs, work, signal);
  return runTurn({ turnId, messageId, replyId, content: message, request, acceptedAt: platform.now() }, setup, {
    ...{ journal, signal, withDeadline, validateArguments, now: platform.now },
    model: countedModel(await platform.model(tenantId), taken),
    approvals: { isApproved: () => false, approveForSession: () => {} },
    approval: policies.approvals,
    asking: { source: {}, policy: policies.questions },
    supervise: {
      ...{ now: platform.now, withDeadline, strict: policies.strict, ordersInData: policies.ordersInData },
      hash: (text) => saltedHash(id, text),
      cancelled: () => signal.aborted,
      review: policies.reviews,
      source: {},
      environment: {
        transcript: () => [...history, { role: "user", content: message }],
        context: trialContext(tenantId, origin, sources),
        calls: new CallsSoFar(),
        // A sample takes an item or leaves it, each time.
        workId: id,
      },
      decided: () => {},
      shadow: () => {},
    },
    observer: { debated: () => {} },
    stream: new ReplyStream(
      () => openStreamGate(setup.supervisors),
      { delta: () => {}, retracted: () => {} },
      () => false,
    ),
    team: {
      asks: () => [],
      raise: (askId, request) => record.ask(askId, request),
      state: forgetfulState,
      callWorker: async ({ worker, body }) => record.worker(worker, body),
      debates: { newId: () => newDebateId(id), record: debated },
      traced: (entry) => {
        if (entry.type === "worker.started") chosen(entry.worker);
      },
    },
    waiting: () => {},
    messageDecided: () => {},
  });
}

/** What counts as it is now: of the candidate's own supervisors that is meant, of the tenant's and the session's nothing else is on record. */
function asNowIn(
  { versions, isAsItWas }: NonNullable<TriedTurn["session"]>,
  supervisors: readonly Supervisor[],
  answering: Answering,
): string[] {
  const own = JSON.stringify(answering);
  const judging = supervisors.filter(({ name, mode }) => mode === "enforce" && !versions.has(name));
  const named = judging
    .filter(({ name }) => !own.includes(JSON.stringify(name)))
    .map(({ name }) => `supervisor ${name}`);
  return isAsItWas ? named : ["subject", "metadata", ...named];
}

/** What a turn is made of, without what would reach anybody or leave a trace. */
function triedSources(
  tenantId: string,
  record: RecordedAnswers,
  ports: TrialPorts,
  at: string | undefined,
): SetupSources {
  const { platform, taken, callHttp } = ports;
  const { supervisors } = platform;
  const sources: SetupSources = {
    ...platform,
    memory: at === undefined ? platform.memory : platform.memory.asOf(at),
    tools: { build: (...work) => platform.tools.build(...work).map((tool) => record.tool(tool)) },
    remoteTools: {
      use: (server, action) => platform.remoteTools.known(server, action),
      connect: (server) => platform.remoteTools.connect(server),
    },
    supervisors: {
      givesOrders: (reference) => supervisors.givesOrders(reference),
      build: (_tenantId, stored) => {
        // Its own tools answer from the record, too: it may hold those that change something.
        const built = counted.build(tenantId, stored, { origin: trialOrigin });
        // A shadow isn't waited for, and so never asked.
        return stored.body.kind === "http" && !callHttp ? { ...built, mode: "shadow" } : built;
      },
    },
  };
  const counted = supervisors
    .with({ ownParts: (of, names, journal) => loadOwnParts(of, names, journal, sources) })
    .counting(taken);
  return sources;
}

/** A team that remembers nothing: everybody is free, and it is always the first one's turn. */
const forgetfulState: TeamState = {
  nextTurn: async () => 0,
  claimLeastBusy: async (_team, [worker = ""]) => ({ worker, load: 0 }),
  claim: async () => {},
  release: async () => {},
  loads: async () => ({}),
};

/** What more seats held than anything else, when they spoke last. */
function stanceOf({ rounds }: DebateRecord): Result["stance"] {
  const stances = (rounds.at(-1)?.positions ?? []).flatMap(({ stance }) => stance ?? []);
  const counted = [...Map.groupBy(stances, (stance) => stance)].toSorted(([, a], [, b]) => b.length - a.length);
  const [first, second] = counted;
  return first === undefined || first[1].length === second?.[1].length ? undefined : first[0];
}
