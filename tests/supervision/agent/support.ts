/** A supervising agent over a scripted model, with a journal in memory. */
import { z } from "zod";
import { type Journal, Parked, resultText, type StepSpec } from "../../../src/agent/journal.js";
import { validateArguments } from "../../../src/application/argument-check.js";
import { openAsk } from "../../../src/asks/ask.js";
import type { ModelPort, ModelRequest, ModelResult } from "../../../src/model/port.js";
import type { ContextChange, ContextEditor, ContextEntry } from "../../../src/supervision/environment.js";
import type { PassPorts } from "../../../src/supervision/evaluation.js";
import { type AgentSupervisorSettings, agentSupervisor } from "../../../src/supervision/kinds/agent.js";
import type { LoadOwnParts } from "../../../src/supervision/kinds/kind.js";
import { runPass } from "../../../src/supervision/pass.js";
import { canonicalText, type Subject } from "../../../src/supervision/subject.js";
import type { Supervisor } from "../../../src/supervision/supervisor.js";

export interface Call {
  readonly name: string;
  readonly args: unknown;
}
/** What the model says in one round: tool calls, a text, or an exception. */
export type Said = readonly Call[] | string | Error;

export function call(name: string, args: unknown = {}): Call {
  return { name, args };
}

/** Plays the rounds in order, and keeps what it was asked. */
export function scripted(rounds: readonly Said[]): ModelPort & { readonly asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  const left = [...rounds];
  return {
    asked,
    async call(request) {
      asked.push(request);
      const said = left.shift();
      if (said === undefined) throw new Error("nothing scripted");
      if (said instanceof Error) throw said;
      return result(said);
    },
  };
}

export function result(said: readonly Call[] | string): ModelResult {
  const toolCalls =
    typeof said === "string"
      ? []
      : said.map(({ name, args }, index) => ({
          id: `call_${index}`,
          name,
          arguments: typeof args === "string" ? args : JSON.stringify(args),
        }));
  return {
    text: typeof said === "string" ? said : "",
    toolCalls,
    usage: { inputTokens: 1, outputTokens: 1 },
    finishReason: toolCalls.length > 0 ? "tool_calls" : "stop",
    model: "scripted",
  };
}

/** Keeps results as JSON, as the real one does. */
export class KeptJournal implements Journal {
  constructor(
    readonly steps = new Map<string, string>(),
    private readonly prefix = "",
  ) {}

  async step<T>(spec: StepSpec<T>, work: () => Promise<T>): Promise<T> {
    const id = this.prefix + spec.id;
    const known = this.steps.get(id);
    if (known !== undefined) return spec.schema.parse(JSON.parse(known));
    const text = resultText(spec, await work());
    this.steps.set(id, text);
    const read = spec.schema.parse(JSON.parse(text));
    spec.onDone?.(read);
    return read;
  }

  async commit(id: string, onDone: () => void): Promise<void> {
    await this.step(
      { id, kind: "commit", schema: z.literal(true), interrupted: "again", onDone },
      async () => true as const,
    );
  }

  ask(id: string, request: Parameters<Journal["ask"]>[1]): never {
    throw new Parked([openAsk(`ask_${this.prefix}${id}`, request, {}, 0).askId]);
  }

  scope(prefix: string): Journal {
    return new KeptJournal(this.steps, `${this.prefix}${prefix}/`);
  }
}

export const everyHook = new Set(["request", "response", "tool_call", "tool_result", "hop"] as const);

export function agent(
  model: ModelPort,
  more: Partial<AgentSupervisorSettings> & { readonly instructions?: string; readonly own?: LoadOwnParts } = {},
): Supervisor {
  const { instructions = "Judge.", own = async () => ({ tools: [], references: [] }), ...settings } = more;
  return agentSupervisor(
    {
      name: "guard",
      hooks: everyHook,
      order: 0,
      mode: "enforce",
      onFailure: "allow",
      timeoutMs: 1_000,
      permission: "modify_messages",
      config: { model: "scripted", instructions },
      ...settings,
    },
    { model: async () => model, now: () => 0, validateArguments, withDeadline: deadline, own },
  );
}

/** Time-outs of 13 ms have passed at once; all others never do. */
export const deadline: PassPorts["withDeadline"] = async (timeoutMs, work) => {
  const controller = new AbortController();
  const working = work(controller.signal);
  if (timeoutMs !== 13) return working;
  working.catch(() => {});
  controller.abort();
  throw new Error("no result within 13 ms");
};

export function pass(
  subject: Subject,
  supervisors: readonly Supervisor[],
  more: Partial<PassPorts> = {},
): ReturnType<typeof runPass> {
  return runPass(subject, supervisors, {
    now: () => 0,
    hash: async (subject) => {
      const text = canonicalText(subject);
      return `#${text.length}:${text.slice(0, 500)}`;
    },
    withDeadline: deadline,
    strict: false,
    journal: new KeptJournal(),
    ...more,
  });
}

export function request(content: string): Extract<Subject, { hook: "request" }> {
  return { hook: "request", message: { messageId: "msg_1", role: "user", content } };
}

/** One subject per hook that says `text`. */
export function subjectsSaying(text: string): Subject[] {
  const toolCall = { toolCallId: "call_1", server: "s", tool: "t", args: { text } };
  const timestamp = "2030-01-01T00:00:00.000Z";
  return [
    request(text),
    { hook: "response", reply: { timestamp, turns: [{ turnId: "rt_1", message: text }] } },
    { hook: "tool_call", call: toolCall },
    { hook: "tool_result", call: { ...toolCall, args: {} }, output: text },
    { hook: "hop", from: "a", to: "b", content: text },
  ];
}

/** A desk that keeps what is changed in memory. */
export class MemoryDesk implements ContextEditor {
  readonly changes: (ContextChange & { readonly supervisor: string; readonly reason: string })[] = [];
  readonly stored: string[] = [];

  constructor(private readonly entries: readonly ContextEntry[] = []) {}

  async list(kind: ContextEntry["kind"]): Promise<readonly ContextEntry[]> {
    return this.entries.filter((entry) => entry.kind === kind);
  }

  async change(...[change, author]: Parameters<ContextEditor["change"]>): ReturnType<ContextEditor["change"]> {
    this.changes.push({ ...change, ...author });
    return { ok: true, version: this.changes.length + 1, changed: true };
  }

  async store(...[item]: Parameters<ContextEditor["store"]>): ReturnType<ContextEditor["store"]> {
    this.stored.push(`${item.kind}/${item.name}`);
    return { ok: true, version: 1, changed: true };
  }
}
