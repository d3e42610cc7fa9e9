/** Number ranges of payment card issuers, by leading digits and length (ISO/IEC 7812). */
import type { Evidence } from "./context.js";

export interface CardIssuer extends Evidence {
  readonly name: string;
  /** Leading digits, as a JavaScript pattern. */
  readonly prefix: string;
  /** Numbers of digits. */
  readonly lengths: readonly number[];
}

const source = "ISO/IEC 7812-1; issuer ranges as published by the networks";

export const cardIssuers: readonly CardIssuer[] = [
  {
    name: "Visa",
    prefix: "4",
    lengths: [13, 16, 19],
    source,
    example: "4111111111111111",
    counterExample: "4111111111111112",
  },
  {
    name: "Mastercard",
    prefix: "5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720",
    lengths: [16],
    source,
    example: "5555555555554444",
    counterExample: "5655555555554445",
  },
  {
    name: "American Express",
    prefix: "3[47]",
    lengths: [15],
    source,
    example: "378282246310005",
    counterExample: "378282246310006",
  },
  {
    name: "Discover",
    prefix: "6011|64[4-9]|65",
    lengths: [16, 17, 18, 19],
    source,
    example: "6011111111111117",
    counterExample: "6011111111111118",
  },
  {
    name: "Diners Club",
    prefix: "30[0-59]|3[689]",
    lengths: [14, 15, 16, 17, 18, 19],
    source,
    example: "30569309025904",
    counterExample: "30569309025905",
  },
  {
    name: "JCB",
    prefix: "35(?:2[89]|[3-8])",
    lengths: [16, 17, 18, 19],
    source,
    example: "3530111333300000",
    counterExample: "3530111333300001",
  },
  {
    name: "JCB, of 15 digits",
    prefix: "2131|1800",
    lengths: [15],
    source,
    example: "213112345678904",
    counterExample: "213112345678905",
  },
  {
    name: "UnionPay",
    prefix: "62|81",
    lengths: [16, 17, 18, 19],
    source,
    example: "6200000000000005",
    counterExample: "6200000000000006",
  },
  {
    name: "Maestro",
    prefix: "5018|5020|5038|5893|56|57|58|0604|6304|6390|6759|676[1-3]",
    lengths: [12, 13, 14, 15, 16, 17, 18, 19],
    source,
    example: "676100000006",
    counterExample: "676100000007",
  },
  {
    name: "Mir",
    prefix: "220[0-4]",
    lengths: [16, 17, 18, 19],
    source,
    example: "2200000000000004",
    counterExample: "2205000000000009",
  },
  {
    name: "Troy",
    prefix: "9792",
    lengths: [16],
    source,
    example: "9792000000000003",
    counterExample: "9792000000000004",
  },
  {
    name: "RuPay and others of range 6",
    prefix: "60|508[5-9]|606282",
    lengths: [16],
    source,
    example: "6080000000000000",
    counterExample: "6080000000000001",
  },
  {
    name: "Elo",
    prefix: "5067|4011|636368|636297",
    lengths: [16],
    source,
    example: "5067000000000009",
    counterExample: "5067000000000000",
  },
  {
    name: "Dankort",
    prefix: "5019",
    lengths: [16],
    source,
    example: "5019000000000008",
    counterExample: "5019000000000009",
  },
  {
    name: "Interpayment",
    prefix: "636",
    lengths: [16, 17, 18, 19],
    source,
    example: "6360000000000001",
    counterExample: "6360000000000002",
  },
];
