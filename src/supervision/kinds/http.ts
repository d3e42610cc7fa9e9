/**
 * Supervisors of kind `http`: an endpoint of the tenant's own. The request is signed, the answer has a deadline and a strict form;
 * everything else counts as the supervisor's failure.
 */

import { z } from "zod";
import { contextKeys } from "../../agent/call-context.js";
import type { Journal } from "../../agent/journal.js";
import { defined } from "../../conversation/defined.js";
import { secretText } from "../../conversation/secret-text.js";
import { type ContextEditor, conversationAround } from "../environment.js";
import { type Subject, segmentsOf, spokenText } from "../subject.js";
import {
  type JudgeContext,
  mayModifyContext,
  mayModifyMessages,
  RefusedCallError,
  type Supervisor,
  supervisorSettingsSchema,
} from "../supervisor.js";
import { contextEntries } from "../tools/context-tools.js";
import type { Verdict } from "../verdict.js";
import { contextChangesOf, type HttpAnswer, readAnswer, verdictOf } from "./http-answer.js";
import { type KindPorts, type KindSettings, supervisorKind } from "./kind.js";

const httpConfigSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).max(2_000),
  /** Signs the requests: HMAC-SHA256. */
  secret: secretText(1, 500),
  /** What of the end user the signed context tells. */
  context: contextKeys,
});

type HttpSettings = KindSettings<z.infer<typeof httpConfigSchema>>;
type HttpPorts = Pick<KindPorts, "now" | "sendSigned" | "sign">;

export const httpKind = supervisorKind({
  schema: supervisorSettingsSchema.extend({ kind: z.literal("http"), config: httpConfigSchema }),
  onFailure: "allow",
  timeoutMs: 10_000,
  build: httpSupervisor,
});

const exchangeSchema = z.object({ status: z.number(), text: z.string() });

export function httpSupervisor(settings: HttpSettings, ports: HttpPorts): Supervisor {
  return {
    ...settings,
    kind: "http",
    mayModify: mayModifyMessages(settings.permission),
    pure: false,
    judge: (subject, context) => ask(settings, subject, context, ports),
  };
}

async function ask(
  settings: HttpSettings,
  subject: Subject,
  context: JudgeContext,
  ports: HttpPorts,
): Promise<Verdict> {
  const { name, config, timeoutMs, permission } = settings;
  const { journal, signal, hash, environment } = context;
  const editor = mayModifyContext(permission) ? environment.context : undefined;
  const body = JSON.stringify({
    supervisor: name,
    hook: subject.hook,
    ownerId: environment.ownerId,
    turnId: environment.workId,
    text: spokenText(subject),
    data: segmentsOf(subject).flatMap(({ kind, text }) => (kind === "spoken" ? [] : [text])),
    subject,
    hash: await hash(subject),
    conversation: conversationAround(subject, environment).map(({ role, content, rounds = [] }) => {
      const toolCalls = rounds.flatMap(({ calls }) => calls.map(({ ref, args, result }) => ({ ...ref, args, result })));
      return { role, content, ...(toolCalls.length === 0 ? {} : { toolCalls }) };
    }),
    statistics: environment.statistics?.() ?? {},
    ...defined({ context: editor && (await inForce(editor, journal)) }),
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
      return ports.sendSigned(request, config).catch((error: unknown) => {
        if (signal.aborted || !(error instanceof Error)) throw error;
        throw new Error(`its endpoint (setting config.url) can't be asked: ${error.message}`);
      });
    },
  );
  if (status !== 200) throw new Error(`its endpoint (setting config.url) answered with status ${status}`);
  const answer = readAnswer(text);
  const verdict = verdictOf(answer, subject);
  await changeContext(answer, verdict, settings, context);
  return verdict;
}

/** What an endpoint that may change it reads of the context: what there is, and whether it is in force. */
async function inForce(editor: ContextEditor, journal: Journal) {
  const [rules, references, tools] = await Promise.all(
    (["rules", "references", "tools"] as const).map(async (kind) =>
      (await contextEntries(editor, kind, journal.scope(kind))).map(({ name, description, inForce }) => ({
        name,
        ...defined({ description }),
        inForce,
      })),
    ),
  );
  return { rules, references, tools };
}

/** Changes are made before the verdict counts, and hold whatever becomes of it, like those of a supervising agent. */
async function changeContext(
  { action, reasons, context }: HttpAnswer,
  verdict: Verdict,
  { name, permission, mode }: HttpSettings,
  { environment, contextChanged, sanitizeReason, journal }: JudgeContext,
): Promise<void> {
  if (context === undefined || mode === "shadow") return;
  const refused = (detail: string): RefusedCallError =>
    new RefusedCallError(`it changed the context, and ${detail}`, verdict, action);
  if (!mayModifyContext(permission)) throw refused(`its setting "permissions" doesn't allow it`);
  if (environment.context === undefined) throw refused("only a session has one");
  const reason = await sanitizeReason(context.reason ?? (reasons.join("; ") || "its endpoint wants it"));
  for (const [at, change] of contextChangesOf(context).entries()) {
    const by = { supervisor: name, reason };
    const outcome = await environment.context.change(change, by, journal.scope(`context/${at}`));
    if (!outcome.ok) throw refused(outcome.detail);
    if (outcome.changed) contextChanged(change);
  }
}
