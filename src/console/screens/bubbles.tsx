/** What was said in a conversation, with what supervision made of it: each verdict says who and why, and is labelled there. */
import type { z } from "zod";
import type { conversationSchema } from "../../chat/conversation.js";
import type { Decision } from "../../supervision/decisions.js";
import { Badge, Button, Form, Time } from "../parts.js";
import type { Names } from "../screen.js";
import { Text } from "../visible-text.js";
import { actionTones, actionWords, decisionsPath, hookWords, labelTones } from "./decision-words.js";
import { Who } from "./who.js";

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

const labelled = [
  ["right", "Right", "r"],
  ["wrong", "Wrong", "w"],
  ["unsure", "Unsure", "u"],
] as const;

/** A supervisor's part in a verdict, and whether it was right. Keys label what nobody has labelled yet. */
function Labelling({ decision }: { readonly decision: Decision }) {
  const { decisionId, supervisor, action, mode, label } = decision;
  return (
    <Form label={`Was ${supervisor} right?`}>
      <input type="hidden" name="decision" value={decisionId} />
      <a href={`${decisionsPath}/${decisionId}`}>
        <Text inline text={supervisor} />
      </a>
      <span>{`${actionWords[action]}${mode === "shadow" ? " without effect" : ""}`}</span>
      {label === undefined ? undefined : <Badge tone={labelTones[label]}>{label}</Badge>}
      {labelled.map(([value, words, key]) => (
        <Button does={value} kind="quiet" {...(label === undefined && { shortcut: key })}>
          {words}
        </Button>
      ))}
    </Form>
  );
}

function Shield({
  pass: { decision, hook, steps, reasons },
  names,
  to,
  decisions,
  next,
}: {
  readonly pass: Said["passes"][number];
  readonly names: Names;
  readonly to: string | undefined;
  readonly decisions: readonly Decision[];
  readonly next: Decision | undefined;
}) {
  const stopped = steps.filter(({ action }) => action !== "allow");
  return (
    <details class="shield">
      <summary data-key={decisions.some((one) => one === next) ? "v" : undefined}>
        <Badge tone={actionTones[decision]}>{`${hookWords[hook]} ${actionWords[decision]}`}</Badge>
      </summary>
      <p>
        {stopped
          .map(({ supervisor, actor }) => supervisor ?? (actor && (names.get(actor.id) ?? actor.id)) ?? "")
          .join(", ")}
        {": "}
        <Text inline text={reasons.join("; ")} />
        {to === undefined ? undefined : (
          <>
            {" "}
            <a href={to}>Before and after</a>
          </>
        )}
      </p>
      {decisions.map((one) => (
        <Labelling decision={one} />
      ))}
    </details>
  );
}

/**
 * What was said, the newest last, each with what supervision made of it.
 * @param at the conversation's address, for what leads further
 * @param isReplayed whether whoever sees it may have turns answered again
 * @param decisions of its supervisors, the newest first: they are labelled where they are shown
 */
export function Bubbles({
  items,
  names,
  at,
  decisions = [],
  isReplayed = false,
}: {
  readonly items: readonly Said[];
  readonly names: Names;
  readonly at?: string;
  readonly decisions?: readonly Decision[];
  readonly isReplayed?: boolean;
}) {
  if (items.length === 0) return <p class="empty">Nothing was said before.</p>;
  // A key opens the first that nobody has labelled.
  const next = decisions.findLast(({ label }) => label === undefined);
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
              .map((pass) => (
                <Shield
                  pass={pass}
                  names={names}
                  to={at === undefined ? undefined : `${at}/messages/${message.messageId}`}
                  decisions={decisions.filter(
                    ({ about, hook }) => about.messageId === message.messageId && hook === pass.hook,
                  )}
                  next={next}
                />
              ))}
            {at === undefined || message.role === "system" ? undefined : (
              <span class="further">
                <a href={`${at}/messages/${message.messageId}`}>Versions</a>
                {message.role === "user" || turnId === "" ? undefined : (
                  <>
                    {" "}
                    <a href={`${at}/turns/${turnId}`}>How it went</a>{" "}
                    {isReplayed ? <a href={`${at}/replay?turn=${turnId}`}>Replay</a> : undefined}
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
