/**
 * The tools of one supervising agent in one pass, over one SupervisionState of their own. They are bound to that pass: once it
 * is over they are dead, even where they are still held. What they decide only ever gets stricter.
 */
import { z } from "zod";
import type { AgentTool, ToolContext, ToolOutput } from "../../agent/tools.js";
import type { Subject } from "../subject.js";
import type { Permissions } from "../supervisor.js";
import { type Action, strictest, type Verdict } from "../verdict.js";

/** The server name of a supervisor's tools. */
export const supervisionServer = "supervision";

export class PassToolkit {
  private open = true;
  private decided: Action | undefined;
  private readonly reasons: string[] = [];
  private current: Subject;

  constructor(
    /** The subject as it was shown to the supervisor. */
    readonly subject: Subject,
    readonly permission: Permissions,
  ) {
    this.current = subject;
  }

  get closed(): boolean {
    return !this.open;
  }

  /** The subject with all modifications so far. */
  get text(): Subject {
    return this.current;
  }

  close(): void {
    this.open = false;
  }

  /** Takes up a decision; returns what counts now. A milder one than was made already changes nothing. */
  decide(action: Action, reason: string | undefined, change?: Subject): Action {
    this.decided = strictest(this.decided ?? "allow", action);
    if (change !== undefined) this.current = change;
    // Reasons of an allowance explain nothing that was done.
    if (reason !== undefined && action !== "allow") this.reasons.push(reason);
    return this.decided;
  }

  /** `undefined` while nothing was decided. */
  verdict(): Verdict | undefined {
    if (this.decided === undefined) return undefined;
    const verdict = { action: this.decided, reasons: [...this.reasons] };
    return this.current === this.subject ? verdict : { ...verdict, change: { kind: "subject", subject: this.current } };
  }
}

export interface ToolSketch<T> {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType<T>;
  /** Whether the supervisor's permission suffices, where it needs one: asked when the tool is offered and again when it is called. */
  readonly permitted?: (permission: Permissions) => boolean;
  readonly run: (args: T, context: ToolContext) => Promise<ToolOutput>;
}

export interface SupervisionTool extends AgentTool {
  /** Whether the permission allows it: only then is it shown to the model. */
  readonly offered: boolean;
}

/** Makes a tool that works while its pass lasts and its permission holds. */
export function supervisionTool<T>(kit: PassToolkit, sketch: ToolSketch<T>): SupervisionTool {
  const isPermitted = () => sketch.permitted?.(kit.permission) ?? true;
  return {
    offered: isPermitted(),
    ref: { server: supervisionServer, tool: sketch.name },
    name: sketch.name,
    description: sketch.description,
    parameters: z.toJSONSchema(sketch.schema, { io: "input" }),
    timeoutMs: 0,
    // Entered again on a replay, so that the state of the pass is as it was; what has effects journals them itself.
    execution: "durable",
    async run(args, context) {
      if (kit.closed) return problem("This pass is over; its tools can't be used any more.");
      if (!isPermitted()) {
        return problem(
          `Not done: the setting permissions of this supervisor is "${[kit.permission].flat().join(", ")}", which doesn't allow it.`,
        );
      }
      return sketch.run(sketch.schema.parse(args), context);
    },
  };
}

export function problem(content: string): ToolOutput {
  return { content, isError: true };
}

/** The reason that a supervising agent has to give with what it does. */
export type ReasonSchema = z.ZodType<string>;

/** @param listed the only ones there are, where its tenant wants none of the model's own words read */
export function reasonSchema(listed: readonly string[] | undefined): ReasonSchema {
  if (listed !== undefined) return z.enum(listed).describe("The one of these that fits best");
  return z
    .string()
    .trim()
    .min(1)
    .max(2_000)
    .describe("Why, in a sentence that the people concerned may read; never quote in it what they shall not see");
}
