/** Debates of panels: the list, and one as it goes: its rounds with their positions, what seats ask for, what they agree on, the synthesis. */
import { controlRoundtable } from "../../application/roundtables/control-roundtable.js";
import { listRoundtables } from "../../application/roundtables/list-roundtables.js";
import { listRequests, readRound } from "../../application/roundtables/read-record.js";
import { readRoundtable } from "../../application/roundtables/read-roundtable.js";
import { attempt } from "../../conversation/problem.js";
import { debateStatuses, exitWords } from "../../roundtable/debate.js";
import { debateOwner } from "../../roundtable/nested-record.js";
import type { Roundtable, RoundtableSummary } from "../../roundtable/roundtable.js";
import { authorize } from "../../tenancy/authority.js";
import { oneLine } from "../../text/one-line.js";
import { Badge, Button, Facts, Form, Time, type Tone } from "../parts.js";
import { perform, query, type Screen, type Visit } from "../screen.js";
import { Text } from "../visible-text.js";
import { Consensus, Failures, Positions, Requests, Synthesis } from "./debate-parts.js";
import { Listed, WorkFilter } from "./listed.js";
import { Going, OpenAsks, watchSeconds } from "./watched.js";

const statusWords: Readonly<Record<Roundtable["status"], readonly [string, Tone]>> = {
  completed: ["completed", "good"],
  needs_context: ["waits for answers", "warn"],
  in_progress: ["goes on", "plain"],
};

export const roundtables: Screen = {
  path: "/roundtables",
  nav: { label: "Roundtables", group: "Work" },
  needs: listRoundtables,
  show: async (visit) => {
    const [panel, subject, status, cursor] = ["panel", "subject", "status", "cursor"].map((name) => query(visit, name));
    const { items, nextCursor } = await perform(visit, listRoundtables, { panel, subject, status, cursor });
    const rows = items.map((one) => [
      <a href={`/console/roundtables/${one.sessionId}`}>
        <Text inline text={oneLine(one.topic ?? "not looked at yet", 160)} />
      </a>,
      <Text inline text={one.panel} />,
      one.mode,
      <span class="num">{`${one.currentRound} of ${one.totalRounds}`}</span>,
      <Status roundtable={one} />,
      <Time at={one.updatedAt} />,
    ]);
    const statuses = debateStatuses.map((one) => [one, statusWords[one][0]] as const);
    return {
      title: "Roundtables",
      body: (
        <>
          <WorkFilter visit={visit} by={["panel", "Panel"]} statuses={statuses} />
          <Listed
            visit={visit}
            cursor={nextCursor}
            label="Roundtables"
            heads={["Topic", "Panel", "Mode", "Round", "Status", "Changed"]}
            rows={rows}
            empty="None."
          />
        </>
      ),
    };
  },
};

export const roundtable: Screen = {
  path: "/roundtables/:roundtableId",
  needs: readRoundtable,
  show: async (visit) => {
    const { roundtableId = "" } = visit.params;
    const [found, requests, round] = await Promise.all([
      perform(visit, readRoundtable, { roundtableId }),
      perform(visit, listRequests, { roundtableId, limit: "200" }),
      olderRound(visit),
    ]);
    const { topic, running, status, taken = [], synthesis, error, currentRound } = found;
    const shown = round ?? found;
    return {
      title: "Roundtable",
      body: (
        <>
          <div id="roundtable" data-poll={running ? watchSeconds : status === "completed" ? undefined : 5}>
            {topic === undefined ? (
              <p class="dim">Supervision still looks at the topic.</p>
            ) : (
              <blockquote class="quote">
                <Text text={topic} />
              </blockquote>
            )}
            <About roundtable={found} />
            <OpenAsks asks={found.asks} />
            {error === undefined ? undefined : (
              <p class="notice bad">
                {error.code}: <Text inline text={error.detail} />
              </p>
            )}
            {synthesis === undefined ? undefined : <Synthesis synthesis={synthesis} seats={found.agents} />}
            {running ? (
              <>
                <h2>{`Round ${taken[0]?.round ?? currentRound + 1} goes on`}</h2>
                <p class="dim">{`${taken.length} of ${found.agents.length} have spoken.`}</p>
                <Positions positions={taken} />
                <Going visit={visit} kind="roundtable" at={`/console/roundtables/${roundtableId}`} />
              </>
            ) : undefined}
            <Rounds current={shown === found ? currentRound : (round?.round ?? 0)} last={currentRound} />
            <Positions positions={shown.responses} />
            <Failures failures={shown.failures ?? []} />
            {shown.consensus === undefined ? undefined : <Consensus consensus={shown.consensus} seats={found.agents} />}
            <Requests requests={requests.items} seats={found.agents} />
          </div>
          <Controls visit={visit} roundtable={found} />
        </>
      ),
    };
  },
  posts: {
    pause: controlled("pause"),
    resume: controlled("resume"),
    stop: controlled("stop"),
    answerNow: controlled("answerNow"),
  },
};

/** One that the address names; without one the last is shown. */
async function olderRound(visit: Visit) {
  const round = query(visit, "round");
  if (round === undefined) return undefined;
  const read = await attempt(() => perform(visit, readRound, { roundtableId: visit.params.roundtableId, round }));
  return read.ok ? read.value : undefined;
}

function Status({ roundtable: { status, running, paused } }: { readonly roundtable: RoundtableSummary }) {
  const [words, tone] = statusWords[status];
  return (
    <>
      <Badge tone={tone}>{words}</Badge> {running ? <Badge>a round runs</Badge> : undefined}{" "}
      {paused === true ? <Badge tone="warn">paused</Badge> : undefined}
    </>
  );
}

function About({ roundtable: found }: { readonly roundtable: Roundtable }) {
  const { sessionId, panel, mode, subject, currentRound, totalRounds, exit, usage, createdAt } = found;
  const owner = debateOwner(sessionId);
  const place = owner?.startsWith("run_") === true ? "runs" : "conversations";
  return (
    <Facts
      facts={[
        [
          "Panel",
          <>
            <Text inline text={panel} /> <span class="dim">{mode}</span>
          </>,
        ],
        ...(subject === undefined ? [] : [["Customer", <Text inline text={subject} />] as const]),
        ["Status", <Status roundtable={found} />],
        ["Rounds", `${currentRound} of ${totalRounds}`],
        ...(exit === undefined ? [] : [["Ended since", exitWords[exit.reason]] as const]),
        ...(owner === undefined
          ? []
          : [
              [
                "Part of",
                <a href={`/console/${place}/${owner}`}>{place === "runs" ? "the run" : "the conversation"}</a>,
              ] as const,
            ]),
        ["Tokens", `${usage.inputTokens.toLocaleString("en")} + ${usage.outputTokens.toLocaleString("en")}`],
        ["Began", <Time at={createdAt} />],
      ]}
    />
  );
}

function Rounds({ current, last }: { readonly current: number; readonly last: number }) {
  if (last === 0) return undefined;
  return (
    <nav class="rounds" aria-label="Rounds">
      <strong>Round</strong>
      {Array.from({ length: last }, (_, at) => at + 1).map((round) => (
        <a href={`?round=${round}`} aria-current={round === current ? "page" : undefined}>
          {String(round)}
        </a>
      ))}
    </nav>
  );
}

/** A debate within other work goes on with that alone. */
function Controls({
  visit,
  roundtable: { sessionId, running, paused, exit },
}: {
  readonly visit: Visit;
  readonly roundtable: Roundtable;
}) {
  const isOver = exit !== undefined && !running;
  if (isOver || debateOwner(sessionId) !== undefined || !authorize(visit.actor, controlRoundtable).ok) return undefined;
  return (
    <Form label="Control it" plain>
      <div class="actions">
        {paused === true ? <Button does="resume">Go on</Button> : <Button does="pause">Pause</Button>}
        <Button does="answerNow">Answer with what was said</Button>
        <Button does="stop" kind="danger">
          Stop
        </Button>
      </div>
    </Form>
  );
}

function controlled(action: "pause" | "resume" | "stop" | "answerNow") {
  return async (visit: Visit): Promise<string> => {
    const { roundtableId = "" } = visit.params;
    await perform(visit, controlRoundtable, { roundtableId, control: { action, waitMs: 0 } });
    return `/console/roundtables/${roundtableId}?done=saved`;
  };
}
