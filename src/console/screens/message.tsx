/** One message: all that it ever said, who made it say that and why; edited, put back, erased. */
import { editMessage } from "../../application/sessions/edit-message.js";
import { eraseMessage } from "../../application/sessions/erase-message.js";
import { readVersions } from "../../application/sessions/read-versions.js";
import { restoreMessage } from "../../application/sessions/restore-message.js";
import { labelMessage } from "../../application/supervision/label-decision.js";
import { messageText } from "../../conversation/message.js";
import { authorize } from "../../tenancy/authority.js";
import { Badge, Button, Confirm, Field, Form, Time } from "../parts.js";
import { perform, type Screen, sentIn, type Visit } from "../screen.js";
import { Text } from "../visible-text.js";
import { Diff } from "./ask-parts.js";
import { decisionsPath } from "./decision-words.js";
import { Who } from "./who.js";

type Version = Awaited<ReturnType<typeof readVersions>>["items"][number];

const decisionWords: Readonly<Record<Version["decision"], string>> = {
  original: "As it was written",
  allow: "Let through",
  modify: "Changed by supervision",
  review: "Decided by a reviewer",
  block: "Blocked",
  edited: "Edited",
  restored: "Put back",
  erased: "Erased",
};

export const message: Screen = {
  path: "/conversations/:sessionId/messages/:messageId",
  needs: readVersions,
  show: async (visit) => {
    const [{ items }, names] = await Promise.all([perform(visit, readVersions, visit.params), visit.names()]);
    const last = items.at(-1);
    return {
      title: "Message",
      body: (
        <>
          <p>
            <a href={`/console/conversations/${visit.params.sessionId ?? ""}#${visit.params.messageId ?? ""}`}>
              Back to the conversation
            </a>
          </p>
          <ol class="bubbles" aria-label="Versions">
            {items.map((version) => (
              <li>
                <p class="by">
                  {`Version ${version.version}`} <Badge>{decisionWords[version.decision]}</Badge>{" "}
                  <Who by={version.author} names={names} /> <Time at={version.at} />
                </p>
                {version.reasons.length === 0 ? undefined : (
                  <p>
                    <Text inline text={version.reasons.join("; ")} />
                  </p>
                )}
                <Said version={version} />
                {version === last || version.message === undefined ? undefined : (
                  <Restore visit={visit} version={version} />
                )}
              </li>
            ))}
          </ol>
          {items.length > 1 ? <p class="hint">That you read this is on record.</p> : undefined}
          {authorize(visit.actor, labelMessage).ok ? (
            <Form label="Label" plain>
              <Button does="passed" shortcut="w">
                It should have been stopped
              </Button>
            </Form>
          ) : undefined}
          {last === undefined ? undefined : <Change visit={visit} last={last} />}
        </>
      ),
    };
  },
  posts: {
    passed: async (visit) => {
      const { decisionId } = await perform(visit, labelMessage, { ...visit.params, label: { label: "wrong" } });
      return `${decisionsPath}/${decisionId}?done=saved`;
    },
    edit: async (visit) => {
      const turnId = sentIn(visit, "turnId");
      const edit = {
        operations: [{ type: "modify_turn", turnId, content: sentIn(visit, "content") }],
        baseHash: sentIn(visit, "baseHash"),
        reason: sentIn(visit, "reason") || undefined,
      };
      await perform(visit, editMessage, { ...visit.params, edit });
      return `${pathOf(visit)}?done=saved`;
    },
    restore: async (visit) => {
      await perform(visit, restoreMessage, { ...visit.params, version: sentIn(visit, "version") });
      return `${pathOf(visit)}?done=saved`;
    },
    erase: async (visit) => {
      await perform(visit, eraseMessage, visit.params);
      return `${pathOf(visit)}?done=deleted`;
    },
  },
};

function pathOf({ params }: Visit): string {
  return `/console/conversations/${params.sessionId ?? ""}/messages/${params.messageId ?? ""}`;
}

function Said({ version: { message: said, diff } }: { readonly version: Version }) {
  if (said === undefined) return <p class="empty">Its text is not here.</p>;
  return diff === undefined ? <Text text={messageText(said)} /> : <Diff parts={diff} />;
}

function Restore({ visit, version: { version } }: { readonly visit: Visit; readonly version: Version }) {
  if (!authorize(visit.actor, restoreMessage).ok) return undefined;
  return (
    <Form label={`Version ${version}`} plain>
      <input type="hidden" name="version" value={String(version)} />
      <Button does="restore">Let this version hold again</Button>
    </Form>
  );
}

/** Of a reply its last text is edited; anything can be erased. */
function Change({ visit, last }: { readonly visit: Visit; readonly last: Version }) {
  const { message: said, hash } = last;
  if (said === undefined || said.erased) return undefined;
  const turn =
    said.role === "assistant" ? said.modelReply.turns.findLast(({ message = "" }) => message !== "") : undefined;
  return (
    <>
      {turn === undefined || !authorize(visit.actor, editMessage).ok ? undefined : (
        <Form label="Edit">
          <h2>Correct it</h2>
          <input type="hidden" name="turnId" value={turn.turnId} />
          <input type="hidden" name="baseHash" value={hash} />
          <Field visit={visit} name="content" label="What it says from now on" lines={6} stored={turn.message ?? ""} />
          <Field visit={visit} name="reason" label="Why" hint="On record; it may stay empty." />
          <div class="actions">
            <Button does="edit" kind="primary">
              Save
            </Button>
          </div>
        </Form>
      )}
      {authorize(visit.actor, eraseMessage).ok ? (
        <Form label="Erase" plain>
          <Confirm label="Erase" does="erase">
            Its text goes for good, in all versions, in what was asked about it and in the memory. Who changed it and
            when stays.
          </Confirm>
        </Form>
      ) : undefined}
    </>
  );
}
