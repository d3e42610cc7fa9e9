/**
 * The step that work is at, as the host of a call hears it: a short sentence of ours, made of the events that are for its caller. It may
 * name a tool, a worker or a seat; it never has a text, a reason, an argument or a result.
 */
import { z } from "zod";
import type { LiveEventType, LoggedEventType } from "../catalogues/events.js";

/** Its sentence; none where the data, JSON text, isn't what it should be: the steps that follow are told all the same. */
type Step = (data: string) => string | undefined;

function named<T>(schema: z.ZodType<T>, words: (data: T) => string): Step {
  return (data) => {
    const read = schema.safeParse(JSON.parse(data));
    return read.success ? words(read.data) : undefined;
  };
}

function always(words: string): Step {
  return () => words;
}

const tool = z.object({ server: z.string(), tool: z.string() });
const worker = z.object({ worker: z.string() });
const seat = z.object({ agentId: z.string(), round: z.int() });
const passes = { round: "Round", rerun: "A further pass of round", closing: "The closing pass of round" } as const;
const round = z.object({ round: z.int(), kind: z.enum(["round", "rerun", "closing"]) });
const ofTool = ({ server, tool: name }: z.infer<typeof tool>): string => `The tool ${server}/${name}`;
const writing = always("The answer is being written.");
const writingAnew = always("The answer is being written anew.");

/** Events that are a step; of the others a host hears nothing. */
const steps = {
  "turn.started": always("The assistant is at work."),
  "run.started": always("The team is at work."),
  "round.started": named(round, ({ round: number, kind }) => `${passes[kind]} ${number} has begun.`),
  "tool.called": named(tool, (call) => `${ofTool(call)} is at work.`),
  "tool.progress": named(
    tool.extend({ progress: z.number(), total: z.number().optional() }),
    ({ progress, total, ...call }) => `${ofTool(call)}: ${progress}${total === undefined ? "" : ` of ${total}`}.`,
  ),
  "tool.returned": named(tool, (call) => `${ofTool(call)} has returned.`),
  "worker.started": named(worker, ({ worker: id }) => `The worker ${id} is at work.`),
  "worker.handedOn": named(
    z.object({ from: z.string(), to: z.string() }),
    ({ from, to }) => `The worker ${from} hands its task on to ${to}.`,
  ),
  "worker.returned": named(z.object({ result: worker }), ({ result }) => `The worker ${result.worker} has returned.`),
  "position.taken": named(seat, ({ agentId, round: number }) => `${agentId} has spoken in round ${number}.`),
  "seat.failed": named(seat, ({ agentId, round: number }) => `${agentId} takes no position in round ${number}.`),
  "reply.delta": writing,
  "reply.retracted": writingAnew,
  "run.delta": writing,
  "run.retracted": writingAnew,
  "ask.opened": always("A question waits for an answer."),
  "ask.closed": always("The work goes on."),
} as const satisfies { readonly [Type in LoggedEventType | LiveEventType]?: Step };

const byType: ReadonlyMap<string, Step> = new Map(Object.entries(steps));

/**
 * @param data of the event, as JSON text
 * @returns the sentence; nothing for an event that is no step
 * @example
 * stepOf("tool.progress", '{"server":"docs","tool":"index","progress":3,"total":10}'); // "The tool docs/index: 3 of 10."
 */
export function stepOf(type: string, data: string): string | undefined {
  return byType.get(type)?.(data);
}
