/** The form that starts an eval, after it has said what it would come to. */
import { startEval } from "../../application/evidence/manage-evals.js";
import { defined } from "../../conversation/defined.js";
import type { Eval } from "../../evidence/evaluation.js";
import { Button, Choice, Field, Form } from "../parts.js";
import { perform, sentIn, type Visit } from "../screen.js";
import { Faults } from "./trial-results.js";

export function Start({
  visit,
  dataset,
  estimate,
}: {
  readonly visit: Visit;
  readonly dataset: string;
  readonly estimate: Eval["estimate"] | undefined;
}) {
  return (
    <Form label="Start an eval" action="/console/evals">
      <Faults visit={visit} />
      <Field visit={visit} name="eval.dataset" label="Dataset" required stored={dataset} />
      <Field
        visit={visit}
        name="eval.candidates"
        label="Candidates, one a line"
        lines={3}
        required
        hint="The first is what the others are held against: now: privacy, injection@3. Supervisors are stored ones; @3 is version 3."
      />
      <Field
        visit={visit}
        name="eval.repeats"
        label="How often each is asked"
        stored="1"
        hint="Models answer differently; rules never do."
      />
      <Field visit={visit} name="eval.maxTokens" label="Tokens at most" hint="Has to be said where a model is asked." />
      <Choice
        visit={visit}
        name="eval.callHttp"
        label="Endpoints"
        options={[
          ["no", "Aren't called"],
          ["yes", "Are called, marked as a trial"],
        ]}
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
    </Form>
  );
}

/** `now: privacy, injection@3`, a line each; one without a name is called after its supervisor. */
function candidatesOf(lines: string) {
  const given = lines.split("\n").filter((line) => line.trim() !== "");
  return given.map((line) => {
    const at = line.indexOf(":");
    const supervisors = line
      .slice(at + 1)
      .split(",")
      .map((one) => {
        const [name = "", version] = one.trim().split("@");
        return version === undefined ? name : { name, version: Number(version) };
      });
    const own = line.trim().replaceAll("@", "-");
    return { name: at < 0 ? own : line.slice(0, at).trim(), supervisors };
  });
}

export function begin(visit: Visit, isEstimate: boolean) {
  const maxTokens = sentIn(visit, "eval.maxTokens");
  return perform(visit, startEval, {
    eval: {
      dataset: sentIn(visit, "eval.dataset"),
      candidates: candidatesOf(sentIn(visit, "eval.candidates")),
      repeats: Number(sentIn(visit, "eval.repeats")),
      ...defined({ maxTokens: maxTokens === "" ? undefined : Number(maxTokens) }),
      callHttp: sentIn(visit, "eval.callHttp") === "yes",
      estimate: isEstimate,
    },
  });
}
