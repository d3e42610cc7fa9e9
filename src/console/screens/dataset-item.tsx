/** An item of a dataset: what stands in it, what should come of it, and the keys that say so. */
import type { Item } from "../../evidence/item.js";
import { actions } from "../../supervision/verdict.js";
import { Badge, Button, Confirm, Facts, Form } from "../parts.js";
import { searchWith, type Visit } from "../screen.js";
import { Text } from "../visible-text.js";
import { actionTones, hookWords } from "./decision-words.js";

export function Wanted({ expected }: Pick<Item, "expected">) {
  if (expected === undefined) return <Badge>no label</Badge>;
  const { action } = expected;
  return action === undefined ? <Badge>label</Badge> : <Badge tone={actionTones[action]}>{wantedWords[action]}</Badge>;
}

const wantedWords = {
  allow: "to pass",
  modify: "to be changed",
  review: "to be held",
  block: "to be blocked",
} as const;
const keys = { allow: "a", modify: "c", review: "h", block: "b" } as const;
const buttonWords = { allow: "Let it pass", modify: "Change it", review: "Hold it", block: "Block it" } as const;

/** What is judged of an input; of a reference to a turn there is no text here. */
export function lastText(input: Item["input"]): string {
  if (typeof input === "string") return input;
  return "messages" in input ? (input.messages.at(-1)?.content ?? "") : `a turn of ${input.sessionId}`;
}

export function Input({ input }: Pick<Item, "input">) {
  if (typeof input === "string") return <Text text={input} />;
  if ("sessionId" in input)
    return (
      <p>
        It is read where it was said, when it is run:{" "}
        <a href={`/console/conversations/${input.sessionId}`}>the conversation</a>.
      </p>
    );
  return (
    <>
      {input.messages.map(({ role, content }) => (
        <>
          <p class="dim">{role === "user" ? "Customer" : "Agent"}</p>
          <Text text={content} />
        </>
      ))}
    </>
  );
}

export function One({
  visit,
  item,
  next,
}: {
  readonly visit: Visit;
  readonly item: Item;
  readonly next: string | undefined;
}) {
  const { itemId, hook, input, expected, group, weight, source, labelledBy } = item;
  return (
    <>
      <p class="actions narrow">
        <a class="button" href={searchWith(visit, { item: "" })}>
          Back to the list
        </a>
      </p>
      <h2>{`A ${hookWords[hook]}`}</h2>
      <div class="quote">
        <Input input={input} />
      </div>
      <Form label="Label" action={searchWith(visit)}>
        <input type="hidden" name="itemId" value={itemId} />
        <input type="hidden" name="next" value={next ?? searchWith(visit)} />
        <h3>What should come of it?</h3>
        <div class="actions">
          {actions.map((action) => (
            <Button does={action} shortcut={keys[action]} kind={expected?.action === action ? "primary" : undefined}>
              {buttonWords[action]}
            </Button>
          ))}
          {next === undefined ? undefined : (
            <a class="button" href={next} data-key="n">
              Next <kbd>n</kbd>
            </a>
          )}
        </div>
        <Confirm label="Erase it" does="erase">
          It is gone from every version, with what was said of it.
        </Confirm>
      </Form>
      <Facts
        facts={[
          ["Label", <Wanted expected={expected} />],
          ...(expected?.text === undefined ? [] : ([["As this text", <Text text={expected.text} />]] as const)),
          ...(expected?.contains === undefined
            ? []
            : ([["With", <Text inline text={expected.contains.join(" · ")} />]] as const)),
          ...(expected?.absent === undefined
            ? []
            : ([["Without", <Text inline text={expected.absent.join(" · ")} />]] as const)),
          ["By", labelledBy === undefined ? "" : <code>{labelledBy}</code>],
          ["From", source],
          ["Group", group === undefined ? "" : <bdi>{group}</bdi>],
          ["Stands for", weight === undefined ? "itself" : `${Math.round(weight * 10) / 10} texts`],
        ]}
      />
    </>
  );
}
