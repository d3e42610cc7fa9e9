/** What a reviewer sees of an ask: what is proposed, and how it differs. */
import type { Ask } from "../../asks/ask.js";
import { oneLine } from "../../text/one-line.js";
import { type DiffPart, mergedDiff } from "../../text/word-diff.js";
import { Badge, type Tone } from "../parts.js";
import { Text } from "../visible-text.js";

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
