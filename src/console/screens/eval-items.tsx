/** What candidates said of single items: what was wrong, and what each answered beside the others. */
import { listEvalItems } from "../../application/evidence/manage-evals.js";
import { defined } from "../../conversation/defined.js";
import type { Eval, ItemResult } from "../../evidence/evaluation.js";
import { Badge } from "../parts.js";
import { perform, type Visit } from "../screen.js";
import { Text } from "../visible-text.js";
import { Input, Wanted } from "./dataset-item.js";
import { actionTones, actionWords } from "./decision-words.js";

/** Wrong results that are shown, and pages of whole items that are looked through for them; items of which the answers are. */
const mostWrong = 20;
const mostPages = 10;
const mostAnswered = 10;

export async function itemsOf(visit: Visit, { evalId, candidates }: Eval) {
  const isAnswering = candidates.some(({ supervisors }) => supervisors.length === 0);
  return (
    <>
      {isAnswering ? <Answers {...(await answersOf(visit, evalId))} /> : undefined}
      <Wrong {...(await wrongOf(visit, evalId))} />
      <p class="hint">That you read this is on record.</p>
    </>
  );
}

async function answersOf(visit: Visit, evalId: string) {
  const { items } = await perform(visit, listEvalItems, { evalId, limit: 200 });
  return { items: [...Map.groupBy(items, ({ itemId }) => itemId).values()].slice(0, mostAnswered) };
}

function Answers({ items }: Awaited<ReturnType<typeof answersOf>>) {
  return (
    <>
      <h2>What each answered</h2>
      {items.map((results) => (
        <div class="quote">
          {results.slice(0, 1).map(({ input }) => (input === undefined ? undefined : <Input input={input} />))}
          {results.map(({ candidate, judged, result: { action, text, diverged, failed } }) => (
            <>
              <p>
                <bdi>{candidate}</bdi>{" "}
                {action === "allow" ? undefined : <Badge tone={actionTones[action]}>{actionWords[action]}</Badge>}
                {judged?.winner === undefined ? undefined : <Badge>{judgedWords[judged.winner]}</Badge>}
                {diverged === undefined ? undefined : (
                  <>
                    <Badge tone="warn">not on record</Badge> <Text inline text={diverged} />
                  </>
                )}
                {failed === undefined ? undefined : (
                  <>
                    <Badge tone="bad">failed</Badge> <Text inline text={failed} />
                  </>
                )}
              </p>
              {text === undefined ? undefined : <Text text={text} />}
            </>
          ))}
        </div>
      ))}
    </>
  );
}

const judgedWords = { candidate: "judged better", against: "judged worse", tie: "judged as good" } as const;

async function wrongOf(visit: Visit, evalId: string) {
  const found: ItemResult[] = [];
  let cursor: string | null | undefined;
  for (let page = 0; page < mostPages && found.length < mostWrong && cursor !== null; page++) {
    const read = await perform(visit, listEvalItems, { evalId, wrong: "true", limit: 200, ...defined({ cursor }) });
    found.push(...read.items);
    cursor = read.nextCursor;
  }
  return { items: found.slice(0, mostWrong), isAll: cursor === null && found.length <= mostWrong };
}

function Wrong({ items, isAll }: Awaited<ReturnType<typeof wrongOf>>) {
  return (
    <>
      <h2>{isAll ? "What was wrong" : `The first ${items.length} that were wrong`}</h2>
      {items.length === 0 ? <p class="empty">Nothing, of what it is known what should come of it.</p> : undefined}
      {items.map(({ candidate, input, expected, result: { action, text, matched = [] } }) => (
        <div class="quote">
          <p>
            <bdi>{candidate}</bdi> <Badge tone={actionTones[action]}>{actionWords[action]}</Badge>
            {" it, and it was "}
            <Wanted expected={expected} />
            {matched.length === 0 ? undefined : (
              <span class="dim">
                {" · "}
                <bdi>{matched.join(", ")}</bdi>
              </span>
            )}
          </p>
          {input === undefined ? undefined : <Input input={input} />}
          {text === undefined ? undefined : (
            <>
              <p class="dim">It became</p>
              <Text text={text} />
            </>
          )}
        </div>
      ))}
    </>
  );
}
