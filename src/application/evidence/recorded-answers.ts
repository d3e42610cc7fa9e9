/** What tools, people and approvals answer in a turn that is only tried: what is on record, and nobody is called or asked. */
import { Superseded } from "../../agent/journal.js";
import type { AgentTool, ToolOutput, ToolRef } from "../../agent/tools.js";
import type { Ask, AskRequest } from "../../asks/ask.js";
import type { Stub } from "../../evidence/item.js";
import { workerCall } from "../../routing/http-worker.js";
import { canonicalJson, isRecord } from "../../text/json.js";

/** Ends a turn that is tried: what comes next isn't on record, or a person would have to look at it first. */
export class TrialEnd extends Superseded {
  constructor(readonly outcome: { readonly diverged: string } | { readonly action: "review" }) {
    super("diverged" in outcome ? `nothing is on record of ${outcome.diverged}` : "it would be held for a review");
  }
}

/** The most of a call's arguments that a result shows, in characters. */
const shownArguments = 300;

export class RecordedAnswers {
  /** The tools that were called, as `server/tool`, in their order. */
  readonly called: string[] = [];
  private readonly left: Stub[];

  /**
   * @param stubs the first that fits a call answers it; one that several calls fit answers all that come after the others were used up
   * @param asks closed ones, of which approvals are looked up
   */
  constructor(
    stubs: readonly Stub[],
    private readonly asks: readonly Ask[] = [],
  ) {
    this.left = [...stubs];
  }

  /** What the caller was handed to call in it, and what such calls had come to before. */
  handedOver(calls: readonly (ToolRef & { readonly args: Call["args"] })[], stubs: readonly Stub[]): void {
    for (const { server, tool, args } of calls) {
      const call = { tool: `${server}/${tool}`, args };
      this.called.push(call.tool);
      if (!stubs.some((stub) => fits(stub, call))) throw diverged(call.tool, args);
    }
  }

  /** What a worker at an address answered. @throws {TrialEnd} where nothing is on record of it */
  worker(worker: string, body: Call["args"]): { readonly status: number; readonly text: string } {
    const { server, tool, args } = workerCall(worker, body);
    const { content, isError = false } = this.answer({ server, tool }, args);
    if (isError) throw new Error(content);
    return { status: 200, text: content };
  }

  /** The same tool, which answers from the record. */
  tool(tool: AgentTool): AgentTool {
    return { ...tool, run: async (args) => this.answer(tool.ref, args) };
  }

  /** @throws {TrialEnd} where nothing is on record of what is asked */
  ask(_id: string, request: AskRequest): Ask {
    if (request.kind === "review") throw new TrialEnd({ action: "review" });
    const call = callOf(request.proposal);
    const same = this.asks.find(
      ({ kind, question, status }) => kind === request.kind && question === request.question && status !== "open",
    );
    if (request.kind !== "approval" && same !== undefined) return { ...same, proposal: request.proposal };
    if (request.kind !== "approval" || call === undefined)
      throw diverged(`a question of kind ${request.kind}`, { question: request.question });
    const answered = this.asks.find(({ kind, proposal, status }) => {
      const other = callOf(proposal);
      return kind === "approval" && status !== "open" && other !== undefined && isSame(other, call);
    });
    // The approval is of this very call now.
    if (answered !== undefined) return { ...answered, proposal: request.proposal };
    if (this.find(call) === undefined) throw diverged(`an approval of ${call.tool}`, call.args);
    return approved(request);
  }

  private answer({ server, tool }: ToolRef, args: Readonly<Record<string, unknown>>): ToolOutput {
    const call = { tool: `${server}/${tool}`, args };
    this.called.push(call.tool);
    const at = this.find(call);
    const found = at === undefined ? undefined : this.left[at];
    if (at === undefined || found === undefined) throw diverged(call.tool, args);
    const isLast = this.left.filter((other) => fits(other, call)).length === 1;
    if (!isLast) this.left.splice(at, 1);
    const { output, error } = found;
    return error === undefined ? { content: output ?? "" } : { content: error, isError: true };
  }

  private find(call: Call): number | undefined {
    const at = this.left.findIndex((stub) => fits(stub, call));
    return at === -1 ? undefined : at;
  }
}

interface Call {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

function fits({ tool, args }: Stub, call: Call): boolean {
  return tool === call.tool && (args === undefined || isSame({ tool, args }, call));
}

function isSame(one: Call, other: Call): boolean {
  return one.tool === other.tool && canonicalJson(one.args) === canonicalJson(other.args);
}

function callOf(proposal: unknown): Call | undefined {
  if (!isRecord(proposal) || !isRecord(proposal.args)) return undefined;
  return { tool: `${String(proposal.server)}/${String(proposal.tool)}`, args: proposal.args };
}

/** Names what isn't on record. */
function diverged(what: string, args: Readonly<Record<string, unknown>>): TrialEnd {
  const text = canonicalJson(args);
  const shown = text.length > shownArguments ? `${text.slice(0, shownArguments)}…` : text;
  return new TrialEnd({ diverged: `${what} ${shown}` });
}

function approved({ question, proposal }: AskRequest): Ask {
  const at = new Date(0).toISOString();
  return {
    ...{ askId: "ask_trial", kind: "approval", question, proposal, priority: "normal", audience: "staff" },
    ...{ from: { about: {} }, status: "answered", answer: { decision: "once" }, openedAt: at, closedAt: at },
  };
}
