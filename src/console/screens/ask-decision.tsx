/** One ask of the inbox: what it is about, and the form that decides it. */
import { choicesOf, suggestedAnswers } from "../../asks/answer.js";
import type { Ask } from "../../asks/ask.js";
import { heldCall, heldText, reviewedAs } from "../../asks/proposal.js";
import { ownValue } from "../../conversation/own-value.js";
import { Button, Facts, Field, Form, Time } from "../parts.js";
import { sentIn, type Visit } from "../screen.js";
import { Text } from "../visible-text.js";
import { Diff } from "./ask-parts.js";
import { argsWritten, CallFields } from "./call-form.js";

const hooks: Readonly<Record<string, string>> = {
  request: "A customer's message is held",
  response: "An answer is held",
  tool_call: "A call is held",
  tool_result: "A result of a tool is held",
  hop: "A message between agents is held",
};

export function titleOf(ask: Ask): string {
  const text = heldText(ask);
  if (text !== undefined) return ownValue(hooks, text.hook) ?? "A text is held";
  const call = heldCall(ask);
  return call === undefined ? ask.question : `May ${ask.from.agent ?? "the agent"} call ${call.server}/${call.tool}?`;
}

export function About({ ask }: { readonly ask: Ask }) {
  const { from } = ask;
  const why = heldText(ask)?.reasons?.join(" ") ?? ask.reason;
  const facts = [
    ["Why", why],
    ["Held by", from.supervisors?.join(", ")],
    ["Agent", from.agent],
    ["Tool", from.tool],
    ["From", from.about.from],
    ["To", from.about.to],
    ["Customer", from.subject],
    ["About", from.about.message],
    ["Context", ask.context],
    ...(heldText(ask)?.beside ?? []).map(({ name, text }) => [`Beside it: ${name}`, text] as const),
  ] as const;
  return (
    <Facts
      facts={[
        ...facts.flatMap(([name, value]) =>
          value === undefined || value === "" ? [] : [[name, <Text inline text={value} />] as const],
        ),
        ...placesOf(from).map(([name, to]) => ["Part of", <a href={to}>{name}</a>] as const),
        ["Waits since", <Time at={ask.openedAt} />],
        ...(ask.deadline === undefined ? [] : [["Due", <Time at={ask.deadline} />] as const]),
      ]}
    />
  );
}

/** What it holds up, as a page that can be watched. */
function placesOf({ runId, roundtableId }: Ask["from"]): readonly (readonly [string, string])[] {
  return [
    ...(runId === undefined ? [] : [["the run", `/console/runs/${runId}`] as const]),
    ...(roundtableId === undefined ? [] : [["the roundtable", `/console/roundtables/${roundtableId}`] as const]),
  ];
}

/** What decides it. What is written is sent as it stands in the field: changed text is an edit, unchanged text is accepted. */
export function Decide({ visit, ask, isSure }: Deciding) {
  if (heldText(ask) !== undefined) return <Review visit={visit} ask={ask} isSure={isSure} />;
  return heldCall(ask) === undefined ? (
    <Answer visit={visit} ask={ask} />
  ) : (
    <Approve visit={visit} ask={ask} isSure={isSure} />
  );
}

interface Deciding {
  readonly visit: Visit;
  readonly ask: Ask;
  /** It was pressed once already. */
  readonly isSure: boolean;
}

function Review({ visit, ask }: Deciding) {
  const text = heldText(ask);
  if (text === undefined) return undefined;
  const isTold = text.hook === "request" || text.hook === "response";
  return (
    <Form label="Decide" claims>
      <NoDefault />
      {text.diff === undefined || text.original === text.proposed ? undefined : (
        <>
          <h3>What supervision would change</h3>
          <Diff parts={text.diff} />
        </>
      )}
      <h3>{text.original === text.proposed ? "The text" : "What would go on"}</h3>
      <div class="held">
        <Text text={text.proposed} />
      </div>
      <details class="panel" open={visit.refused !== undefined}>
        <summary data-key="e">
          Edit <kbd>e</kbd>
        </summary>
        <Field visit={visit} name="content" label="Text" stored={text.proposed} lines={6} />
      </details>
      <Why
        visit={visit}
        told={isTold ? "The customer reads it, whatever you decide." : "The agent reads it, whatever you decide."}
      />
      <div class="actions">
        <Button does="accept" kind="primary" shortcut="a" changed="Send edited">
          Accept
        </Button>
        <Button does="reject" kind="danger" shortcut="r">
          Reject
        </Button>
      </div>
    </Form>
  );
}

function Approve({ visit, ask, isSure }: Deciding) {
  const call = heldCall(ask);
  if (call === undefined) return undefined;
  const isAlways = call.approval === "always";
  return (
    <Form label="Decide" claims>
      <NoDefault />
      {isSure && <input type="hidden" name="sure" value="once" />}
      <pre class="code held">
        <Text inline text={JSON.stringify(call.args, undefined, 2)} />
      </pre>
      <details class="panel" open={visit.sent !== undefined}>
        <summary data-key="e">
          Edit the call <kbd>e</kbd>
        </summary>
        <CallFields visit={visit} call={call} />
      </details>
      <Why visit={visit} told="The agent reads it, whatever you decide." />
      <div class="actions">
        <Button does="once" kind="primary" shortcut="a" changed={isSure ? "Allow as edited now" : "Allow as edited"}>
          {isSure ? "Allow it now" : isAlways ? "Allow" : "Allow once"}
        </Button>
        {isAlways ? undefined : (
          <Button does="session" shortcut="s">
            Allow in this session
          </Button>
        )}
        <Button does="deny" kind="danger" shortcut="r">
          Deny
        </Button>
      </div>
    </Form>
  );
}

function Answer({ visit, ask }: Pick<Deciding, "visit" | "ask">) {
  return (
    <>
      {suggestedAnswers(ask).map((suggestion) => (
        <Form label={`Answer ${suggestion}`}>
          <input type="hidden" name="response" value={suggestion} />
          <Button does="respond">
            <Text inline text={suggestion} />
          </Button>
        </Form>
      ))}
      {choicesOf(ask) === undefined ? (
        <Form label="Answer" claims>
          <Field visit={visit} name="response" label="Answer" lines={4} shortcut="e" />
          <Field visit={visit} name="note" label="Note" hint="For staff, on record." shortcut="n" />
          <Button does="respond" kind="primary">
            Answer
          </Button>
        </Form>
      ) : undefined}
    </>
  );
}

/** Enter in a line of text presses a form's first button: one that does nothing, so that nobody decides by it. */
function NoDefault() {
  return <button type="submit" disabled hidden></button>;
}

function Why({ visit, told }: { readonly visit: Visit; readonly told: string }) {
  return (
    <div class="row">
      <Field visit={visit} name="message" label="Message" hint={told} />
      <Field visit={visit} name="note" label="Note" hint="For staff, on record." shortcut="n" />
    </div>
  );
}

/** What was answered; and what a person wrote who came late is shown: it was sent nowhere. */
export function Drafts({ visit, ask }: { readonly visit: Visit; readonly ask: Ask }) {
  const answer = new Map<string, unknown>(Object.entries(ask.answer ?? {}));
  const given = ["response", "result", "content", "args", "message", "note"].flatMap((name) => {
    const value = answer.get(name);
    if (value === undefined) return [];
    return [[name, <Text text={typeof value === "string" ? value : JSON.stringify(value, undefined, 2)} />] as const];
  });
  const isProposed = (text: string) => reviewedAs(ask, text).decision === "accept";
  const call = heldCall(ask);
  const texts = ["content", "response", "message", "note"]
    .map((name) => sentIn(visit, name))
    .filter((text, at) => text !== "" && !(at === 0 && isProposed(text)));
  const drafts = [...(call === undefined ? [] : argsWritten(visit, call)), ...texts];
  if (given.length === 0 && drafts.length === 0) return undefined;
  return (
    <div class="panel">
      <Facts facts={given} />
      {drafts.length === 0 ? undefined : <p class="dim">You had written, and it wasn't sent:</p>}
      {drafts.map((text) => (
        <Text text={text} />
      ))}
    </div>
  );
}
