/** What Slack shows: messages with buttons, and forms. https://docs.slack.dev/block-kit */
import { defined } from "../../conversation/defined.js";
import type { Button, Form, FormRequest, Post } from "../adapter.js";
import { dialects, translate } from "../markdown.js";

/** What a section of a message may hold, in characters. */
const longestSection = 3_000;
const longestInput = 3_000;

/** Sections are shown as they are written; `text` is what notifications say. */
export function contentOf({ text, buttons = [] }: Post): {
  readonly text: string;
  readonly blocks?: readonly object[];
} {
  const written = translate(text, dialects.slack);
  if (buttons.length === 0) return { text: written, blocks: [] };
  const shown = written.length <= longestSection ? written : `${written.slice(0, longestSection - 2)} …`;
  return {
    text: shown,
    blocks: [
      { type: "section", text: { type: "mrkdwn", text: shown } },
      { type: "actions", elements: buttons.map(buttonOf) },
    ],
  };
}

function buttonOf({ value, label, style }: Button, at: number): object {
  const text = { type: "plain_text", text: label };
  return { type: "button", action_id: `choice-${at}`, text, value, ...defined({ style }) };
}

export function viewOf({ value, title, text }: Form, { event: { target } }: FormRequest): object {
  return {
    type: "modal",
    private_metadata: JSON.stringify({ value, chat: target.chat, ...defined({ thread: target.thread }) }),
    title: { type: "plain_text", text: title },
    submit: { type: "plain_text", text: "Send" },
    blocks: [
      {
        type: "input",
        block_id: "text",
        label: { type: "plain_text", text: "Text" },
        element: {
          type: "plain_text_input",
          action_id: "text",
          multiline: true,
          initial_value: text.slice(0, longestInput),
        },
      },
    ],
  };
}
