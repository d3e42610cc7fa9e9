/** The form that starts an eval or a replay, after it has said what it would come to. */
import { startEval } from "../../application/evidence/manage-evals.js";
import { defined } from "../../conversation/defined.js";
import type { Eval } from "../../evidence/evaluation.js";
import { Button, Choice, Field, Form } from "../parts.js";
import { perform, sentIn, type Visit } from "../screen.js";
import { Faults } from "./trial-results.js";

type Estimate = Eval["estimate"];

export function Start({
  visit,
  dataset,
  estimate,
}: {
  readonly visit: Visit;
  readonly dataset: string;
  readonly estimate: Estimate | undefined;
}) {
  return (
    <Form label="Start an eval" action="/console/evals">
      <Faults visit={visit} />
      <Field visit={visit} name="eval.dataset" label="Dataset" required stored={dataset} />
      <Candidates visit={visit} body="eval" of="supervisors" estimate={estimate} />
    </Form>
  );
}

/** Who is held against whom, how often, and for how much. @param body what the act calls it */
export function Candidates({
  visit,
  body,
  of,
  stored = "",
  estimate,
}: {
  readonly visit: Visit;
  readonly body: "eval" | "replay";
  readonly of: keyof typeof kinds;
  readonly stored?: string;
  readonly estimate: Estimate | undefined;
}) {
  const needsTokens = estimate !== undefined && estimate.modelCalls > 0 && sentIn(visit, `${body}.maxTokens`) === "";
  // What it is likely to take, with room: nobody has to reckon it.
  const tokens = needsTokens ? String(Math.ceil(estimate.tokens / 500) * 1_000) : undefined;
  const filled = tokens === undefined ? visit : { ...visit, sent: withTokens(visit, `${body}.maxTokens`, tokens) };
  const field = (name: string) => ({ visit: filled, name: `${body}.${name}` });
  return (
    <>
      <Choice {...field("of")} label="Candidates are" stored={of} options={Object.entries(kinds)} />
      <Field
        {...field("candidates")}
        label="Candidates, one a line"
        lines={3}
        required
        stored={stored}
        hint="The first is what the others are held against: now: privacy, injection@3, or now: shop. They are stored ones; @3 is version 3."
      />
      <details class="panel" open={["model", "instructions", "judge"].some((name) => sentIn(visit, `${body}.${name}`))}>
        <summary>A change to try, and a judge</summary>
        <Field
          {...field("model")}
          label="With this model"
          hint="The first agent with it is one candidate more, called changed."
        />
        <Field {...field("instructions")} label="With these instructions" lines={3} hint="In place of its own." />
        <Field
          {...field("judge")}
          label="Judge"
          hint="A stored agent that says which of two answers is better, in both orders."
        />
        <Field {...field("better")} label="What makes an answer better" lines={2} />
      </details>
      <Field
        {...field("repeats")}
        label="How often each is asked"
        stored="1"
        hint="Models answer differently; rules never do."
      />
      <Field {...field("maxTokens")} label="Tokens at most" hint="Has to be said where a model is asked." />
      <Choice
        {...field("callHttp")}
        label="Endpoints"
        options={[
          ["no", "Aren't called"],
          ["yes", "Are called, marked as a trial"],
        ]}
      />
      <Choice
        {...field("copy")}
        label="What was answered in conversations"
        stored={body === "replay" ? "yes" : "no"}
        options={[
          ["no", "Isn't kept"],
          ["yes", "Is kept with the results, also when it is erased there"],
        ]}
        hint="A judge needs it."
      />
      {estimate === undefined ? undefined : (
        <p class="notice" id="estimate">
          {`It would make ${estimate.calls.toLocaleString("en")} calls, ${estimate.modelCalls.toLocaleString("en")} of them of models, and take about ${estimate.tokens.toLocaleString("en")} tokens.`}
        </p>
      )}
      <div class="actions">
        <Button does="estimate" kind={estimate === undefined ? "primary" : undefined}>
          What would it come to?
        </Button>
        {estimate === undefined ? undefined : (
          <Button does="start" kind="primary">
            Start it
          </Button>
        )}
      </div>
    </>
  );
}

const kinds = { supervisors: "Supervisors", agent: "Agents", team: "Teams", panel: "Panels" } as const;

function withTokens({ sent }: Visit, name: string, tokens: string): URLSearchParams {
  const filled = new URLSearchParams(sent);
  filled.set(name, tokens);
  return filled;
}

const named = (one: string): { name: string; version?: number } => {
  const [name = "", version] = one.trim().split("@");
  return { name, ...defined({ version: version === undefined ? undefined : Number(version) }) };
};

/** `now: privacy, injection@3`, or `now: shop@3`, a line each; one without a name is called after what it is. */
function candidateOf(line: string, of: string) {
  const at = line.indexOf(":");
  const stored = line.slice(at + 1);
  const name = at < 0 ? line.trim().replaceAll("@", "-") : line.slice(0, at).trim();
  if (of === "supervisors") return { name, supervisors: stored.split(",").map(named) };
  const { name: resource, version } = named(stored);
  return { name, [of]: resource, ...defined({ version }) };
}

/** What the form says, as the acts take it. */
export function wantedIn(visit: Visit, body: "eval" | "replay") {
  const sent = (name: string): string | undefined => sentIn(visit, `${body}.${name}`) || undefined;
  const [of = "supervisors", judge, maxTokens] = [sent("of"), sent("judge"), sent("maxTokens")];
  const lines = (sent("candidates") ?? "").split("\n").filter((line) => line.trim() !== "");
  const candidates = lines.map((line) => candidateOf(line, of));
  const [first] = candidates;
  const change = defined({ model: sent("model"), instructions: sent("instructions") });
  const isChanged = first !== undefined && Object.keys(change).length > 0;
  const { name: agent, version } = named(judge ?? "");
  return {
    candidates: isChanged ? [...candidates, { ...first, name: "changed", change }] : candidates,
    repeats: Number(sent("repeats") ?? 1),
    ...defined({
      maxTokens: maxTokens === undefined ? undefined : Number(maxTokens),
      judge: judge === undefined ? undefined : { agent, ...defined({ version, instructions: sent("better") }) },
    }),
    callHttp: sent("callHttp") === "yes",
    copy: sent("copy") === "yes",
  };
}

export function begin(visit: Visit, isEstimate: boolean) {
  return perform(visit, startEval, {
    eval: { ...wantedIn(visit, "eval"), dataset: sentIn(visit, "eval.dataset"), estimate: isEstimate },
  });
}
