/** One entry of a memory: what was said, where it is from, what has become of it; corrected, or forgotten for good. */
import { correctEntry, deleteEntry, readEntry } from "../../application/memory/manage-entries.js";
import type { Entry } from "../../memory/entry.js";
import { authorize } from "../../tenancy/authority.js";
import { Button, Confirm, Facts, Field, Form, Time } from "../parts.js";
import { perform, type Screen, sentIn, type Visit } from "../screen.js";
import { Text } from "../visible-text.js";
import { Who } from "./who.js";

export const memoriesPath = "/console/memories";

/** The conversation that it was said in, where it was said in one. */
export function Source({ entry: { threadId = "", seq } }: { readonly entry: Entry }) {
  if (threadId === "") return <span>given</span>;
  const what = `message ${seq ?? ""} of ${threadId}`;
  return threadId.startsWith("ses_") ? (
    <a href={`/console/conversations/${threadId}`}>said in a conversation</a>
  ) : (
    <Text inline text={what} />
  );
}

export const memoryEntry: Screen = {
  path: "/memories/:memoryId/entries/:entryId",
  needs: readEntry,
  show: async (visit) => {
    const [entry, names] = await Promise.all([perform(visit, readEntry, visit.params), visit.names()]);
    const { rawEntry, summary, summarySource, tags, supersedes, supersededBy, supersededAt, vouchedBy } = entry;
    const at = pathOf(visit);
    const other = (entryId: string, words: string) => <a href={`${at}/entries/${entryId}`}>{words}</a>;
    const tagged = Object.entries(tags).map(([name, value]) => `${name}=${value}`);
    return {
      title: "Entry",
      body: (
        <>
          <p>
            <a href={at}>The memory</a>
          </p>
          <Text text={rawEntry} />
          <Facts
            facts={[
              ["Said by", <Text inline text={entry.speaker ?? entry.role} />],
              ["Said", <Time at={entry.occurredAt} />],
              ["From", <Source entry={entry} />],
              ["Written down", <Time at={entry.recordedAt} />],
              ...(vouchedBy === undefined ? [] : [["By", <Who by={vouchedBy} names={names} />] as const]),
              ...(summary === rawEntry
                ? []
                : [[`In short (${summarySource})`, <Text inline text={summary} />] as const]),
              ...(tagged.length === 0 ? [] : [["Tags", <Text inline text={tagged.join(", ")} />] as const]),
              ...(entry.expiresAt === undefined ? [] : [["Kept until", <Time at={entry.expiresAt} />] as const]),
              ...(supersedes === undefined ? [] : [["Corrects", other(supersedes, "the entry before")] as const]),
              ...(supersededBy === undefined
                ? []
                : [
                    [
                      "Held until",
                      <>
                        <Time at={supersededAt} /> {other(supersededBy, "then it was corrected")}
                      </>,
                    ] as const,
                  ]),
            ]}
          />
          {supersededBy === undefined && authorize(visit.actor, correctEntry).ok ? (
            <Form label="Correct it">
              <h2>Correct it</h2>
              <Field visit={visit} name="rawEntry" label="What holds from now on" lines={4} stored={rawEntry} />
              <p class="hint">The entry stays, as what held until now; what is written from it is written anew.</p>
              <div class="actions">
                <Button does="correct" kind="primary">
                  Save
                </Button>
              </div>
            </Form>
          ) : undefined}
          {authorize(visit.actor, deleteEntry).ok ? (
            <Form label="Forget" plain>
              <Confirm label="Forget it" does="forget">
                Its text goes for good, from the memory, its thread and what was written from it.
              </Confirm>
            </Form>
          ) : undefined}
        </>
      ),
    };
  },
  posts: {
    correct: async (visit) => {
      const { role, speaker } = await perform(visit, readEntry, visit.params);
      const entry = { rawEntry: sentIn(visit, "rawEntry"), role, speaker };
      const { entryId } = await perform(visit, correctEntry, { ...visit.params, entry });
      return `${pathOf(visit)}/entries/${entryId}?done=saved`;
    },
    forget: async (visit) => {
      await perform(visit, deleteEntry, visit.params);
      return `${pathOf(visit)}?done=deleted`;
    },
  },
};

function pathOf({ params }: Visit): string {
  return `${memoriesPath}/${params.memoryId ?? ""}`;
}
