/** What a reviewer sees of an ask: what is proposed, how it differs, and what was said before it. */
import type { z } from "zod";
import type { Ask } from "../../asks/ask.js";
import type { conversationSchema } from "../../chat/conversation.js";
import { oneLine } from "../../text/one-line.js";
import { type DiffPart, mergedDiff } from "../../text/word-diff.js";
import { Badge, Time, type Tone } from "../parts.js";
import type { Names } from "../screen.js";
import { Text } from "../visible-text.js";
import { actionTones, actionWords, hookWords } from "./decision-words.js";
import { Who } from "./who.js";

/** What an ask is about, in one line of a list. */
export function previewLine({ preview, question }: Ask): string {
  return preview ?? oneLine(question, 160);
}

export const kindWords: Readonly<Record<Ask["kind"], string>> = {
  review: "Review",
  approval: "Approval",
  human: "Question",
  context: "Context",
  handover: "Person wanted",
};

export function Kind({ ask }: { readonly ask: Ask }) {
  const tones: Readonly<Partial<Record<Ask["priority"], Tone>>> = { high: "warn", critical: "bad", required: "warn" };
  const tone = tones[ask.priority];
  return (
    <>
      <Badge>{kindWords[ask.kind]}</Badge>
      {tone === undefined ? undefined : <Badge tone={tone}>{ask.priority}</Badge>}
    </>
  );
}

export function Diff({ parts }: { readonly parts: readonly DiffPart[] }) {
  return (
    <div class="text diff" dir="auto">
      {mergedDiff(parts).map(({ same, removed = "", added = "" }) =>
        same === undefined ? (
          <>
            {removed === "" ? undefined : (
              <del>
                <span class="skip">taken out: </span>
                <Text inline text={removed} />
              </del>
            )}
            {added === "" ? undefined : (
              <ins>
                <span class="skip">put in: </span>
                <Text inline text={added} />
              </ins>
            )}
          </>
        ) : (
          <Text inline text={same} />
        ),
      )}
    </div>
  );
}

type Said = z.infer<ReturnType<typeof conversationSchema>>["items"][number];

const speakers: Readonly<Record<Said["message"]["role"], string>> = {
  user: "Customer",
  assistant: "Agent",
  error: "Stopped",
  system: "System",
};

function speakerOf({ message }: Said): string {
  return message.role === "assistant" && message.author !== undefined ? "Staff" : speakers[message.role];
}

/** What people said of it: thumbs, a word, and the comment of each. */
function Opinions({ feedback, names }: Pick<Said, "feedback"> & { readonly names: Names }) {
  if (feedback.length === 0) return undefined;
  return (
    <ul class="lines">
      {feedback.map(({ score, label, comment, by }) => (
        <li>
          <Badge tone={score < 0 ? "bad" : score > 0 ? "good" : "plain"}>
            {score < 0 ? "Not good" : score > 0 ? "Good" : "Taken back"}
          </Badge>{" "}
          {label === undefined ? undefined : <Badge>{label}</Badge>} <Who by={by} names={names} />{" "}
          {comment === undefined ? undefined : <Text inline text={comment} />}
        </li>
      ))}
    </ul>
  );
}

/** What was said, the newest last, each with what supervision made of it. @param at the conversation's address, for what leads further */
export function Bubbles({
  items,
  names,
  at,
}: {
  readonly items: readonly Said[];
  readonly names: Names;
  readonly at?: string;
}) {
  if (items.length === 0) return <p class="empty">Nothing was said before.</p>;
  return (
    <ol class="bubbles" aria-label="Conversation">
      {items.map(({ turnId, message, passes, asks, feedback }) => (
        <li
          class={message.role === "assistant" && message.author !== undefined ? "assistant staff" : message.role}
          id={message.messageId}
        >
          <p class="by">
            {speakerOf({ turnId, message, passes, asks, feedback })}{" "}
            {message.role === "assistant" && message.author !== undefined ? (
              <Who by={message.author} names={names} />
            ) : undefined}{" "}
            {message.createdAt === undefined ? undefined : <Time at={message.createdAt} />}
            {passes
              .filter(({ decision }) => decision !== "allow")
              .map(({ decision, hook, steps, reasons }) => (
                <details class="shield">
                  <summary>
                    <Badge tone={actionTones[decision]}>{`${hookWords[hook]} ${actionWords[decision]}`}</Badge>
                  </summary>
                  <p>
                    {steps
                      .filter(({ action }) => action !== "allow")
                      .map(({ supervisor, actor }) => supervisor ?? (actor && (names.get(actor.id) ?? actor.id)) ?? "")
                      .join(", ")}
                    {": "}
                    <Text inline text={reasons.join("; ")} />
                    {at === undefined ? undefined : (
                      <>
                        {" "}
                        <a href={`${at}/messages/${message.messageId}`}>Before and after</a>
                      </>
                    )}
                  </p>
                </details>
              ))}
            {at === undefined || message.role === "system" ? undefined : (
              <span class="further">
                <a href={`${at}/messages/${message.messageId}`}>Versions</a>
                {message.role === "user" || turnId === "" ? undefined : (
                  <>
                    {" "}
                    <a href={`${at}/turns/${turnId}`}>How it went</a>
                  </>
                )}
              </span>
            )}
          </p>
          {message.role === "assistant" ? (
            message.modelReply.turns.map(({ message: text = "", toolCalls = [] }) => (
              <>
                {toolCalls.map(({ server, tool, args }) => (
                  <p class="call">
                    <code>{`${server}/${tool}`}</code> <Text inline text={JSON.stringify(args)} />
                  </p>
                ))}
                {text === "" ? undefined : <Text text={text} />}
              </>
            ))
          ) : (
            <Text text={message.content} />
          )}
          <Opinions feedback={feedback} names={names} />
        </li>
      ))}
    </ol>
  );
}
