/** Supervisors of kind `moderation`: an OpenAI-compatible moderation endpoint, with thresholds. They judge and change nothing. */

import { z } from "zod";
import { ownValue } from "../../conversation/own-value.js";
import { readJson } from "../../text/json.js";
import { type Subject, segmentsOf } from "../subject.js";
import { type JudgeContext, RefusedCallError, type Supervisor, supervisorSettingsSchema } from "../supervisor.js";
import type { Verdict } from "../verdict.js";
import { type KindPorts, type KindSettings, supervisorKind } from "./kind.js";

export const moderationConfigSchema = z.strictObject({
  /** `<provider>/<model>`, as with agents; without a slash a model of OpenAI. */
  model: z.string().min(1).max(200).default("openai/omni-moderation-latest"),
  /** From which score on a category counts; a category without one counts when the endpoint flags it. */
  thresholds: z.record(z.string().min(1).max(100), z.number().min(0).max(1)).default({}),
  action: z.enum(["block", "review"]).default("block"),
});

type ModerationSettings = Omit<KindSettings<z.infer<typeof moderationConfigSchema>>, "permission">;
type ModerationPorts = Pick<KindPorts, "send" | "provider">;

export const moderationKind = supervisorKind({
  schema: supervisorSettingsSchema.extend({ kind: z.literal("moderation"), config: moderationConfigSchema }),
  onFailure: "allow",
  timeoutMs: 10_000,
  build: moderationSupervisor,
});

const exchangeSchema = z.object({ status: z.number(), text: z.string() });

const answerSchema = z.object({
  results: z
    .array(
      z.object({
        flagged: z.boolean(),
        categories: z.record(z.string(), z.boolean().nullable()),
        category_scores: z.record(z.string(), z.number().nullable()),
      }),
    )
    .min(1),
});

/** What says of an answer that is wrong otherwise that it wanted something stopped. */
const flaggedSchema = z.object({ results: z.array(z.object({ flagged: z.unknown() })) });

/** The most that is sent of one text, in characters; a longer one goes in pieces. */
const pieceCharacters = 20_000;

export function moderationSupervisor(settings: ModerationSettings, ports: ModerationPorts): Supervisor {
  return {
    ...settings,
    kind: "moderation",
    model: settings.config.model,
    mayModify: false,
    pure: false,
    judge: (subject, context) => moderate(settings, subject, context, ports),
  };
}

async function moderate(
  { config, timeoutMs }: ModerationSettings,
  subject: Subject,
  { journal, signal }: JudgeContext,
  ports: ModerationPorts,
): Promise<Verdict> {
  const slash = config.model.indexOf("/");
  const [providerName, model] =
    slash < 0 ? ["openai", config.model] : [config.model.slice(0, slash), config.model.slice(slash + 1)];
  const input = segmentsOf(subject).flatMap(({ text }) => pieces(text));
  if (input.length === 0) return { action: "allow", reasons: [] };

  const { status, text } = await journal.step(
    { id: "call", kind: "tool", schema: exchangeSchema, interrupted: "again" },
    async () => {
      const provider = await ports.provider(providerName);
      if (provider === undefined) {
        throw new Error(`there is no provider "${providerName}" for its setting config.model "${config.model}"`);
      }
      return ports.send({
        method: "POST",
        url: `${provider.baseUrl.replace(/\/$/, "")}/moderations`,
        headers: { "content-type": "application/json", authorization: `Bearer ${provider.apiKey}` },
        body: JSON.stringify({ model, input }),
        timeoutMs,
        signal,
      });
    },
  );
  if (status !== 200) throw new Error(`the moderation endpoint answered with status ${status} (setting config.model)`);
  return judged(config, text, input.length);
}

function judged(config: ModerationSettings["config"], text: string, pieceCount: number): Verdict {
  const { value } = readJson(text);
  const answer = answerSchema.safeParse(value);
  // An endpoint that leaves some texts out has not judged them.
  if (!answer.success || answer.data.results.length < pieceCount) {
    const what = answer.success ? "judged fewer texts than it was given" : "gave a malformed answer";
    const detail = `the moderation endpoint ${what} (setting config.model)`;
    const isFlagged = flaggedSchema.safeParse(value).data?.results.some(({ flagged }) => flagged === true) === true;
    throw isFlagged ? new RefusedCallError(detail, undefined, config.action) : new Error(detail);
  }
  const { results } = answer.data;
  const reasons = new Set<string>();
  for (const { categories, category_scores: scores, flagged } of results) {
    const names = new Set([...Object.keys(categories), ...Object.keys(scores), ...Object.keys(config.thresholds)]);
    let named = false;
    for (const name of names) {
      const threshold = ownValue(config.thresholds, name);
      const score = ownValue(scores, name);
      if (
        threshold === undefined ? ownValue(categories, name) !== true : typeof score !== "number" || score < threshold
      )
        continue;
      named = true;
      const measured =
        typeof score === "number"
          ? ` (${score.toFixed(2)}${threshold === undefined ? "" : `, from ${threshold} on`})`
          : "";
      reasons.add(`moderation: ${name}${measured}`);
    }
    const below = Object.entries(categories).some(
      ([name, hit]) => hit === true && Object.hasOwn(config.thresholds, name),
    );
    if (flagged && !named && !below) reasons.add("moderation: flagged");
  }
  return reasons.size === 0 ? { action: "allow", reasons: [] } : { action: config.action, reasons: [...reasons] };
}

function pieces(text: string): string[] {
  if (text.trim() === "") return [];
  const found: string[] = [];
  for (let at = 0; at < text.length; at += pieceCharacters) found.push(text.slice(at, at + pieceCharacters));
  return found;
}
