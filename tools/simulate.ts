/**
 * What turns cost and leave behind at a rate, reckoned from what tests count (`turn-figures.json`): `npm run simulate`, or with rates of
 * one's own, in turns a second: `npm run simulate -- 10 1000`.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";

const figuresSchema = z.object({
  objectRowsWritten: z.number(),
  /** The session's own row is written once in so many turns. */
  turnsBySessionRow: z.number(),
  alarmsSet: z.number(),
  objectRowsRead: z.number(),
  d1RowsWritten: z.number(),
  /** When its rows of the audit and of usage leave their tables. */
  d1RowsArchived: z.number(),
  d1RowsRead: z.number(),
  /** Of its rows of the audit until they are archived, of usage for a week, and of what stays in D1: bytes of values. */
  freshBytes: z.number(),
  weekBytes: z.number(),
  keptBytes: z.number(),
  /** Of its lines in a segment, gzipped. */
  archivedBytes: z.number(),
  /** The file of a session's object after ten turns. */
  sessionBytes: z.number(),
  processorMs: z.number(),
});
export type TurnFigures = z.infer<typeof figuresSchema>;

export const figures: TurnFigures = figuresSchema.parse(
  JSON.parse(readFileSync(join(import.meta.dirname, "turn-figures.json"), "utf8")),
);

/** Dollars a million, as docs/deployment.md has them. */
const prices = { request: 0.3, objectRequest: 0.15, row: 1, read: 0.001, processorMs: 0.02, gigabyteSecond: 12.5 };
/** Gigabyte-seconds of an object while its model works for a second. */
const waitingGigabyteSeconds = 0.125;
const databaseBytes = 8e9;
const archivedAfterDays = 30;
const addedUpAfterDays = 7;
const turnsASession = 10;
/** Assumed of one database; everything else is counted. */
const writingTurnsASecond = 150;

export interface Simulated {
  readonly turnsASecond: number;
  readonly dollarsAMonth: number;
  readonly d1BytesADay: number;
  readonly r2BytesADay: number;
  readonly objectBytesADay: number;
  readonly databasesForWriting: number;
  /** With a bucket: what is archived lies in D1 for 30 days. What stays (usage, lists) grows beside it, by {@link d1BytesADay}. */
  readonly databasesFor30Days: number;
}

export function dollarsAThousand(turn: TurnFigures): number {
  const rows =
    turn.objectRowsWritten + 1 / turn.turnsBySessionRow + turn.alarmsSet + turn.d1RowsWritten + turn.d1RowsArchived;
  const millionths =
    prices.request +
    2 * prices.objectRequest +
    rows * prices.row +
    (turn.objectRowsRead + turn.d1RowsRead) * prices.read +
    turn.processorMs * prices.processorMs +
    waitingGigabyteSeconds * prices.gigabyteSecond;
  return millionths / 1_000;
}

export function simulate(turnsASecond: number, turn: TurnFigures = figures): Simulated {
  const turnsADay = turnsASecond * 86_400;
  const bytes = turn.keptBytes + turn.archivedBytes;
  return {
    turnsASecond,
    dollarsAMonth: (turnsADay * 30 * dollarsAThousand(turn)) / 1_000,
    d1BytesADay: turnsADay * bytes,
    r2BytesADay: turnsADay * turn.archivedBytes,
    objectBytesADay: (turnsADay / turnsASession) * turn.sessionBytes,
    databasesForWriting: Math.ceil(turnsASecond / writingTurnsASecond),
    databasesFor30Days: Math.ceil(
      (turnsADay * (archivedAfterDays * bytes + addedUpAfterDays * turn.weekBytes)) / databaseBytes,
    ),
  };
}

const amount = (value: number): string => Math.round(value).toLocaleString("en-US");
const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(bytes < 1e10 ? 1 : 0)} GB`;

/** As Markdown. */
export function tableOf(rates: readonly number[], turn: TurnFigures = figures): string {
  const columns = rates.map((rate) => simulate(rate, turn));
  const row = (name: string, cell: (one: Simulated) => string): string =>
    `| ${[name, ...columns.map(cell)].join(" | ")} |`;
  return [
    row("turns a second", ({ turnsASecond }) => amount(turnsASecond)),
    `|${"---|".repeat(rates.length + 1)}`,
    row("platform a month", ({ dollarsAMonth }) => `$${amount(dollarsAMonth)}`),
    row("D1 grows a day", ({ d1BytesADay }) => gigabytes(d1BytesADay)),
    row("R2 grows a day", ({ r2BytesADay }) => gigabytes(r2BytesADay)),
    row("sessions' objects grow a day (ten turns each)", ({ objectBytesADay }) => gigabytes(objectBytesADay)),
    row("databases for writing (150 turns a second each: assumed)", ({ databasesForWriting }) =>
      amount(databasesForWriting),
    ),
    row("databases for 30 days, at 8 GB", ({ databasesFor30Days }) => amount(databasesFor30Days)),
  ].join("\n");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const rates = process.argv.slice(2).map(Number);
  console.log(`A thousand turns: $${dollarsAThousand(figures).toFixed(4)}\n`);
  console.log(tableOf(rates.length === 0 ? [10, 1_000, 10_000] : rates));
}
