/** What a debate is shown by: positions, failures, what seats agree on, what they ask for, and the synthesis. */
import type { Consensus as ConsensusView } from "../../roundtable/consensus/schema.js";
import type { ContextRequestView } from "../../roundtable/context-request.js";
import type { Roundtable, ShownPosition } from "../../roundtable/roundtable.js";
import type { Synthesis as SynthesisView } from "../../roundtable/synthesis.js";
import { Badge, Table, Time, type Tone } from "../parts.js";
import { Text } from "../visible-text.js";

type Seats = Roundtable["agents"];
type Stance = NonNullable<ShownPosition["stance"]>;

const stanceTones: Readonly<Record<Stance, Tone>> = { YES: "good", NO: "bad", NEUTRAL: "plain" };

function namesOf(ids: readonly string[], seats: Seats): string {
  return ids.map((id) => seats.find(({ agentId }) => agentId === id)?.name ?? id).join(", ");
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

export function Positions({ positions }: { readonly positions: readonly ShownPosition[] }) {
  if (positions.length === 0) return undefined;
  return (
    <ol class="seats">
      {positions.map(({ name, role, stance, confidence, position, reasoning, citations, citedContext }) => (
        <li>
          <p class="by">
            <strong>
              <Text inline text={name} />
            </strong>
            {role === undefined ? undefined : <Text inline text={role} />}
            {stance === undefined ? undefined : <Badge tone={stanceTones[stance]}>{stance}</Badge>}
            <span>{`${percent(confidence)} sure`}</span>
          </p>
          <Text text={position} />
          {reasoning === "" ? undefined : (
            <details>
              <summary>Why</summary>
              <Text text={reasoning} />
            </details>
          )}
          {citations.length + citedContext.length === 0 ? undefined : (
            <ul class="lines hint">
              {citations.map(({ title, url = "" }) => (
                <li>
                  <Text inline text={`${title} ${url}`} />
                </li>
              ))}
              {citedContext.length === 0 ? undefined : <li>{`${citedContext.length} answers that it asked for`}</li>}
            </ul>
          )}
        </li>
      ))}
    </ol>
  );
}

export function Failures({ failures }: { readonly failures: NonNullable<Roundtable["failures"]> }) {
  return (
    <>
      {failures.map(({ agentId, error, attempts }) => (
        <p class="notice bad">
          <bdi>{agentId}</bdi>
          {` took no position after ${attempts} ${attempts === 1 ? "try" : "tries"}: `}
          <Text inline text={error} />
        </p>
      ))}
    </>
  );
}

/** What is counted, and what the analyst says beside it. */
export function Consensus({ consensus, seats }: { readonly consensus: ConsensusView; readonly seats: Seats }) {
  const { agreementLevel, meanConfidence, stances, stancesAreParts, summary, disagreements, minority } = consensus;
  const { groupthink, analysis } = consensus;
  return (
    <>
      <h2>What they agree on</h2>
      <dl class="figures">
        <Figure name="agree" value={percent(agreementLevel)} />
        <Figure name="sure" value={percent(meanConfidence)} />
        {stancesAreParts || stances.YES + stances.NO + stances.NEUTRAL === 0 ? undefined : (
          <>
            <Figure name="yes" value={String(stances.YES)} />
            <Figure name="no" value={String(stances.NO)} />
            <Figure name="neutral" value={String(stances.NEUTRAL)} />
          </>
        )}
      </dl>
      <Text text={summary} />
      {groupthink === undefined ? undefined : (
        <p class="notice bad">
          <Text inline text={groupthink.warning} />
        </p>
      )}
      {disagreements.length === 0 ? undefined : (
        <details>
          <summary>{`${disagreements.length} points that divide them`}</summary>
          <ul class="lines">
            {disagreements.map(({ sides }) => (
              <li>
                {sides.map(({ seats: of, text }) => (
                  <p>
                    <strong>
                      <Text inline text={namesOf(of, seats)} />
                    </strong>{" "}
                    <Text inline text={text} />
                  </p>
                ))}
              </li>
            ))}
          </ul>
        </details>
      )}
      <Minority views={minority} seats={seats} />
      {analysis === undefined ? undefined : (
        <details>
          <summary>What the analyst says</summary>
          <Text text={[analysis.summary, ...analysis.nuances].join("\n")} />
        </details>
      )}
    </>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Minority({ views, seats }: { readonly views: ConsensusView["minority"]; readonly seats: Seats }) {
  if (views.length === 0) return undefined;
  return (
    <>
      <h3>The minority</h3>
      <ul class="seats">
        {views.map(({ seats: of, position, confidence }) => (
          <li>
            <p class="by">
              <strong>
                <Text inline text={namesOf(of, seats)} />
              </strong>
              <span>{`${percent(confidence)} sure`}</span>
            </p>
            <Text text={position} />
          </li>
        ))}
      </ul>
    </>
  );
}

const requestTones: Readonly<Record<string, Tone>> = { open: "warn", answered: "good", failed: "bad" };

export function Requests({
  requests,
  seats,
}: {
  readonly requests: readonly ContextRequestView[];
  readonly seats: Seats;
}) {
  if (requests.length === 0) return undefined;
  const rows = requests.map(({ label, askId, agentIds, query, priority, status, result, error, timestamp }) => [
    label,
    <>
      {status === "open" ? (
        <a href={`/console/inbox/${askId}`}>
          <Text inline text={query} />
        </a>
      ) : (
        <Text inline text={query} />
      )}
      {(result ?? error) === undefined ? undefined : (
        <details>
          <summary>The answer</summary>
          <Text text={result ?? error ?? ""} />
        </details>
      )}
    </>,
    <Text inline text={namesOf(agentIds, seats)} />,
    <>
      <Badge tone={requestTones[status] ?? "plain"}>{status}</Badge> {priority}
    </>,
    <Time at={timestamp} />,
  ]);
  return (
    <>
      <h2>What they asked for</h2>
      <Table
        label="What they asked for"
        heads={["No.", "Question", "Asked by", "Status", "Since"]}
        rows={rows}
        empty=""
      />
    </>
  );
}

export function Synthesis({ synthesis, seats }: { readonly synthesis: SynthesisView; readonly seats: Seats }) {
  const { conclusion, recommendation, commonGround, keyDifferences, confidence, minority, writtenBy, round } =
    synthesis;
  return (
    <>
      <h2>Synthesis</h2>
      <p class="hint">
        {`After round ${round}, ${percent(confidence)} sure${writtenBy === "rounds" ? "; put together from what was counted, since no model could write it" : ""}.`}
      </p>
      <Text text={conclusion} />
      {recommendation === "" ? undefined : (
        <blockquote class="quote">
          <Text text={recommendation} />
        </blockquote>
      )}
      <div class="two">
        <Points title="Common ground" points={commonGround} />
        <Points title="What divides them" points={keyDifferences} />
      </div>
      <Minority views={minority} seats={seats} />
    </>
  );
}

function Points({ title, points }: { readonly title: string; readonly points: readonly string[] }) {
  if (points.length === 0) return undefined;
  return (
    <section>
      <h3>{title}</h3>
      <ul>
        {points.map((point) => (
          <li>
            <Text inline text={point} />
          </li>
        ))}
      </ul>
    </section>
  );
}
