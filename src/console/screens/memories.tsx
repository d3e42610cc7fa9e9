/** Memories: found by whom they are about, one with what it says, its threads and its entries, and what a search in it finds. */
import { listEntries, readEntry } from "../../application/memory/manage-entries.js";
import { findMemories, readMemory } from "../../application/memory/manage-memories.js";
import { listContextSources, readContextVersion, readMemoryContext } from "../../application/memory/read-contexts.js";
import { searchEntries, searchMemories } from "../../application/memory/search-entries.js";
import { listThreads } from "../../application/memory/use-threads.js";
import { attempt } from "../../conversation/problem.js";
import type { Entry } from "../../memory/entry.js";
import { oneLine } from "../../text/one-line.js";
import { Facts, Field, More, Table, Time } from "../parts.js";
import { perform, query, type Screen, searchWith, type View, type Visit } from "../screen.js";
import { Text } from "../visible-text.js";
import { memoriesPath, Source } from "./memory-entry.js";
import { Who } from "./who.js";

/** Entries that a search shows. */
const mostFound = 20;

export const memories: Screen = {
  path: "/memories",
  nav: { label: "Memories", group: "Work" },
  needs: listEntries,
  show: async (visit) => {
    const [subject, words] = [query(visit, "subject"), query(visit, "words")];
    const { items, nextCursor } = await perform(visit, findMemories, { subject, cursor: query(visit, "cursor") });
    const rows = items.map(({ memoryId, title, subject: whose, entryCount, createdAt }) => [
      <a href={`${memoriesPath}/${memoryId}`}>
        <Text inline text={title} />
      </a>,
      whose === undefined ? "" : <Text inline text={whose} />,
      entryCount.toLocaleString("en"),
      <Time at={createdAt} />,
    ]);
    return {
      title: "Memories",
      body: (
        <>
          <form method="get" class="row">
            <Field visit={visit} name="subject" label="Customer" stored={subject ?? ""} type="search" />
            <Field
              visit={visit}
              name="words"
              label="In all of theirs"
              stored={words ?? ""}
              type="search"
              shortcut="/"
            />
            <button type="submit">Look</button>
          </form>
          {subject === undefined || words === undefined ? undefined : await FoundOf({ visit, subject, words })}
          <Table label="Memories" heads={["Memory", "Customer", "Entries", "Made"]} rows={rows} empty="None." />
          <More visit={visit} cursor={nextCursor} />
        </>
      ),
    };
  },
};

async function FoundOf({ visit, subject, words }: { visit: Visit; subject: string; words: string }) {
  const request = { subject, query: words, topEntries: mostFound, topContexts: 0 };
  const { entries } = await perform(visit, searchMemories, { request });
  return <Found entries={entries} />;
}

/** The best first, each with the words that it was found by. */
function Found({ entries }: Pick<Awaited<ReturnType<typeof searchEntries>>, "entries">) {
  return (
    <section aria-label="Found">
      <h2>Found</h2>
      {entries.length === 0 ? <p class="empty">Nothing is known of that.</p> : undefined}
      <ol class="steps">
        {entries.map(({ entry, why }) => (
          <li>
            <Row entry={entry} />
            <p class="dim">
              Found by <Text inline text={why.terms.map(({ word }) => word).join(", ") || "its meaning"} />
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Row({ entry }: { readonly entry: Entry }) {
  const { memoryId, entryId, occurredAt, speaker, role, rawEntry, supersedes } = entry;
  return (
    <>
      <p class="by">
        <strong>
          <Text inline text={speaker ?? role} />
        </strong>
        <Time at={occurredAt} />
        <Source entry={entry} />
        {supersedes === undefined ? undefined : <span>corrects one before</span>}
        <a href={`${memoriesPath}/${memoryId}/entries/${entryId}`}>Open</a>
      </p>
      <Text text={rawEntry} />
    </>
  );
}

export const memory: Screen = {
  path: "/memories/:memoryId",
  needs: listEntries,
  show: async (visit): Promise<View> => {
    const { memoryId = "" } = visit.params;
    const [words, threadId, tag, before] = ["words", "threadId", "tag", "asOf"].map((name) => query(visit, name));
    const asOf = before === undefined ? undefined : `${before}T23:59:59Z`;
    const [found, context, threads, entries, searched] = await Promise.all([
      perform(visit, readMemory, { memoryId }),
      perform(visit, readMemoryContext, { memoryId }),
      perform(visit, listThreads, { memoryId }),
      perform(visit, listEntries, { memoryId, threadId, tag, asOf, cursor: query(visit, "cursor") }),
      words === undefined
        ? undefined
        : perform(visit, searchEntries, {
            memoryId,
            request: { query: words, topEntries: mostFound, topContexts: 0, asOf, filter: { threadId, tag } },
          }),
    ]);
    return {
      title: "Memory",
      body: (
        <>
          <Facts
            facts={[
              ["Called", <Text inline text={found.title} />],
              ["Customer", found.subject === undefined ? "not named" : <Text inline text={found.subject} />],
              ["Entries", found.entryCount.toLocaleString("en")],
              ["Made", <Time at={found.createdAt} />],
            ]}
          />
          <h2>What it says now</h2>
          {context.version === 0 ? (
            <p class="empty">Nothing is written yet.</p>
          ) : (
            <>
              <Text text={context.document} />
              <p class="dim">
                {`Version ${context.version}, `}
                <Time at={context.createdAt} />{" "}
                <a href={`${memoriesPath}/${memoryId}/context/${context.version}`}>What it rests on</a>
              </p>
            </>
          )}
          <h2>Entries</h2>
          <form method="get" class="row">
            <Field visit={visit} name="words" label="Find" stored={words ?? ""} type="search" shortcut="/" />
            <Field visit={visit} name="tag" label="Tag" stored={tag ?? ""} type="search" />
            <Field visit={visit} name="asOf" label="As it was on" stored={before ?? ""} type="date" />
            {threadId === undefined ? undefined : <input type="hidden" name="threadId" value={threadId} />}
            <button type="submit">Show</button>
          </form>
          <Threads visit={visit} threads={threads.items} current={threadId} />
          {searched === undefined ? (
            <>
              {entries.items.length === 0 ? <p class="empty">None.</p> : undefined}
              <ol class="steps" aria-label="Entries">
                {entries.items.map((entry) => (
                  <li>
                    <Row entry={entry} />
                  </li>
                ))}
              </ol>
              <More visit={visit} cursor={entries.nextCursor} />
            </>
          ) : (
            <Found entries={searched.entries} />
          )}
        </>
      ),
    };
  },
};

function Threads({
  visit,
  threads,
  current,
}: {
  readonly visit: Visit;
  readonly threads: Awaited<ReturnType<typeof listThreads>>["items"];
  readonly current: string | undefined;
}) {
  if (threads.length === 0) return undefined;
  const to = (threadId: string): string => searchWith(visit, { threadId, cursor: "" }) || "?";
  return (
    <nav class="rounds" aria-label="Threads">
      <a href={to("")} aria-current={current === undefined ? "page" : undefined}>
        All threads
      </a>
      {threads.map(({ threadId }) => (
        <a href={to(threadId)} aria-current={threadId === current ? "page" : undefined}>
          <Text inline text={threadId} />
        </a>
      ))}
    </nav>
  );
}

/** A version of what a memory says, and the entries that it rests on. */
export const memoryContext: Screen = {
  path: "/memories/:memoryId/context/:version",
  needs: listContextSources,
  show: async (visit) => {
    const { memoryId = "", version = "" } = visit.params;
    const [context, sources, names] = await Promise.all([
      perform(visit, readContextVersion, { memoryId, version }),
      perform(visit, listContextSources, { memoryId, version, limit: "20", cursor: query(visit, "cursor") }),
      visit.names(),
    ]);
    // One that was forgotten meanwhile is named by its id alone.
    const texts = await Promise.all(
      sources.items.map(async ({ entryId }) => {
        const read = await attempt(() => perform(visit, readEntry, { memoryId, entryId }));
        return read.ok ? oneLine(read.value.rawEntry, 200) : entryId;
      }),
    );
    const at = `${memoriesPath}/${memoryId}`;
    const number = context.version;
    return {
      title: `What it said, version ${number}`,
      body: (
        <>
          <p>
            <a href={at}>The memory</a>
            {number > 1 ? <a href={`${at}/context/${number - 1}`}>{` · Version ${number - 1}`}</a> : undefined}
          </p>
          <p class="by">
            {context.source === undefined ? undefined : <span>{`Written by: ${context.source}`}</span>}
            {context.author === undefined ? undefined : <Who by={{ kind: "", id: context.author }} names={names} />}
            <Time at={context.createdAt} />
          </p>
          <Text text={context.document} />
          <h2>What it rests on</h2>
          <Table
            label="Sources"
            heads={["Entry", "Since version"]}
            rows={sources.items.map(({ entryId, since }, which) => [
              <a href={`${at}/entries/${entryId}`}>
                <Text inline text={texts[which] ?? entryId} />
              </a>,
              String(since),
            ])}
            empty="On no entry."
          />
          <More visit={visit} cursor={sources.nextCursor} />
        </>
      ),
    };
  },
};
