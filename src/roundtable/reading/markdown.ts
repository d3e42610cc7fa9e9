/** A debate as a document: who held what, what was asked and answered, who moved, and what stays open. */
import { type ContextRequest, labelOf } from "../context-request.js";
import { exitWords, type RoundRecord } from "../debate.js";
import type { DebateRecord } from "../debate-record.js";
import type { Citation, Position } from "../position.js";
import { movementText, sidesText } from "../synthesis.js";
import { layeredAnswer } from "./layered-answer.js";
import { nameIn, withoutNames } from "./names.js";

/** The debate in Markdown. Pseudonyms stand for the seats of an anonymous one. */
export function debateMarkdown(named: DebateRecord): string {
  const debate = withoutNames(named);
  const parts = [
    ...header(debate),
    ...outcome(debate),
    ...errorPart(debate),
    ...seatsPart(debate),
    ...debate.rounds.flatMap((round) => roundPart(round, debate)),
    ...requestsPart(debate),
    ...openPart(debate),
    ...costPart(debate),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function header({
  topic,
  sessionId,
  mode,
  seats,
  rounds,
  totalRounds,
  exit,
  status,
  createdAt,
}: DebateRecord): string[] {
  const ended =
    exit === undefined ? status.replace("_", " ") : `ended after round ${exit.round}: ${exitWords[exit.reason]}`;
  return [
    `# ${inline(topic ?? "A topic that isn't cleared")}`,
    `Roundtable \`${sessionId}\`, ${createdAt.slice(0, 10)}: ${mode}, ${seats.length} agents, ${rounds.length} of ${totalRounds} rounds, ${ended}.`,
  ];
}

const adviceTitles = { proceed: "Proceed", verify: "Verify first", ask: "Ask first" } as const;

function outcome(debate: DebateRecord): string[] {
  const answer = layeredAnswer(debate);
  if (answer === undefined) return [];
  const { synthesis } = debate;
  const nameOf = nameIn(debate);
  const { advice, because, agreementLevel, confidence } = answer.decision;
  const minority = debate.rounds.at(-1)?.consensus?.minority ?? [];
  return [
    "## What it came to",
    `**${adviceTitles[advice]}**: ${inline(because.join("; ").replace(/\.$/, ""))}. Agreement ${agreementLevel.toFixed(2)}, confidence ${confidence.toFixed(2)}.`,
    quote(answer.decision.answer),
    ...(synthesis === undefined || synthesis.recommendation === ""
      ? []
      : ["**Recommendation**", quote(synthesis.recommendation)]),
    ...(synthesis?.writtenBy === "rounds"
      ? ["*No model's synthesis could be had: this is put together from the rounds.*"]
      : []),
    ...listed("**Common ground**", synthesis?.commonGround ?? []),
    ...listed("**What divides them**", synthesis?.keyDifferences ?? []),
    ...(synthesis === undefined || synthesis.evolution === ""
      ? []
      : ["**How the views came about**", quote(synthesis.evolution)]),
    "**Minority report**",
    ...(minority.length === 0
      ? [
          (debate.rounds.at(-1)?.consensus?.clusters.length ?? 0) > 1
            ? "No view has more seats than the others: what divides them stands above."
            : "Nobody stands apart in the last round.",
        ]
      : minority.map(
          ({ seats, stance, position, reasoning, confidence: sure }) =>
            `${names(seats, nameOf)} (${held(stance, sure)}):\n\n${quote(`${position}\n\n${reasoning}`)}`,
        )),
  ];
}

/** Why there is no further round, and in each seat's words where all of them failed. */
function errorPart({ error, ...debate }: DebateRecord): string[] {
  if (error === undefined) return [];
  const nameOf = nameIn(debate);
  const failures = (error.failures ?? []).map(
    ({ agentId, error: why, attempts }) =>
      `- ${inline(nameOf(agentId))} gave no position after ${attempts} attempts: ${inline(why)}`,
  );
  return ["## What failed", inline(error.detail), ...(failures.length === 0 ? [] : [failures.join("\n")])];
}

function seatsPart({ seats }: DebateRecord): string[] {
  const lines = seats.map(({ id, name, role, perspective, persona }) => {
    const about = [
      role,
      perspective === undefined ? undefined : `perspective: ${perspective.name}`,
      persona === undefined ? undefined : persona,
    ].filter((one) => one !== undefined);
    const known = `**${inline(name)}**${name === id ? "" : ` (\`${id}\`)`}`;
    return `- ${known}${about.length === 0 ? "" : `: ${inline(about.join("; "))}`}`;
  });
  return ["## Who sat at the table", lines.join("\n")];
}

function roundPart(round: RoundRecord, debate: DebateRecord): string[] {
  const nameOf = nameIn(debate);
  const labels = new Map(debate.requests.map((request) => [request.requestId, labelOf(request)]));
  const asked = debate.requests.filter(({ askers }) => askers.some((asker) => asker.round === round.round));
  return [
    `## Round ${round.round}`,
    ...(round.focusQuestion === undefined ? [] : ["The question of this round:", quote(round.focusQuestion)]),
    ...round.positions.flatMap((position) => positionPart(position, nameOf, labels)),
    ...(round.absent.length === 0 ? [] : [`*Waiting for what they had asked for: ${names(round.absent, nameOf)}.*`]),
    ...round.failures.map(
      ({ seat, error, attempts }) =>
        `*${inline(nameOf(seat))} gave no position after ${attempts} attempts: ${inline(error)}*`,
    ),
    ...round.passes.map(({ kind, seats }) => {
      const why = kind === "closing" ? "in a closing pass" : "again";
      return `*With the answers that came, ${names(seats, nameOf)} spoke ${why} in this round.*`;
    }),
    ...(asked.length === 0 ? [] : [`Asked for in this round: ${asked.map(labelOf).join(", ")}.`]),
    ...consensusPart(round, nameOf),
  ];
}

function positionPart(
  { seat, stance, confidence, position, reasoning, citations, citedContext }: Position,
  nameOf: (seat: string) => string,
  labels: ReadonlyMap<string, string>,
): string[] {
  const rests = [...citedContext.flatMap((id) => labels.get(id) ?? []), ...citations.map(citationText)];
  return [
    `### ${inline(nameOf(seat))}: ${held(stance, confidence)}`,
    quote(position),
    `Why: ${inline(reasoning)}`,
    ...(rests.length === 0 ? [] : [`Rests on: ${rests.join(", ")}.`]),
  ];
}

function consensusPart({ consensus, round }: RoundRecord, nameOf: (seat: string) => string): string[] {
  if (consensus === undefined) return [];
  const {
    agreementLevel,
    meanConfidence,
    movements,
    groupthink,
    analysis,
    analysisError,
    commonGround,
    disagreements,
    nuances,
    givenUp,
  } = consensus;
  const moved =
    round === 1 ? [] : movements.length === 0 ? ["Nobody moved."] : movements.map((one) => movementText(one, nameOf));
  return [
    `### After round ${round}`,
    [
      `- Agreement ${agreementLevel.toFixed(2)}${consensus.stancesAreParts ? " (the stances are parts that the mode gives)" : ""}, mean confidence ${meanConfidence.toFixed(2)}.`,
      ...moved.map((one) => `- ${inline(one)}`),
      ...commonGround.map(({ text, seats }) => `- Common ground of ${names(seats, nameOf)}: ${inline(text)}`),
      ...disagreements.map(
        ({ sides }) =>
          `- Divided: ${sides.map(({ seats, text }) => `${inline(seats.map(nameOf).join(", "))} (“${inline(text)}”)`).join(" against ")}`,
      ),
      ...nuances.map(({ seat, text }) => `- ${inline(nameOf(seat))} alone: ${inline(text)}`),
      ...givenUp.map(({ seats, position }) => `- Given up by ${names(seats, nameOf)}: ${inline(position)}`),
      ...(groupthink === undefined ? [] : [`- **Warning**: ${inline(groupthink.warning)}`]),
      ...(analysis === undefined ? [] : [`- The analyst: ${inline(analysis.summary)}`]),
      ...(analysis?.groupthinkWarning === undefined
        ? []
        : [`- The analyst warns: ${inline(analysis.groupthinkWarning)}`]),
      ...(analysis?.veto === undefined ? [] : [`- The analyst objects to an end: ${inline(analysis.veto)}`]),
      ...(analysisError === undefined ? [] : [`- No analysis: ${inline(analysisError)}`]),
    ].join("\n"),
  ];
}

function requestsPart(debate: DebateRecord): string[] {
  if (debate.requests.length === 0) return [];
  const nameOf = nameIn(debate);
  return [
    "## What was asked and answered",
    ...debate.requests.flatMap((request) => {
      const { query, priority, status, askers, result, error, source } = request;
      const users = debate.rounds.flatMap(({ round, positions }) =>
        positions
          .filter(({ citedContext }) => citedContext.includes(request.requestId))
          .map(({ seat }) => `${inline(nameOf(seat))} (round ${round})`),
      );
      return [
        `### ${labelOf(request)}: ${inline(query)}`,
        [
          `- ${priority}, ${status}`,
          ...askers.map(
            ({ seat, round, reason }) => `- asked by ${inline(nameOf(seat))} in round ${round}: ${inline(reason)}`,
          ),
          ...(source === undefined ? [] : [`- source: ${inline(source)}`]),
          ...(users.length === 0 ? [] : [`- used by ${users.join(", ")}`]),
        ].join("\n"),
        ...(result === undefined ? [] : [quote(result)]),
        ...(error === undefined ? [] : [`It could not be had: ${inline(error)}`]),
      ];
    }),
  ];
}

function openPart(debate: DebateRecord): string[] {
  const last = debate.rounds.at(-1);
  const nameOf = nameIn(debate);
  const unanswered = (request: ContextRequest) => request.status !== "answered";
  const open = [
    ...debate.requests.filter(unanswered).map((request) => `${labelOf(request)}, ${request.status}: ${request.query}`),
    ...(last?.consensus?.disagreements ?? []).map((one) => sidesText(one, nameOf)),
    ...(last?.consensus?.analysis?.veto === undefined ? [] : [last.consensus.analysis.veto]),
    ...(last?.failures ?? []).map(({ seat }) => `${nameOf(seat)} gave no position in the last round`),
  ];
  return [
    "## What stays open",
    open.length === 0 ? "Nothing that the debate shows." : open.map((one) => `- ${inline(one)}`).join("\n"),
  ];
}

function costPart({ usage }: DebateRecord): string[] {
  const tokens = usage.inputTokens + usage.outputTokens;
  return [
    "## What it took",
    `${usage.modelCalls} model calls, ${tokens} tokens (${usage.inputTokens} in, ${usage.outputTokens} out).`,
  ];
}

function names(seats: readonly string[], nameOf: (seat: string) => string): string {
  return seats.map(nameOf).map(inline).join(", ");
}

function held(stance: string | undefined, confidence: number): string {
  return `${stance === undefined ? "" : `${stance}, `}confidence ${confidence.toFixed(2)}`;
}

function listed(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [title, items.map((item) => `- ${inline(item)}`).join("\n")];
}

function citationText({ title, url }: Citation): string {
  const shown = inline(title).replace(/[[\]]/g, "\\$&");
  return url === undefined ? shown : `[${shown}](<${url.replace(/[<>\s]/g, encodeURIComponent)}>)`;
}

/** A text of somebody else's in a line: it can begin no heading, list or tag of this document. */
function inline(text: string): string {
  return escaped(text)
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^([#>*+-]|\d+[.)])(?=\s)/, "\\$1");
}

/** A text of somebody else's as a quotation, every line a paragraph: nothing in it can leave it. */
function quote(text: string): string {
  return escaped(text.trim())
    .split("\n")
    .map((line) => line.trim())
    .filter((line, _at, { length }) => line !== "" || length === 1)
    .map((line) => `> ${line}`)
    .join("\n>\n");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
