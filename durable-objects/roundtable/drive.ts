/** Drives one command of a roundtable: gathers its setup and enters the durable function. */

import type { Spent } from "../../src/agent/budget.js";
import type { Effect } from "../../src/agent/effects.js";
import type { HistoryMessage } from "../../src/agent/prompt.js";
import type { RootPlatform } from "../../src/application/root-platform.js";
import { loadRoundSetup } from "../../src/application/run-setup.js";
import { saltedHash } from "../../src/application/salted-hash.js";
import { type Analysed, analyseRound, awaitsAnalysis } from "../../src/roundtable/analyst.js";
import type { RoundRecord } from "../../src/roundtable/debate.js";
import { type DebatePorts, type LoadedPanel, scoped } from "../../src/roundtable/ports.js";
import { RequestBook } from "../../src/roundtable/request-book.js";
import { type RoundEnd, runRound } from "../../src/roundtable/round.js";
import { clearAnswers, superviseMessage } from "../../src/roundtable/supervised-texts.js";
import { type Synthesis, synthesise } from "../../src/roundtable/synthesis.js";
import { agentPorts } from "../kit/agent-ports.js";
import type { Kit } from "../kit/kit.js";
import type { Lease } from "../kit/work-loop.js";
import type { Command, RoundtableStore } from "./store.js";

export interface DrivePorts {
  readonly store: RoundtableStore;
  readonly kit: Kit;
  readonly platform: RootPlatform;
}

export type Driven =
  | RoundEnd
  | { readonly kind: "analysed"; readonly round: number; readonly analysed: Analysed; readonly spent: Spent }
  /** Supervision has looked at what was answered. */
  | { readonly kind: "cleared" }
  | { readonly kind: "synthesised"; readonly synthesis: Synthesis; readonly spent: Spent }
  /** The topic itself was blocked: there will be no debate. */
  | { readonly kind: "topic_blocked"; readonly detail: string }
  | { readonly kind: "failed"; readonly detail: string };

/** What the seats have read so far: the topic, answers to what they asked, and what each of them held. */
function debateSoFar(store: RoundtableStore): HistoryMessage[] {
  const { topic } = store.roundtable();
  const answers = store
    .requests()
    .flatMap(({ request: { query }, cleared }) =>
      cleared?.result === undefined ? [] : [{ role: "user" as const, content: `${query}\n${cleared.result}` }],
    );
  const positions = [...store.rounds().flatMap((round) => round.positions), ...store.positions()];
  return [
    ...(topic === undefined ? [] : [{ role: "user" as const, content: topic }]),
    ...answers,
    ...positions.map(({ seat, position, reasoning }) => ({
      role: "assistant" as const,
      content: `${seat}: ${position}\n${reasoning}`,
    })),
  ];
}

/** @throws {Parked} while the work waits for a person. */
export async function driveCommand(
  work: string,
  command: Command,
  { store, kit, platform }: DrivePorts,
  { signal, isHeld }: Lease,
): Promise<{ readonly driven: Driven; readonly degraded: readonly string[] }> {
  const { tenantId, roundtableId, definition, salt, perspectives, spent } = store.roundtable();
  const { subject, metadata } = definition;
  const origin = { roundtableId, subject, metadata };
  const journal = kit.journal(work, isHeld);
  const loaded = await loadRoundSetup(
    { tenantId, definition, perspectives, origin, health: kit.health },
    journal,
    platform,
  );
  if (!loaded.ok) return { driven: { kind: "failed", detail: loaded.detail }, degraded: [] };
  const { keyId } = store.roundtable();
  kit.budgets.limit(work, await platform.limitsOfWork({ tenantId, subject, keyId, agent: definition.panelName }));
  const degraded = new Set<string>();
  const requests = kit.journal(roundtableId, isHeld);
  const book = new RequestBook(store.requests(), definition.panel.requests, {
    // They are the roundtable's, not the round's: they outlive it.
    open: (callId, request) => requests.raise(callId, request),
    save: (booked) => store.putRequest(booked),
    stored: () => store.requests(),
  });
  const shared = agentPorts(kit, platform, {
    tenantId,
    origin,
    ownerId: roundtableId,
    ref: { type: "roundtable", id: work, root: roundtableId },
    hash: (passed) => saltedHash(salt, passed),
    signal,
    settings: loaded.policies,
    environment: { transcript: () => debateSoFar(store) },
    keepPass: (state) => store.passes.add(state),
    reviewPass: (before, after) => store.passes.replace(before, after),
  });
  const ports: DebatePorts = {
    ...shared,
    journal,
    model: await platform.model(tenantId),
    supervisors: loaded.supervisors,
    noteDegraded: (names) => {
      for (const name of names) degraded.add(name);
    },
    book,
    // An answer that comes while the round runs is stored by the object: the book has to know of it.
    syncRequests: () => book.refresh(),
    observer: {
      ...shared.observer,
      recorded: (entry) => {
        if (entry.type === "position.taken") store.addPosition(entry.position);
        shared.observer.debated(entry);
      },
      effect: (toolCallId, effect) => {
        // A call that ends after its round was cut short is kept as it was then.
        if (isHeld()) store.setEffectUnderWay(toolCallId, effect);
      },
    },
  };
  const topic = await clearTopic(store, ports);
  if (!topic.ok) return { driven: { kind: "topic_blocked", detail: topic.detail }, degraded: [...degraded] };
  const about = { work, topic: topic.topic, rounds: store.rounds(), spent, effects: store.effects() };
  return { driven: await enter(command, about, loaded.panel, ports), degraded: [...degraded] };
}

interface About {
  readonly work: string;
  readonly topic: string;
  readonly rounds: readonly RoundRecord[];
  readonly spent: Spent;
  readonly effects: readonly Effect[];
}

async function enter(command: Command, about: About, panel: LoadedPanel, ports: DebatePorts): Promise<Driven> {
  const { work: id, topic, rounds, spent, effects } = about;
  const upTo = rounds.filter(({ round }) => round <= command.round);
  switch (command.kind) {
    case "analysis": {
      const { analysed, spent: taken } = await analyseRound(id, { topic, rounds: upTo }, panel, ports);
      return { kind: "analysed", round: command.round, analysed, spent: taken };
    }
    case "answers":
      await clearAnswers(ports);
      return { kind: "cleared" };
    case "synthesis": {
      await clearAnswers(ports);
      const answer = await synthesise(id, { topic, rounds: upTo }, panel, ports);
      const { spent: taken } = answer;
      const asOf = new Date(command.startedAt).toISOString();
      if (answer.kind === "answer") {
        return { kind: "synthesised", synthesis: { ...answer.value, asOf }, spent: taken };
      }
      return { kind: "blocked", detail: `The synthesis: ${answer.error}`, spent: taken, effects: [] };
    }
    case "round":
    case "rerun":
    case "closing":
      return runRound(
        {
          ...command,
          id,
          topic,
          rounds,
          spent,
          effects,
          focusQuestion: command.focusQuestion,
          unanalysed: unanalysedOf(rounds, panel),
        },
        panel,
        ports,
      );
  }
}

/** The last round, if its analysis is still to be done. */
function unanalysedOf(rounds: readonly RoundRecord[], { analysis }: LoadedPanel): RoundRecord | undefined {
  const last = rounds.at(-1);
  return analysis && last !== undefined && awaitsAnalysis(last) ? last : undefined;
}

type Topic = { readonly ok: true; readonly topic: string } | { readonly ok: false; readonly detail: string };

/** The topic comes in like a message, once. */
async function clearTopic(store: RoundtableStore, ports: DebatePorts): Promise<Topic> {
  const { topic, definition, roundtableId } = store.roundtable();
  if (topic !== undefined) return { ok: true, topic };
  const passed = await superviseMessage(roundtableId, [definition.topic], scoped(ports, "topic"));
  if (passed.action === "block") return { ok: false, detail: `The topic was blocked: ${passed.why}` };
  const [content = ""] = passed.texts;
  await ports.journal.commit("topic", () => store.setTopic(content));
  return { ok: true, topic: content };
}
