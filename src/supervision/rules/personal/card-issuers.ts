/** Number ranges of payment card issuers, by leading digits and length (ISO/IEC 7812). */
import { lazily } from "../../../text/lazily.js";
import { readTable } from "../../../text/table.js";
import type { Evidence } from "./context.js";

export interface CardIssuer extends Evidence {
  readonly name: string;
  /** Leading digits, as a JavaScript pattern. */
  readonly prefix: string;
  /** Numbers of digits. */
  readonly lengths: readonly number[];
}

export const cardIssuers = lazily(() =>
  readTable(table, (name, prefix, lengths, example, counterExample): CardIssuer => {
    return { name, prefix, lengths: lengths.split(", ").map(Number), source, example, counterExample };
  }),
);

const source = "ISO/IEC 7812-1; issuer ranges as published by the networks";
const table = `
# issuer | leading digits | numbers of digits | example | counter-example
Visa | 4 | 13, 16, 19 | 4111111111111111 | 4111111111111112
Mastercard | 5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720 | 16 | 5555555555554444 | 5655555555554445
American Express | 3[47] | 15 | 378282246310005 | 378282246310006
Discover | 6011|64[4-9]|65 | 16, 17, 18, 19 | 6011111111111117 | 6011111111111118
Diners Club | 30[0-59]|3[689] | 14, 15, 16, 17, 18, 19 | 30569309025904 | 30569309025905
JCB | 35(?:2[89]|[3-8]) | 16, 17, 18, 19 | 3530111333300000 | 3530111333300001
JCB, of 15 digits | 2131|1800 | 15 | 213112345678904 | 213112345678905
UnionPay | 62|81 | 16, 17, 18, 19 | 6200000000000005 | 6200000000000006
Maestro | 5018|5020|5038|5893|56|57|58|0604|6304|6390|6759|676[1-3] | 12, 13, 14, 15, 16, 17, 18, 19 | 676100000006 | 676100000007
Mir | 220[0-4] | 16, 17, 18, 19 | 2200000000000004 | 2205000000000009
Troy | 9792 | 16 | 9792000000000003 | 9792000000000004
RuPay and others of range 6 | 60|508[5-9]|606282 | 16 | 6080000000000000 | 6080000000000001
Elo | 5067|4011|636368|636297 | 16 | 5067000000000009 | 5067000000000000
Dankort | 5019 | 16 | 5019000000000008 | 5019000000000009
Interpayment | 636 | 16, 17, 18, 19 | 6360000000000001 | 6360000000000002
`;
