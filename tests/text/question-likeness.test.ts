import { describe, expect, it } from "vitest";
import { questionLikeness } from "../../src/text/question-likeness.js";

/** What is asked once, when nothing else is said. */
const same = 0.85;

describe("two questions", () => {
  it.each([
    ["What is our monthly infrastructure budget?", "what is our monthly infrastructure budget"],
    ["What's our monthly infrastructure budget?", "What is the monthly budget for infrastructure?"],
    ["How many active users does the product have?", "Number of active users of the product?"],
    ["Please provide the current error rate of checkout.", "What is the error rate of the checkout?"],
    ["Which services don't encrypt their backups?", "Which services do not encrypt backups?"],
    ["What are the SLA terms for the Frankfurt region?", "SLA terms, region Frankfurt"],
    ["How many users moved from Postgres to MySQL?", "Number of users that moved from Postgres to MySQL"],
    ["Was kostet der Betrieb im Monat?", "was kostet der Betrieb im Monat"],
    ["服务器每月的预算是多少？", "服务器每月的预算是多少"],
  ])("ask for the same: %j and %j", (one, other) => {
    expect(questionLikeness(one, other)).toBeGreaterThanOrEqual(same);
    expect(questionLikeness(other, one)).toBe(questionLikeness(one, other));
  });

  it.each([
    ["What was the error rate of the checkout in March?", "What was the error rate of the checkout in April?"],
    ["What is the p99 latency of checkout in production?", "What is the p99 latency of checkout in staging?"],
    ["What is the p99 latency of the checkout service?", "What is the p95 latency of the checkout service?"],
    ["What did users ask for before the launch?", "What did users ask for after the launch?"],
    ["Which services encrypt their backups?", "Which services don't encrypt their backups?"],
    ["When was the retention policy changed?", "Why was the retention policy changed?"],
    ["How many users moved from Postgres to MySQL?", "How many users moved from MySQL to Postgres?"],
    ["What does the law say about data retention?", "What does EU law say about data retention?"],
    ["What is the refund policy?", "What is the refund policy for digital goods?"],
    ["Which services are encrypted?", "Which services are unencrypted?"],
    ["Welche Dienste sind in Betrieb?", "Welche Dienste sind nicht in Betrieb?"],
    ["What is the budget?", ""],
  ])("ask for different things: %j and %j", (one, other) => {
    expect(questionLikeness(one, other)).toBeLessThan(same);
    expect(questionLikeness(other, one)).toBe(questionLikeness(one, other));
  });

  it("are alike in part when one says a little more", () => {
    const shorter = "Which teams own the payment gateway and its error budget?";
    const value = questionLikeness(shorter, `${shorter.slice(0, -1)} alerts?`);
    expect(value).toBeGreaterThan(same);
    expect(value).toBeLessThan(1);
  });
});
