/** What a turn that waits shows of its reply: what is there so far and which calls are pending, as the response supervisors leave it. */
import type { Journal } from "../agent/journal.js";
import type { PendingCall } from "../agent/ports.js";
import type { ModelReply, ReplyTurn } from "../conversation/message.js";
import { passStep } from "../supervision/pass.js";
import type { SupervisePorts } from "../supervision/supervise.js";
import type { Supervisor } from "../supervision/supervisor.js";
import { withinReplySize } from "./reply-size.js";

/** Arguments of calls, by the calls' ids, once they have passed supervision. */
export type ClearedArguments = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

export interface WaitingReply {
  /** What is shown; nothing where the supervisors don't let it pass as it is so far. */
  readonly reply: ModelReply | undefined;
  /** Calls that a supervisor has dropped: they aren't made, approved or not. */
  readonly dropped: readonly string[];
  /** Who changed or stopped it. */
  readonly supervisors: readonly string[];
}

/**
 * Supervises a reply as far as it goes. Journalled by what is pending: entered again for the same calls, it isn't judged again.
 * @param waiting hears of it in the same write.
 */
export async function superviseWaiting(
  {
    turns,
    pending,
    timestamp,
  }: { readonly turns: readonly ReplyTurn[]; readonly pending: readonly PendingCall[]; readonly timestamp: string },
  cleared: ClearedArguments,
  supervisors: readonly Supervisor[],
  ports: {
    readonly journal: Journal;
    readonly supervise: SupervisePorts;
    readonly waiting: (waiting: WaitingReply) => void;
  },
): Promise<void> {
  const reply: ModelReply = {
    timestamp,
    turns: withinReplySize(turns),
    // What isn't cleared yet is held back: a reviewer may be deciding on it.
    pendingToolCalls: pending.map((call) => ({ ...call, args: { ...cleared.get(call.toolCallId) } })),
  };
  const position = pending.map(({ toolCallId }) => `${lastParts(toolCallId)}${cleared.has(toolCallId) ? "" : "?"}`);
  const journal = ports.journal.scope(`waiting/${position.join(",")}`);
  const judged = supervisors.filter(({ hooks }) => hooks.has("response"));
  if (judged.length === 0) {
    await journal.commit("shown", () => ports.waiting({ reply, dropped: [], supervisors: [] }));
    return;
  }
  const before = { hook: "response", reply } as const;
  await passStep(
    before,
    judged,
    { ...ports.supervise, journal },
    {
      onDone: ({ state, subject }) => {
        const subjectOf = { ...state.subject, partial: true as const };
        ports.supervise.decided({ ...state, subject: subjectOf }, before, subject);
        const passed = (state.decision === "allow" || state.decision === "modify") && subject.hook === "response";
        const after = subject.hook === "response" ? subject.reply : reply;
        const left = new Set(after.pendingToolCalls?.map(({ toolCallId }) => toolCallId));
        ports.waiting({
          reply: passed ? after : undefined,
          dropped: pending.flatMap(({ toolCallId }) => (left.has(toolCallId) ? [] : toolCallId)),
          supervisors: state.steps.flatMap(({ action, mode, supervisor = [] }) =>
            action !== "allow" && mode === "enforce" ? supervisor : [],
          ),
        });
      },
    },
    // Shadows are asked of the whole reply: nobody waits for them here.
    () => undefined,
  );
}

/** Round and index of a call within its reply. */
function lastParts(toolCallId: string): string {
  return toolCallId.split(".").slice(-2).join(".");
}
