/** A session's turn answered by a team: its steps are steps of the turn, its questions are the turn's. */
import type { AgentOutcome } from "../agent/loop.js";
import type { TurnContext } from "../routing/brief.js";
import type { LoadedTeam, TeamPorts } from "../routing/ports.js";
import { runTeam } from "../routing/run.js";
import type { TraceEntry } from "../routing/trace.js";
import type { ReplyStream } from "./reply-stream.js";

/** What a turn needs to let a team answer, beyond what it needs anyway. */
export interface TeamTurnPorts extends Pick<TeamPorts, "asks" | "state" | "callWorker"> {
  readonly traced: (entry: TraceEntry) => void;
}

export interface TeamTurn {
  readonly turnId: string;
  readonly replyId: string;
  readonly message: string;
  readonly background: TurnContext;
}

/** @throws {Parked} while the team waits for an ask. */
export async function answerAsTeam(
  turn: TeamTurn,
  team: LoadedTeam,
  ports: Omit<TeamPorts, "work" | "metadata" | "asks" | "state" | "callWorker" | "observer"> & {
    readonly team: TeamTurnPorts;
    readonly observer: Omit<TeamPorts["observer"], "traced" | "keepsTexts">;
    readonly stream: ReplyStream;
  },
): Promise<AgentOutcome> {
  const { asks, state, callWorker, traced } = ports.team;
  const { turnId, replyId, message, background } = turn;
  const outcome = await runTeam(
    { id: replyId, input: message, metadata: {}, background, path: [] },
    team,
    {
      ...ports,
      journal: ports.journal.scope("team"),
      asks,
      state,
      callWorker,
      observer: { ...ports.observer, traced, keepsTexts: false },
      work: turnId,
    },
    ports.stream.listenToRound(),
  );
  const { inputTokens, outputTokens, activeMs, modelCalls } = outcome.spent;
  const spent = { modelCalls, inputTokens, outputTokens, activeMs };
  if (outcome.kind === "failed")
    return { kind: "failed", code: "model_failed", detail: outcome.detail, turns: [], ...spent };
  const workers = [...new Set(outcome.results.map(({ worker }) => worker))].join(", ");
  return {
    kind: "answered",
    text: outcome.response,
    turns: [{ turnId: `${replyId}.0`, message: outcome.response, inputTokens, outputTokens }],
    metadata: { team: team.key, workers, modelCalls },
    ...spent,
  };
}
