/**
 * Supervisors of kind `http`: an endpoint of the tenant's own. The request is signed, the answer has a deadline and a strict form;
 * everything else counts as the supervisor's failure.
 */

import { z } from "zod";
import { contextKeys } from "../../agent/call-context.js";
import { secretText } from "../../conversation/secret-text.js";
import { readJson } from "../../text/json.js";
import { conversationAround } from "../environment.js";
import { type Subject, segmentsOf, spokenText } from "../subject.js";
import {
  type JudgeContext,
  mayModifyMessages,
  NoDecisionError,
  type Permissions,
  RefusedCallError,
  type Supervisor,
} from "../supervisor.js";
import { actions, type Verdict } from "../verdict.js";
import type { SendPort } from "./ports.js";

export const httpConfigSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).max(2_000),
  /** Signs the requests: HMAC-SHA256. */
  secret: secretText(1, 500),
  /** What of the end user the signed context tells. */
  context: contextKeys,
});

export interface HttpSupervisorPorts {
  readonly now: () => number;
  readonly send: SendPort;
  /** HMAC-SHA256 in hex. */
  readonly sign: (secret: string, text: string) => Promise<string>;
}

export type HttpSupervisorSettings = Omit<Supervisor, "kind" | "mayModify" | "pure" | "judge" | "openStream"> & {
  readonly permission: Permissions;
  readonly config: z.infer<typeof httpConfigSchema>;
};

const answerSchema = z
  .strictObject({
    action: z.enum(actions),
    reasons: z.array(z.string().min(1).max(2_000)).max(20).default([]),
    /** The whole text as it shall be (modify), or what is proposed (review). */
    content: z.string().max(200_000).optional(),
  })
  .refine(({ action, content }) => action !== "modify" || (content !== undefined && content.trim() !== ""), {
    message: 'the action "modify" needs content',
    path: ["content"],
  })
  .refine(({ action, content }) => content === undefined || action === "modify" || action === "review", {
    message: "content goes with modify or review only",
    path: ["content"],
  });

const exchangeSchema = z.object({ status: z.number(), text: z.string() });

export function httpSupervisor(settings: HttpSupervisorSettings, ports: HttpSupervisorPorts): Supervisor {
  return {
    ...settings,
    kind: "http",
    mayModify: mayModifyMessages(settings.permission),
    pure: false,
    judge: (subject, judging) => ask(settings, subject, judging, ports),
  };
}

async function ask(
  { name, config, timeoutMs }: HttpSupervisorSettings,
  subject: Subject,
  { journal, signal, hash, surroundings }: JudgeContext,
  ports: HttpSupervisorPorts,
): Promise<Verdict> {
  const body = JSON.stringify({
    supervisor: name,
    hook: subject.hook,
    ownerId: surroundings.ownerId,
    turnId: surroundings.workId,
    text: spokenText(subject),
    data: segmentsOf(subject).flatMap(({ kind, text }) => (kind === "spoken" ? [] : [text])),
    subject,
    hash: await hash(subject),
    conversation: conversationAround(subject, surroundings).map(({ role, content, rounds = [] }) => {
      const toolCalls = rounds.flatMap(({ calls }) => calls.map(({ ref, args, result }) => ({ ...ref, args, result })));
      return { role, content, ...(toolCalls.length === 0 ? {} : { toolCalls }) };
    }),
    statistics: surroundings.statistics?.() ?? {},
  });
  const { status, text } = await journal.step(
    { id: "call", kind: "tool", schema: exchangeSchema, interrupted: "again" },
    async () => {
      const timestamp = String(Math.floor(ports.now() / 1_000));
      const signature = await ports.sign(config.secret, `${timestamp}.${body}`);
      const request = {
        method: "POST",
        url: config.url,
        headers: {
          "content-type": "application/json",
          accept: "application/json",
          "user-agent": "conclave",
          "conclave-timestamp": timestamp,
          "conclave-signature": `v1=${signature}`,
        },
        body,
        timeoutMs,
        signal,
      };
      return ports.send(request).catch((error: unknown) => {
        if (signal.aborted || !(error instanceof Error)) throw error;
        throw new Error(`its endpoint (setting config.url) can't be asked: ${error.message}`);
      });
    },
  );
  if (status !== 200) throw new Error(`its endpoint (setting config.url) answered with status ${status}`);
  return read(text);
}

function read(text: string): Verdict {
  const { value, problem } = readJson(text);
  if (problem !== undefined) throw new NoDecisionError("its endpoint (setting config.url) didn't answer with JSON");
  const answer = answerSchema.safeParse(value);
  if (!answer.success) {
    // What it wanted stands there, however wrong the rest is.
    const wish = z.object({ action: z.enum(actions) }).safeParse(value).data?.action;
    const [issue] = answer.error.issues;
    const where = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
    throw new RefusedCallError(
      `the answer of its endpoint (setting config.url) is malformed: ${where}${issue?.message ?? "wrong"}`,
      undefined,
      wish,
    );
  }
  const { action, reasons, content } = answer.data;
  return { action, reasons, ...(content === undefined ? {} : { change: { kind: "content", content } }) };
}
