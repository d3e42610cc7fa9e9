/** Two supervisors on the same live texts, such as a shadow beside what is in force: who stops more, and which texts. */
import { compareSupervisors } from "../../application/evidence/compare-supervisors.js";
import { attempt as tryTo } from "../../conversation/problem.js";
import { labelOf } from "../../evidence/shadow-pairs.js";
import { Facts, Field, Table, Time } from "../parts.js";
import { perform, problemWords, query, type Screen, type Visit } from "../screen.js";
import { Text } from "../visible-text.js";
import { Compared, shareWords } from "./comparison-parts.js";
import { actionWords, hookWords } from "./decision-words.js";

type Report = Awaited<ReturnType<typeof compareSupervisors>>;

const asked = ["with", "version", "withVersion", "from"] as const;

export const supervisorComparison: Screen = {
  path: "/supervisors/:name/comparison",
  needs: compareSupervisors,
  show: async (visit) => {
    const { name = "" } = visit.params;
    const given = Object.fromEntries(asked.map((field) => [field, query(visit, field)]));
    const { from } = given;
    const wanted = { ...given, name, from: from?.length === 10 ? `${from}T00:00:00Z` : from };
    const isAsked = asked.some((field) => given[field] !== undefined);
    const report = isAsked ? await tryTo(() => perform(visit, compareSupervisors, wanted)) : undefined;
    const field = (of: (typeof asked)[number]) => ({ visit, name: of, stored: given[of]?.slice(0, 80) ?? "" });
    return {
      title: `Compare ${name}`,
      wide: true,
      body: (
        <>
          <p>
            <a href={`/console/supervisors/${name}`}>Back to it</a>
          </p>
          <form method="get" aria-label="Compare with" class="row">
            <Field {...field("with")} label="Compare with the supervisor" />
            <Field {...field("version")} label="Version of this one" />
            <Field {...field("withVersion")} label="Version of the other" />
            <Field {...field("from")} label="Since" type="date" stored={from?.slice(0, 10) ?? ""} />
            <button type="submit" class="primary">
              Compare
            </button>
          </form>
          {report === undefined ? (
            <p class="hint">
              Both have to judge the same texts: list a shadow beside the one in force. Without a version, those count
              that count now.
            </p>
          ) : report.ok ? (
            <Found visit={visit} report={report.value} />
          ) : (
            <p class="notice bad" role="alert">
              {report.problem.code === "not_found"
                ? "There is no such supervisor or version."
                : (report.problem.errors?.[0]?.message ?? problemWords[report.problem.code])}
            </p>
          )}
        </>
      ),
    };
  },
};

function Found({ visit, report }: { readonly visit: Visit; readonly report: Report }) {
  const { supervisor, unpaired, rows, from, to, complete, comparison, disagreements } = report;
  const [own, other] = [labelOf(supervisor), labelOf(report.with)];
  const rest = new URL(visit.url);
  rest.searchParams.set("from", to);
  const isMore = ({ action, withAction }: Report["disagreements"][number]) => weight[action] > weight[withAction];
  return (
    <>
      <Facts
        facts={[
          ["From", <Time at={from} />],
          [
            "To",
            <>
              <Time at={to} />
              {complete ? undefined : (
                <>
                  {" Not all: it reads so many rows at most. "}
                  <a href={`${rest.pathname}${rest.search}`}>What came after</a>
                </>
              )}
            </>,
          ],
          ["Read", `${rows.toLocaleString("en")} rows of the audit`],
          [
            "Judged by one alone",
            `${unpaired.supervisor.toLocaleString("en")} by ${own}, ${unpaired.with.toLocaleString("en")} by ${other}${unpaired.share === undefined ? "" : `: ${shareWords(unpaired.share)}`}`,
          ],
        ]}
      />
      <Compared comparison={comparison} />
      <Disagreements label={`${own} was stricter`} of={disagreements.filter(isMore)} names={[other, own]} />
      <Disagreements
        label={`${other} was stricter`}
        of={disagreements.filter((one) => !isMore(one))}
        names={[other, own]}
      />
    </>
  );
}

const weight = { allow: 0, modify: 1, review: 2, block: 3 } as const;

function Disagreements({
  label,
  of,
  names: [other, own],
}: {
  readonly label: string;
  readonly of: Report["disagreements"];
  readonly names: readonly [string, string];
}) {
  return (
    <>
      <h2>
        <bdi>{label}</bdi>
      </h2>
      <Table
        label={label}
        heads={["When", "What", other, own, ""]}
        rows={of.map(({ at, hook, action, withAction, about, sessionId, runId, roundtableId }) => [
          <Time at={at} />,
          <>
            {hook === undefined ? "" : hookWords[hook]} <Text inline text={about.tool ?? ""} />
          </>,
          actionWords[withAction],
          actionWords[action],
          <Where {...{ sessionId, runId, roundtableId }} messageId={about.messageId} />,
        ])}
        empty="Nowhere, of the first fifty texts on which they differ."
      />
    </>
  );
}

function Where({
  sessionId,
  runId,
  roundtableId,
  messageId,
}: Pick<Report["disagreements"][number], "sessionId" | "runId" | "roundtableId"> & {
  readonly messageId: string | undefined;
}) {
  if (sessionId !== undefined)
    return (
      <a href={`/console/conversations/${sessionId}${messageId === undefined ? "" : `/messages/${messageId}`}`}>
        The text
      </a>
    );
  if (runId !== undefined) return <a href={`/console/runs/${runId}`}>The run</a>;
  return roundtableId === undefined ? undefined : <a href={`/console/roundtables/${roundtableId}`}>The roundtable</a>;
}
