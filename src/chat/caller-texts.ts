/**
 * The caller's texts that stand beside a message wherever it is shown: who speaks, what the agent is to know of the end user, what an end
 * user noted. They are judged with the message, and what is shown is what supervision left of them.
 */
import type { Fact } from "../agent/prompt.js";
import { defined } from "../conversation/defined.js";
import type { PlainMessage } from "../conversation/message.js";
import type { Metadata } from "../conversation/names.js";
import { type CallerText, clearedText } from "../supervision/caller-text.js";
import type { TurnRequest } from "./turn-request.js";

/** A message as it was sent, with what its sender said of it. */
export interface SentMessage {
  readonly speaker?: string | undefined;
  readonly metadata?: Metadata | undefined;
  readonly sentBy?: { readonly kind: string } | undefined;
}

/** What stands beside the message in the transcript. An application's own notes are for itself: no agent reads them. */
export function textsOfMessage({ speaker, metadata = {}, sentBy }: SentMessage): CallerText[] {
  const notes = sentBy?.kind === "token" ? Object.entries(metadata) : [];
  return [
    ...(speaker === undefined ? [] : [{ name: "speaker", text: speaker }]),
    ...notes.map(([name, value], at) => ({ name: `notes.${at}`, text: noteText(name, value) })),
  ];
}

/** What the agent is to know of the end user, and what of the request stands in the model's call as it was sent. */
export function textsOfWork(facts: readonly Fact[], request: TurnRequest | undefined): CallerText[] {
  const { results = [], tools = [], sampling } = request ?? {};
  const known = new Set(tools.map(({ name }) => name));
  return [
    ...facts.map(({ name, value }) => ({ name, text: value })),
    ...(sampling?.stop ?? []).map((text, at) => ({ name: `stop.${at}`, text })),
    ...results.flatMap(({ tool }, at) => (known.has(tool) ? [] : [{ name: `results.${at}.tool`, text: tool }])),
  ];
}

/** The message with what is left of what its sender said of it. */
export function withTexts(message: PlainMessage, sent: SentMessage, beside: readonly CallerText[]): PlainMessage {
  const speaker = sent.speaker === undefined ? undefined : oneLine(clearedText(beside, "speaker", sent.speaker));
  const notes = Object.entries(sent.metadata ?? {}).flatMap(
    ([name, value], at): [string, string | number | boolean][] => {
      const [before, after] = [noteText(name, value), clearedText(beside, `notes.${at}`, noteText(name, value))];
      if (after === before) return [[name, value]];
      // Nothing is shown under a name that was changed itself.
      return after.startsWith(`${name}: `) ? [[name, after.slice(name.length + 2).slice(0, 2_000)]] : [];
    },
  );
  return {
    ...message,
    ...(speaker === undefined || speaker === "" ? {} : { speaker }),
    ...defined({ metadata: sent.metadata && Object.fromEntries(notes) }),
  };
}

/** The message without its text: of what its end user said nothing is shown. */
export function withoutTexts(message: PlainMessage, { metadata, sentBy }: SentMessage): PlainMessage {
  return metadata === undefined || sentBy?.kind === "token" ? message : { ...message, metadata };
}

/** The request with what is left of its texts. */
export function clearedRequest(request: TurnRequest, beside: readonly CallerText[]): TurnRequest {
  const { sampling } = request;
  if (sampling?.stop === undefined) return request;
  const stop = sampling.stop.map((text, at) => clearedText(beside, `stop.${at}`, text)).filter((text) => text !== "");
  return { ...request, sampling: { ...sampling, stop } };
}

function noteText(name: string, value: string | number | boolean): string {
  return `${name}: ${value}`;
}

/** As a speaker is stored. */
function oneLine(text: string): string {
  return [...text.replace(/\p{Cc}/gu, " ")].slice(0, 100).join("");
}
