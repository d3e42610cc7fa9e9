/** What is kept of an end user: found by their name, handed out as files, erased for good. */
import { eraseSubject, exportSubject } from "../../application/subjects/begin-job.js";
import { listSubjectJobs, readSubjectFile, readSubjectJob } from "../../application/subjects/read-jobs.js";
import { readSubject } from "../../application/subjects/read-subject.js";
import { problem } from "../../conversation/problem.js";
import { authorize } from "../../tenancy/authority.js";
import type { SubjectJob } from "../../tenancy/subjects.js";
import { Badge, Button, Facts, Field, Form, FormPanel, More, Table, Time, type Tone } from "../parts.js";
import { perform, query, type Screen, sentIn, type View, type Visit } from "../screen.js";
import { Text } from "../visible-text.js";

const statusWords: Readonly<Record<SubjectJob["status"], readonly [string, Tone]>> = {
  running: ["goes on", "plain"],
  on_hold: ["waits: a hold keeps it", "warn"],
  failed: ["fails", "bad"],
  completed: ["done", "good"],
};
const pollSeconds = 5;

/** `keptAnswers` as people read it. */
const spelled = (kind: string): string => kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function Status({ status }: Pick<SubjectJob, "status">) {
  const [word, tone] = statusWords[status];
  return <Badge tone={tone}>{word}</Badge>;
}

async function show(visit: Visit): Promise<View> {
  const subject = query(visit, "subject");
  const { items, nextCursor } = await perform(visit, listSubjectJobs, { cursor: query(visit, "cursor") });
  const rows = items.map((job) => [
    <a href={`/console/end-users/jobs/${job.jobId}`}>{job.kind === "erasure" ? "Erasure" : "Files"}</a>,
    <Text inline text={job.subject ?? job.pseudonym ?? "erased"} />,
    <Status status={job.status} />,
    <Time at={job.createdAt} />,
    job.endedAt === undefined ? <span class="dim">not yet</span> : <Time at={job.endedAt} />,
  ]);
  return {
    title: "End users",
    body: (
      <>
        <form method="get" class="row">
          <Field
            visit={visit}
            name="subject"
            label="Name, as your application gives it"
            stored={subject ?? ""}
            type="search"
            shortcut="/"
          />
          <button type="submit">Look</button>
        </form>
        {subject === undefined ? undefined : await Found({ visit, subject })}
        <h2>Done before</h2>
        <div id="jobs" data-poll={pollSeconds}>
          <Table
            label="Done before"
            heads={["What", "Whom", "Status", "Begun", "Ended"]}
            rows={rows}
            empty="Nothing yet."
          />
        </div>
        <More visit={visit} cursor={nextCursor} />
      </>
    ),
  };
}

async function Found({ visit, subject }: { readonly visit: Visit; readonly subject: string }) {
  const { counts, holds } = await perform(visit, readSubject, { subject });
  const kept = Object.entries(counts).filter(([kind, n]) => n > 0 && kind !== "toolResults");
  const isRefused = (post: string): boolean => visit.refused !== undefined && sentIn(visit, "do") === post;
  return (
    <section aria-label="What is kept">
      <h2>
        <Text inline text={subject} />
      </h2>
      {kept.length === 0 ? (
        <p class="empty">Nothing is kept under this name.</p>
      ) : (
        <Facts facts={kept.map(([kind, n]) => [spelled(kind), String(n)])} />
      )}
      {holds.length === 0 ? undefined : (
        <p class="hint">
          Kept in spite of everything by: <Text inline text={holds.join(", ")} />
        </p>
      )}
      <Form label="Make files of it">
        <p class="hint">All that the person saw, as files that can be fetched for a day.</p>
        <Button does="export">Make files of it</Button>
      </Form>
      {!authorize(visit.actor, eraseSubject).ok ? undefined : (
        <FormPanel summary="Erase it" open={isRefused("erase")}>
          <p>
            Their sessions, runs, memories, questions and feedback go for good, and their tokens count no more. Usage
            and audit keep a made-up name. Nobody can take it back.
          </p>
          <Field visit={visit} name="typed" label="Type the name once more" required />
          <Field visit={visit} name="reason" label="Why" hint="It stays on record: write no name in it." required />
          <Button does="erase" kind="danger">
            Erase everything
          </Button>
        </FormPanel>
      )}
    </section>
  );
}

const named = (visit: Visit): string => query(visit, "subject") ?? "";

export const endUsers: Screen = {
  path: "/end-users",
  nav: { label: "End users", group: "Administration" },
  needs: readSubject,
  show,
  posts: {
    export: async (visit) => {
      const { jobId } = await perform(visit, exportSubject, { subject: named(visit), request: {} });
      return `/console/end-users/jobs/${jobId}`;
    },
    erase: async (visit) => {
      if (sentIn(visit, "typed") !== named(visit)) {
        const errors = [{ path: "typed", message: "It isn't the name above." }];
        throw problem("invalid", "The name has to be typed as it is.", { errors });
      }
      const request = { reason: sentIn(visit, "reason") };
      const { jobId } = await perform(visit, eraseSubject, { subject: named(visit), request });
      return `/console/end-users/jobs/${jobId}`;
    },
  },
};

export const endUsersJob: Screen = {
  path: "/end-users/jobs/:jobId",
  needs: readSubject,
  show: async (visit) => {
    const job = await perform(visit, readSubjectJob, { jobId: visit.params.jobId });
    const isErasure = job.kind === "erasure";
    const whom = job.subject ?? job.pseudonym ?? "erased";
    return {
      title: isErasure ? "Erasure" : "Files",
      body: (
        <>
          <p>
            <a href="/console/end-users">End users</a>
          </p>
          <div id="job" data-poll={job.status === "completed" ? undefined : pollSeconds}>
            <Facts
              facts={[
                ["Whom", <Text inline text={whom} />],
                ["Status", <Status status={job.status} />],
                ...(job.failure === undefined ? [] : [["Failed in", <Text inline text={job.failure} />] as const]),
                ...(job.retryAt === undefined ? [] : [["Tried again", <Time at={job.retryAt} />] as const]),
                ...(job.holds === undefined ? [] : [["Kept by", <Text inline text={job.holds.join(", ")} />] as const]),
                ...(job.reason === undefined ? [] : [["Why", <Text inline text={job.reason} />] as const]),
                ["Begun", <Time at={job.createdAt} />],
                ...(job.endedAt === undefined ? [] : [["Ended", <Time at={job.endedAt} />] as const]),
                ...(job.expiresAt === undefined ? [] : [["Kept until", <Time at={job.expiresAt} />] as const]),
              ]}
            />
            <h2>{isErasure ? "Receipt" : "What was found"}</h2>
            <Table
              label="Receipt"
              heads={["Kind", "Found", isErasure ? "Erased" : "In files", "Left", "Why"]}
              rows={job.receipt
                .filter(({ found }) => found > 0)
                .map(({ kind, found, erased, exported, left, why }) => [
                  spelled(kind),
                  String(found),
                  String(erased ?? exported ?? 0),
                  String(left),
                  why === undefined ? "" : <Text inline text={why} />,
                ])}
              empty={job.status === "completed" ? "Nothing was found." : "Nothing yet."}
            />
            {(job.files ?? []).length === 0 ? undefined : (
              <>
                <h2>Files</h2>
                <ul>
                  {(job.files ?? []).map(({ kind, lines }) => (
                    <li>
                      <a download href={`/console/end-users/jobs/${job.jobId}/files/${kind}`}>{`${kind}.jsonl`}</a>{" "}
                      <span class="dim">{`${lines} lines`}</span>
                    </li>
                  ))}
                </ul>
              </>
            )}
          </div>
        </>
      ),
    };
  },
};

export const endUsersFile: Screen = {
  path: "/end-users/jobs/:jobId/files/:kind",
  needs: readSubjectFile,
  show: async ({ actor, params, services }) => {
    const { jobId = "", kind = "" } = params;
    const body = await readSubjectFile(actor, { jobId, kind }, services);
    const name = `${kind.replace(/\W/g, "")}.jsonl`;
    return new Response(body, {
      headers: {
        "content-type": "application/jsonl; charset=utf-8",
        "content-disposition": `attachment; filename="${name}"`,
        "cache-control": "no-store",
      },
    });
  },
};
