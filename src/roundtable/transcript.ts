/**
 * What was said and answered in a debate, oldest first, as everybody in it and beside it reads it: the same for all of them, and from round to
 * round only added to, so that a provider's cache carries it from prompt to prompt.
 */
import { dataBlock } from "../conversation/data-block.js";
import { defined } from "../conversation/defined.js";
import type { NameOf } from "./consensus/movement.js";
import { type ContextRequest, labelOf } from "./context-request.js";
import { contextBlocks, contextItem, fitTexts } from "./context-text.js";
import { estimatesText } from "./estimates.js";
import type { Position } from "./position.js";

interface Said {
  readonly round: number;
  readonly positions: readonly Position[];
}

export interface Transcript {
  /** Complete rounds, oldest first. */
  readonly rounds: readonly Said[];
  /** Positions of the round that runs. */
  readonly heard?: readonly Position[];
  /** As seats read them, each behind the round in which it was asked; what is open is left out. */
  readonly requests: readonly ContextRequest[];
  /** As the seats know each other: pseudonyms where nobody is to be known. */
  readonly nameOf: NameOf;
  /** The seat's part in the mode, where parts differ: `red`. */
  readonly roleOf: NameOf<string | undefined>;
  /** Statistics after each round, as a survey has them. */
  readonly withStatistics?: boolean;
}

/** Answers have this part of the room, and what positions leave. */
const answersShare = 0.4;
/** What is left for answers counts in such steps: what was cut once stays cut there for some rounds. */
const answersStep = 0.1;
/** Where all rounds don't fit, older ones are shortened until this part is used: then the next ones fit again without a change. */
const refill = 0.6;
const separator = "\n\n";

/** @param room in characters, escapes counted */
export function transcriptText(transcript: Transcript, room: number): string {
  const { rounds, heard = [] } = transcript;
  const settled = transcript.requests.filter(({ status }) => status !== "open").toSorted((a, b) => a.number - b.number);
  const full = rounds.map((round) => roundBlocks(round, transcript, "full"));
  const short = rounds.map((round) => roundBlocks(round, transcript, "short"));
  const left = Math.max(room * answersShare, room - lengthOf(full.flat()));
  const answers = contextBlocks(settled.map(contextItem), Math.floor(left / (room * answersStep)) * room * answersStep);
  const missing = settled.length - answers.length;
  const given = settled.slice(missing).map(({ round }, at) => ({ round, block: answers[at] ?? "" }));
  const notes = missing === 0 ? [] : ["(Earlier requests are left out here.)"];
  const free = room - lengthOf([...notes, ...answers]);

  const shortened = shortenedRounds(full.map(lengthOf), short.map(lengthOf), free);
  const shown = full.map((blocks, at) => (at < shortened ? (short[at] ?? []) : blocks));
  const dropped = droppedRounds(shown.map(lengthOf), free);
  const last = rounds.at(-1);
  const older = shown.slice(dropped, -1);
  const roomOfLast = free - lengthOf(older.flat());
  const newest = last === undefined ? [] : (shown.at(-1) ?? []);
  const kept = last !== undefined && lengthOf(newest) > roomOfLast ? fitted(last, transcript, roomOfLast) : newest;
  const blocks = [...older, ...(last === undefined ? [] : [kept])];
  const running = fitted(
    { round: 0, positions: heard },
    { ...transcript, withStatistics: false },
    free - lengthOf(blocks.flat()),
  );
  const first = rounds[dropped]?.round ?? 0;
  return [
    ...notes,
    ...(dropped === 0 ? [] : ["(Earlier rounds are left out here.)"]),
    ...given.filter(({ round }) => round < first).map(({ block }) => block),
    ...rounds
      .slice(dropped)
      .flatMap(({ round }, at) => [
        ...(blocks[at] ?? []),
        ...given.filter((answer) => answer.round === round).map(({ block }) => block),
      ]),
    ...running,
    ...given.filter(({ round }) => round > (last?.round ?? 0)).map(({ block }) => block),
  ].join(separator);
}

function lengthOf(blocks: readonly string[]): number {
  return blocks.reduce((sum, block) => sum + block.length + separator.length, 0);
}

/** How many of the oldest rounds are shortened: decided as if round after round had been added, so that it changes seldom. */
function shortenedRounds(full: readonly number[], short: readonly number[], room: number): number {
  let shortened = 0;
  const used = (count: number) =>
    full.slice(0, count).reduce((sum, length, at) => sum + (at < shortened ? (short[at] ?? 0) : length), 0);
  for (let count = 1; count <= full.length; count++) {
    if (used(count) <= room) continue;
    while (shortened < count - 1 && used(count) > room * refill) shortened += 1;
  }
  return shortened;
}

/** How many of the oldest are left out, where even their short forms don't fit beside half of the room for the last one. */
function droppedRounds(lengths: readonly number[], room: number): number {
  const last = Math.min(lengths.at(-1) ?? 0, room / 2);
  let dropped = 0;
  const older = () => lengths.slice(dropped, -1).reduce((sum, length) => sum + length, 0);
  while (dropped < lengths.length - 1 && older() + last > room) dropped += 1;
  return dropped;
}

const shortPosition = 400;

function roundBlocks({ round, positions }: Said, transcript: Transcript, form: "full" | "short"): string[] {
  return [
    ...positions.map((position) =>
      positionBlock(
        position,
        transcript,
        form === "full" ? fullText(position) : (fitTexts([position.position], shortPosition)[0] ?? ""),
      ),
    ),
    ...(transcript.withStatistics === true ? statisticsOf(positions, round) : []),
  ];
}

/** In as much room as there is: the longest are cut first. */
function fitted(said: Said, transcript: Transcript, room: number): string[] {
  const frames = roundBlocks(
    { ...said, positions: said.positions.map((held) => ({ ...held, position: "", reasoning: "" })) },
    transcript,
    "short",
  );
  const texts = fitTexts(said.positions.map(fullText), room - lengthOf(frames));
  return [
    ...said.positions.map((position, at) => positionBlock(position, transcript, texts[at] ?? "")),
    ...(transcript.withStatistics === true ? statisticsOf(said.positions, said.round) : []),
  ];
}

function fullText({ position, reasoning }: Position): string {
  return `${position}\n\nReasoning: ${reasoning}`;
}

function positionBlock(position: Position, { nameOf, roleOf, requests }: Transcript, text: string): string {
  const { seat, round, stance, confidence, citedContext } = position;
  const cited = requests.filter(({ requestId }) => citedContext.includes(requestId)).map(labelOf);
  return dataBlock(
    "position",
    {
      from: nameOf(seat),
      ...defined({ role: roleOf(seat) }),
      round: String(round),
      ...defined({ stance }),
      confidence: confidence.toFixed(2),
      ...(cited.length === 0 ? {} : { cites: cited.join(" ") }),
    },
    text,
  );
}

/** How sure they were, where they stood, and between which figures their estimates lie. */
function statisticsOf(positions: readonly Position[], round: number): string[] {
  if (positions.length === 0) return [];
  const stances = (["YES", "NO", "NEUTRAL"] as const)
    .map((stance) => ({ stance, count: positions.filter((position) => position.stance === stance).length }))
    .filter(({ count }) => count > 0)
    .map(({ stance, count }) => `${stance} ${count}`);
  const lines = [
    `answers: ${positions.length}`,
    ...(stances.length === 0 ? [] : [`stances: ${stances.join(", ")}`]),
    ...estimatesText(positions),
  ];
  return [dataBlock("statistics", { round: String(round) }, lines.join("\n"))];
}
