/** The rules of a supervisor as fields that say what they are; what has no fields of its own is shown as JSON. */

import { ownValue } from "../../conversation/own-value.js";
import { problem } from "../../conversation/problem.js";
import { isRecord, readJson } from "../../text/json.js";
import { Choice, Field } from "../parts.js";
import { sentIn, type Visit } from "../screen.js";

type Body = Readonly<Record<string, unknown>>;

const actions = [
  ["block", "Block"],
  ["review", "Hold for a person"],
  ["redact", "Take out what matches"],
  ["replace", "Replace what matches"],
  ["fence", "Mark as data"],
] as const;

const matchWords: Readonly<Record<string, string>> = {
  phrases: "Words and phrases",
  pattern: "A pattern",
  personalData: "Personal data",
  secrets: "Keys and passwords",
  injection: "Orders to the model",
  length: "Length",
  topics: "Topics",
  links: "Links",
};

const recordOf = (value: unknown): Body => (isRecord(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The rules of a body; nothing of one that has none. */
export function rulesOf(body: Body): readonly Body[] | undefined {
  return body.kind === "rules" ? listOf(recordOf(body.config).rules).map(recordOf) : undefined;
}

/** @param matched ids or places, from 1, of those that a trial or a decision names */
export function RuleFields({
  visit,
  rules,
  matched,
}: {
  readonly visit: Visit;
  readonly rules: readonly Body[];
  readonly matched: readonly string[];
}) {
  return (
    <>
      {rules.map((rule, at) => {
        const match = recordOf(rule.match);
        const type = textOf(match.type);
        const id = textOf(rule.id) || String(at + 1);
        const name = (field: string): string => `rule-${at}-${field}`;
        return (
          <details class="panel" open={rules.length === 1 || matched.includes(id)}>
            <summary>
              {`Rule ${id}: ${ownValue(matchWords, type) ?? type}`}
              <span class="dim">
                {" "}
                <bdi>{gistOf(match)}</bdi>
              </span>
              {matched.includes(id) ? " · this one matched" : ""}
            </summary>
            {type === "phrases" ? (
              <>
                <Field
                  visit={visit}
                  name={name("phrases")}
                  label="Words and phrases, one a line"
                  lines={Math.min(12, listOf(match.phrases).length + 1)}
                  stored={listOf(match.phrases).map(String).join("\n")}
                />
                <Tick
                  visit={visit}
                  name={name("wholeWords")}
                  label="Whole words only"
                  stored={match.wholeWords === true}
                />
                <Tick
                  visit={visit}
                  name={name("caseSensitive")}
                  label="Capitals count"
                  stored={match.caseSensitive === true}
                />
              </>
            ) : type === "pattern" ? (
              <Field visit={visit} name={name("pattern")} label="Pattern (RE2)" stored={textOf(match.pattern)} />
            ) : (
              <Field
                visit={visit}
                name={name("match")}
                label="What it looks for"
                lines={4}
                stored={JSON.stringify(match, undefined, 2)}
              />
            )}
            <Choice visit={visit} name={name("action")} label="Then" stored={textOf(rule.action)} options={actions} />
            <Field visit={visit} name={name("reason")} label="Reason, as people read it" stored={textOf(rule.reason)} />
            <Tick visit={visit} name={name("remove")} label="Take this rule out" stored={false} />
          </details>
        );
      })}
    </>
  );
}

/** What it looks for, as far as that fits on a line. */
function gistOf({ phrases, pattern }: Body): string {
  const gist = Array.isArray(phrases) ? phrases.slice(0, 4).join(", ") : textOf(pattern);
  return gist.length > 60 ? `${gist.slice(0, 60)}…` : gist;
}

function Tick({
  visit,
  name,
  label,
  stored,
}: {
  readonly visit: Visit;
  readonly name: string;
  readonly label: string;
  readonly stored: boolean;
}) {
  return (
    <p>
      <label>
        <input
          type="checkbox"
          name={name}
          value="yes"
          checked={visit.sent === undefined ? stored : visit.sent.get(name) === "yes"}
        />
        {label}
      </label>
    </p>
  );
}

/** The body that a form describes: what is stored, with what its fields say. */
export function bodyFrom(visit: Visit, stored: Body): Body {
  const sent = sentIn(visit, "body");
  if (sent !== "") {
    const { value } = readJson(sent);
    if (isRecord(value)) return value;
    throw problem("invalid", "That is no JSON object.", {
      errors: [{ path: "body", message: "It isn't a JSON object." }],
    });
  }
  const rules = rulesOf(stored);
  if (rules === undefined) return stored;
  const changed = rules.flatMap((rule, at) => {
    const field = (name: string): string => sentIn(visit, `rule-${at}-${name}`);
    if (field("remove") === "yes") return [];
    const reason = field("reason");
    return { ...rule, match: matchFrom(recordOf(rule.match), field), action: field("action") || rule.action, reason };
  });
  return { ...stored, config: { ...recordOf(stored.config), rules: changed } };
}

function matchFrom(match: Body, field: (name: string) => string): Body {
  if (match.type === "phrases") {
    const { wholeWords: _, caseSensitive: __, ...rest } = match;
    const phrases = field("phrases")
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
    return {
      ...rest,
      phrases,
      ...(field("wholeWords") === "yes" ? { wholeWords: true } : {}),
      ...(field("caseSensitive") === "yes" ? { caseSensitive: true } : {}),
    };
  }
  if (match.type === "pattern") return { ...match, pattern: field("pattern") };
  const { value } = readJson(field("match"));
  if (isRecord(value)) return value;
  throw problem("invalid", "What it looks for is no JSON object.", {
    errors: [{ path: "match", message: "It isn't a JSON object." }],
  });
}
