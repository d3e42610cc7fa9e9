/** Evals: supervisors, agents, teams or panels held against a dataset. What it would come to first, then as it goes, then who is better, and what was wrong. */
import {
  cancelEval,
  listEvalItems,
  listEvals,
  readComparison,
  readEval,
  resumeEval,
  retryEval,
  startEval,
} from "../../application/evidence/manage-evals.js";
import { replayTitle } from "../../evidence/dataset.js";
import type { Eval } from "../../evidence/evaluation.js";
import { authorize } from "../../tenancy/authority.js";
import { Badge, Button, Confirm, Facts, Field, Form, Time, type Tone } from "../parts.js";
import { perform, query, type Screen, sentIn, type View, type Visit } from "../screen.js";
import { Text } from "../visible-text.js";
import { Compared } from "./comparison-parts.js";
import { begin, Start } from "./eval-form.js";
import { itemsOf } from "./eval-items.js";
import { Listed } from "./listed.js";
import { watchSeconds } from "./watched.js";

const path = "/console/evals";
const tones: Readonly<Record<Eval["status"], Tone>> = {
  running: "plain",
  completed: "good",
  stopped: "warn",
  cancelled: "plain",
};

async function showList(visit: Visit, estimate?: Eval["estimate"]): Promise<View> {
  const [dataset, cursor] = [query(visit, "dataset"), query(visit, "cursor")];
  const { items, nextCursor } = await perform(visit, listEvals, { dataset, cursor });
  const rows = items.map((one) => [
    <a href={`${path}/${one.evalId}`}>
      <bdi>{replayTitle({ dataset: one.dataset, ...one.progress }) ?? one.dataset}</bdi>
    </a>,
    <span class="cut">
      <bdi>{one.candidates.map(({ name }) => name).join(", ")}</bdi>
    </span>,
    <Badge tone={tones[one.status]}>{one.status}</Badge>,
    progressWords(one),
    <Time at={one.createdAt} />,
  ]);
  return {
    title: "Evals",
    body: (
      <>
        {authorize(visit.actor, startEval).ok ? (
          <details class="panel" open={dataset !== undefined || visit.sent !== undefined}>
            <summary>Start one</summary>
            <Start visit={visit} dataset={dataset ?? ""} estimate={estimate} />
          </details>
        ) : undefined}
        <Listed
          visit={visit}
          cursor={nextCursor}
          label="Evals"
          heads={["Dataset", "Candidates", "Status", "Done", "Began"]}
          rows={rows}
          empty="None yet. An eval holds supervisors or agents against a dataset, without any effect."
        />
      </>
    ),
  };
}

export const evals: Screen = {
  path: "/evals",
  nav: { label: "Evals", group: "Evidence" },
  needs: listEvals,
  show: (visit) => showList(visit),
  posts: {
    estimate: async (visit) => showList(visit, (await begin(visit, true)).eval.estimate),
    start: async (visit) => `${path}/${(await begin(visit, false)).eval.evalId}`,
  },
};

function progressWords({ progress: { done, wanted, failed } }: Eval): string {
  const failures = failed === 0 ? "" : `, ${failed.toLocaleString("en")} failed`;
  return `${done.toLocaleString("en")} of ${wanted.toLocaleString("en")}${failures}`;
}

async function showOne(visit: Visit): Promise<View> {
  const { evalId = "" } = visit.params;
  const one = await perform(visit, readEval, { evalId });
  const { dataset, version, status, reason, candidates, spent, maxTokens, progress, createdAt, endedAt } = one;
  const isRunning = status === "running";
  return {
    title: "Eval",
    wide: true,
    body: (
      <>
        <div id="eval" data-poll={isRunning ? watchSeconds : undefined}>
          <Facts
            facts={[
              [
                "Dataset",
                <a href={`/console/datasets/${dataset}`}>
                  {replayTitle({ dataset, ...progress }) ?? (
                    <>
                      <bdi>{dataset}</bdi>
                      {`, version ${version}`}
                    </>
                  )}
                </a>,
              ],
              ...candidates.map(
                ({ name, supervisors, agent, team, panel }) =>
                  [
                    `Candidate ${name}`,
                    <bdi>{[...supervisors, agent, team, panel].filter(Boolean).join(", ")}</bdi>,
                  ] as const,
              ),
              [
                "Status",
                <>
                  <Badge tone={tones[status]}>{status}</Badge> <Text inline text={reason ?? ""} />
                </>,
              ],
              [
                "Done",
                <>
                  <progress max={Math.max(1, progress.wanted)} value={progress.done} aria-label="Done" />{" "}
                  {progressWords(one)}
                </>,
              ],
              [
                "Tokens",
                `${spent.toLocaleString("en")}${maxTokens === undefined ? "" : ` of ${maxTokens.toLocaleString("en")}`}`,
              ],
              ["Began", <Time at={createdAt} />],
              ["Ended", endedAt === undefined ? "goes on" : <Time at={endedAt} />],
            ]}
          />
          {isRunning ? undefined : <Compared comparison={await perform(visit, readComparison, { evalId })} />}
        </div>
        {authorize(visit.actor, cancelEval).ok ? <Further visit={visit} one={one} /> : undefined}
        {isRunning || !authorize(visit.actor, listEvalItems).ok ? undefined : await itemsOf(visit, one)}
      </>
    ),
  };
}

function Further({ visit, one: { status, progress } }: { readonly visit: Visit; readonly one: Eval }) {
  return (
    <Form label="Go on, or stop">
      {status === "stopped" ? (
        <>
          <Field visit={visit} name="budget.maxTokens" label="Tokens at most, with what was taken" />
          <Button does="resume" kind="primary">
            Go on
          </Button>
        </>
      ) : undefined}
      {progress.failed > 0 && status !== "cancelled" ? <Button does="retry">Do what failed again</Button> : undefined}
      {status === "running" || status === "stopped" ? (
        <Confirm label="Stop it for good" does="cancel">
          What was judged stays.
        </Confirm>
      ) : undefined}
    </Form>
  );
}

export const evaluation: Screen = {
  path: "/evals/:evalId",
  needs: readEval,
  show: showOne,
  posts: {
    cancel: async (visit) => {
      await perform(visit, cancelEval, visit.params);
      return `${visit.url.pathname}?done=stopped`;
    },
    retry: async (visit) => {
      await perform(visit, retryEval, visit.params);
      return visit.url.pathname;
    },
    resume: async (visit) => {
      const budget = { maxTokens: Number(sentIn(visit, "budget.maxTokens")) };
      await perform(visit, resumeEval, { ...visit.params, budget });
      return visit.url.pathname;
    },
  },
};
