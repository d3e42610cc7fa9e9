/** Runs of teams: the list, one as it goes (who was chosen, what they came to, what is asked), and how it went, on record. */
import { cancelRun } from "../../application/runs/cancel-run.js";
import { listRuns } from "../../application/runs/list-runs.js";
import { readRun } from "../../application/runs/read-run.js";
import { readTrace } from "../../application/runs/read-trace.js";
import { hasEnded, type Run, runStatuses } from "../../routing/run.js";
import { type RoutingDecision, targetsOf } from "../../routing/trace.js";
import { authorize } from "../../tenancy/authority.js";
import { Badge, Confirm, Facts, Form, Time, type Tone } from "../parts.js";
import { perform, query, type Screen, type Visit } from "../screen.js";
import { Text } from "../visible-text.js";
import { Listed, WorkFilter } from "./listed.js";
import { Story } from "./time-line.js";
import { Going, OpenAsks, watchSeconds } from "./watched.js";

const tones: Readonly<Record<Run["status"], Tone>> = {
  running: "plain",
  waiting: "warn",
  completed: "good",
  blocked: "bad",
  failed: "bad",
  cancelled: "plain",
};

export const runs: Screen = {
  path: "/runs",
  nav: { label: "Runs", group: "Work" },
  needs: listRuns,
  show: async (visit) => {
    const [team, subject, status, cursor] = ["team", "subject", "status", "cursor"].map((name) => query(visit, name));
    const { items, nextCursor } = await perform(visit, listRuns, { team, subject, status, cursor });
    const rows = items.map(({ runId, team: of, subject: whose, status: now, createdAt, endedAt }) => [
      <a href={`/console/runs/${runId}`}>
        <Text inline text={of} />
      </a>,
      whose === undefined ? "" : <Text inline text={whose} />,
      <Badge tone={tones[now]}>{now}</Badge>,
      <Time at={createdAt} />,
      endedAt === undefined ? "" : tookWords(createdAt, endedAt),
    ]);
    const statuses = runStatuses.map((one) => [one, one] as const);
    return {
      title: "Runs",
      body: (
        <>
          <WorkFilter visit={visit} by={["team", "Team"]} statuses={statuses} />
          <Listed
            visit={visit}
            cursor={nextCursor}
            label="Runs"
            heads={["Team", "Customer", "Status", "Began", "Took"]}
            rows={rows}
            empty="None."
          />
        </>
      ),
    };
  },
};

export const run: Screen = {
  path: "/runs/:runId",
  needs: readRun,
  show: async (visit) => {
    const { runId = "" } = visit.params;
    const found = await perform(visit, readRun, { runId });
    const { team, subject, status, input, asks, response, error, supervision, usage, createdAt, endedAt } = found;
    const isOver = hasEnded(status);
    return {
      title: "Run",
      body: (
        <>
          <div id="run" data-poll={isOver ? undefined : watchSeconds}>
            <Facts
              facts={[
                ["Team", <Text inline text={team} />],
                ["Customer", subject === undefined ? "not named" : <Text inline text={subject} />],
                ["Status", <Status run={found} />],
                ["Began", <Time at={createdAt} />],
                ["Took", endedAt === undefined ? "goes on" : tookWords(createdAt, endedAt)],
                ["Tokens", `${usage.inputTokens.toLocaleString("en")} + ${usage.outputTokens.toLocaleString("en")}`],
                ...(supervision.status === "degraded"
                  ? [["Degraded", <Badge tone="warn">{supervision.degraded.join(", ")}</Badge>] as const]
                  : []),
              ]}
            />
            <OpenAsks asks={asks} />
            <h2>What was asked</h2>
            {input === undefined ? <p class="dim">Supervision still looks at it.</p> : <Text text={input} />}
            <h2>Steps</h2>
            <Steps run={found} />
            {isOver ? undefined : <Going visit={visit} kind="run" at={`/console/runs/${runId}`} />}
            {response === undefined && error === undefined ? undefined : <h2>What it came to</h2>}
            {response === undefined ? undefined : <Text text={response} />}
            {error === undefined ? undefined : (
              <p class="notice bad">
                {error.code}: <Text inline text={error.detail} />
              </p>
            )}
          </div>
          <Further visit={visit} isOver={isOver} />
        </>
      ),
    };
  },
  posts: {
    cancel: async (visit) => {
      await perform(visit, cancelRun, { runId: visit.params.runId });
      return `/console/runs/${visit.params.runId ?? ""}?done=stopped`;
    },
  },
};

export const runTrace: Screen = {
  path: "/runs/:runId/trace",
  needs: readTrace,
  show: async (visit) => {
    const { runId = "" } = visit.params;
    // It has no input of its own that a face could read.
    const trace = await readTrace(visit.actor, { runId }, visit.services);
    return {
      title: "How the run went",
      body: <Story trace={trace} back={[`/console/runs/${runId}`, "the run"]} />,
    };
  },
};

function Status({ run: { status, retryAt } }: { readonly run: Run }) {
  return (
    <>
      <Badge tone={tones[status]}>{status}</Badge>{" "}
      {retryAt === undefined ? undefined : (
        <>
          tried again <Time at={retryAt} />
        </>
      )}
    </>
  );
}

/** Round by round: whom the supervisor chose and why, and what each came to; then what people answered. */
function Steps({ run: { decisions, results, clarifications } }: { readonly run: Run }) {
  const rounds = [...new Set([...decisions, ...results].map(({ iteration }) => iteration))].toSorted((a, b) => a - b);
  if (rounds.length === 0 && clarifications.length === 0) return <p class="empty">Nobody was chosen yet.</p>;
  return (
    <ol class="steps">
      {rounds.map((round) => (
        <>
          {decisions
            .filter(({ iteration }) => iteration === round)
            .map((decision) => (
              <Decision decision={decision} />
            ))}
          {results
            .filter(({ iteration }) => iteration === round)
            .map((result) => (
              <Result result={result} />
            ))}
        </>
      ))}
      {clarifications.map(({ question, answer, from, at }) => (
        <li>
          <p class="by">
            Asked a person <Time at={at} /> {from === "human" ? undefined : <Badge tone="warn">{from}</Badge>}
          </p>
          <Text text={question} />
          {answer === "" ? undefined : (
            <blockquote class="quote">
              <Text text={answer} />
            </blockquote>
          )}
        </li>
      ))}
    </ol>
  );
}

function Decision({ decision }: { readonly decision: RoutingDecision }) {
  const { strategy, confidence, timestamp, reasoning, task, fallback } = decision;
  return (
    <li>
      <p class="by">
        Chose{" "}
        <strong>
          <Text inline text={targetsOf(decision).join(", ") || "nobody"} />
        </strong>
        <span>{`by ${strategy}, ${Math.round(confidence * 100)} % sure`}</span>
        <Time at={timestamp} />
        {fallback === undefined ? undefined : <Badge tone="warn">fallback</Badge>}
      </p>
      <Text text={[reasoning, fallback].filter((text) => text !== undefined && text !== "").join("\n")} />
      {task === undefined ? undefined : (
        <details>
          <summary>The task</summary>
          <Text text={task} />
        </details>
      )}
    </li>
  );
}

function Result({ result }: { readonly result: Run["results"][number] }) {
  const { worker, status, output, error, attempts, elapsedMs, handedOnBy = [] } = result;
  return (
    <li>
      <p class="by">
        <strong>
          <Text inline text={worker} />
        </strong>
        <Badge tone={status === "completed" ? "good" : "bad"}>{status}</Badge>
        <span>{inSeconds(elapsedMs)}</span>
        {attempts > 1 ? <span>{`${attempts} tries`}</span> : undefined}
        {handedOnBy.length === 0 ? undefined : (
          <span>
            from <Text inline text={handedOnBy.join(", ")} />
          </span>
        )}
      </p>
      {output === undefined ? undefined : <Text text={output} />}
      {error === undefined ? undefined : <Text text={error} />}
    </li>
  );
}

function Further({ visit, isOver }: { readonly visit: Visit; readonly isOver: boolean }) {
  return (
    <>
      {authorize(visit.actor, readTrace).ok ? (
        <p>
          <a href={`/console/runs/${visit.params.runId ?? ""}/trace`}>How it went, step by step</a>
        </p>
      ) : undefined}
      {isOver || !authorize(visit.actor, cancelRun).ok ? undefined : (
        <Form label="Stop it">
          <Confirm label="Cancel the run" does="cancel">
            It ends here. What its tools have done stays done; what it asks is withdrawn.
          </Confirm>
        </Form>
      )}
    </>
  );
}

function tookWords(from: string, to: string): string {
  return inSeconds(Date.parse(to) - Date.parse(from));
}

function inSeconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
