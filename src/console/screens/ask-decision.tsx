/** One ask of the inbox: what it is about, and the form that decides it. */
import { choicesOf, suggestedAnswers } from "../../asks/answer.js";
import type { Ask } from "../../asks/ask.js";
import { askClosed } from "../../asks/ask-sentence.js";
import { heldCall, heldText, reviewedAs } from "../../asks/proposal.js";
import { ownValue } from "../../conversation/own-value.js";
import { Button, Facts, Field, Form, Time } from "../parts.js";
import { sentIn, type Visit } from "../screen.js";
import { Text } from "../visible-text.js";
import { Diff } from "./ask-parts.js";

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
        ["Waits since", <Time at={ask.openedAt} />],
        ...(ask.deadline === undefined ? [] : [["Due", <Time at={ask.deadline} />] as const]),
      ]}
    />
  );
}

/** What decides it. What is written is sent as it stands in the field: changed text is an edit, unchanged text is accepted. */
export function Decide({ visit, ask }: { readonly visit: Visit; readonly ask: Ask }) {
  const text = heldText(ask);
  if (text !== undefined) {
    return (
      <Form label="Decide">
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
          <Button does="edit" kind="primary">
            Send edited
          </Button>
        </details>
        <Why
          visit={visit}
          told={
            text.hook === "request" || text.hook === "response"
              ? "The customer reads it, whatever you decide."
              : "The agent reads it, whatever you decide."
          }
        />
        <div class="actions">
          <Button does="accept" kind="primary" shortcut="a">
            Accept
          </Button>
          <Button does="reject" kind="danger" shortcut="r">
            Reject
          </Button>
        </div>
      </Form>
    );
  }
  const call = heldCall(ask);
  if (call !== undefined) {
    return (
      <Form label="Decide">
        <NoDefault />
        <pre class="code held">
          <Text inline text={JSON.stringify(call.args, undefined, 2)} />
        </pre>
        <Why visit={visit} told="The agent reads it, where the call is denied." />
        <div class="actions">
          <Button does="once" kind="primary" shortcut="a">
            Allow once
          </Button>
          <Button does="session" shortcut="s">
            Allow in this session
          </Button>
          <Button does="deny" kind="danger" shortcut="r">
            Deny
          </Button>
        </div>
      </Form>
    );
  }
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
        <Form label="Answer">
          <Field visit={visit} name="response" label="Answer" lines={4} />
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
      <Field visit={visit} name="note" label="Note" hint="For staff, on record." />
    </div>
  );
}

/** What a person wrote who came late is shown: it was sent nowhere. */
export function Closed({ visit, ask }: { readonly visit: Visit; readonly ask: Ask }) {
  const answer = new Map<string, unknown>(Object.entries(ask.answer ?? {}));
  const given = ["response", "result", "content", "message", "note"].flatMap((name) => {
    const text = answer.get(name);
    return typeof text === "string" ? [[name, <Text text={text} />] as const] : [];
  });
  const isProposed = (text: string) => reviewedAs(ask, text).decision === "accept";
  const drafts = ["content", "response", "message", "note"]
    .map((name) => sentIn(visit, name))
    .filter((text, at) => text !== "" && !(at === 0 && isProposed(text)));
  return (
    <div class="panel">
      <p>
        <Text inline text={askClosed(ask)} /> <Time at={ask.closedAt} />
      </p>
      <Facts facts={given} />
      {drafts.length === 0 ? undefined : <p class="dim">You had written, and it wasn't sent:</p>}
      {drafts.map((text) => (
        <Text text={text} />
      ))}
    </div>
  );
}
