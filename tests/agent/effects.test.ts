/** What an end user reads of what was done, where the answer can't be shown. */
import { expect, it } from "vitest";
import { doneForUsers } from "../../src/agent/effects.js";

it.each([
  [[], ""],
  [[["pay_refund", "done"]], " It was done; its confirmation can't be shown: pay refund."],
  [
    [
      ["payRefund", "done"],
      ["pay-refund", "done"],
      ["mail.send", "done"],
    ],
    " It was done; its confirmation can't be shown: pay refund, mail send.",
  ],
  [[["book", "unknown"]], " It was begun, and may or may not have been done: book."],
] as const)("%j: %s", (calls, text) => {
  expect(doneForUsers(calls.map(([tool, outcome]) => ({ tool, outcome })))).toBe(text);
});
