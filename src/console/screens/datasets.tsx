/** Datasets: texts with what should come of them, imported or drawn from what happened here, and labelled a key away. */
import { drawItems } from "../../application/evidence/draw-items.js";
import { deleteDataset, listDatasets, putDataset, readDataset } from "../../application/evidence/manage-datasets.js";
import { addItems, eraseItem, labelItem, listItems } from "../../application/evidence/manage-items.js";
import { defined } from "../../conversation/defined.js";
import type { Item } from "../../evidence/item.js";
import { actions } from "../../supervision/verdict.js";
import { authorize } from "../../tenancy/authority.js";
import { Button, Choice, Confirm, Field, Form, FormPanel, More, Table, Time } from "../parts.js";
import { perform, query, type Screen, searchWith, sentIn, type View, type Visit } from "../screen.js";
import { Text } from "../visible-text.js";
import { lastText, One, Wanted } from "./dataset-item.js";
import { hookWords } from "./decision-words.js";
import { Faults } from "./trial-results.js";

const path = "/console/datasets";
/** Stands in an address for the first item of a page. */
const firstItem = "first";
/** Lines that couldn't be read and are named. */
const namedLines = 100;

export const datasets: Screen = {
  path: "/datasets",
  nav: { label: "Datasets", group: "Evidence" },
  needs: listDatasets,
  show: async (visit) => {
    const { items, nextCursor } = await perform(visit, listDatasets, { cursor: query(visit, "cursor") });
    const rows = items.map(({ name, description = "", items: count, labelled, updatedAt }) => [
      <a href={`${path}/${name}`}>
        <bdi>{name}</bdi>
      </a>,
      <span class="cut">
        <Text inline text={description} />
      </span>,
      count.toLocaleString("en"),
      labelled.toLocaleString("en"),
      <Time at={updatedAt} />,
    ]);
    return {
      title: "Datasets",
      body: (
        <>
          {authorize(visit.actor, putDataset).ok ? (
            <FormPanel summary="Make one" label="Make a dataset" open={visit.refused !== undefined}>
              <Field visit={visit} name="name" label="Name" required hint="Letters, digits, - and _." />
              <Field visit={visit} name="dataset.description" label="What is in it" />
              <Button does="make" kind="primary">
                Make it
              </Button>
            </FormPanel>
          ) : undefined}
          <Table
            label="Datasets"
            heads={["Name", "What is in it", "Items", "Labelled", "Changed"]}
            rows={rows}
            empty="None yet. A dataset is texts with what should come of them: supervisors are held against it."
          />
          <More visit={visit} cursor={nextCursor} />
        </>
      ),
    };
  },
  posts: {
    make: async (visit) => {
      const name = sentIn(visit, "name");
      const description = sentIn(visit, "dataset.description") || undefined;
      await perform(visit, putDataset, { name, dataset: defined({ description }) });
      return `${path}/${name}?done=saved`;
    },
  },
};

/** What an import or a draw came to. */
interface Came {
  readonly notice: string;
  readonly invalid?: readonly { readonly line: number; readonly detail: string }[];
}

async function show(visit: Visit, came?: Came): Promise<View> {
  const { name = "" } = visit.params;
  const { description, items: count, labelled, version } = await perform(visit, readDataset, { name });
  const mayRead = authorize(visit.actor, listItems).ok;
  const page = mayRead ? await perform(visit, listItems, { name, cursor: query(visit, "cursor") }) : undefined;
  const wanted = query(visit, "item");
  const at = wanted === firstItem ? 0 : (page?.items.findIndex(({ itemId }) => itemId === wanted) ?? -1);
  const open = page?.items[at];
  return {
    title: name,
    wide: true,
    notice: came?.notice,
    body: (
      <>
        <p>
          <a href={path}>Datasets</a>
          {` · ${count.toLocaleString("en")} items, ${labelled.toLocaleString("en")} labelled, version ${version} · `}
          <a href={`/console/evals?dataset=${name}`}>Evals</a>
        </p>
        {description === undefined ? undefined : <Text text={description} />}
        <Faults visit={visit} />
        <Unread lines={came?.invalid ?? []} />
        {page === undefined ? (
          <p class="empty">Its texts are for operators.</p>
        ) : (
          <div class={open === undefined ? "beside" : "beside open"}>
            <section aria-label="List" class="list">
              <Changes visit={visit} />
              <List visit={visit} items={page.items} open={open?.itemId} />
              <More visit={visit} cursor={page.nextCursor} />
            </section>
            <section aria-label="Item" class="one">
              {open === undefined ? (
                <p class="empty">Open one to read it and say what should come of it.</p>
              ) : (
                <One visit={visit} item={open} next={nextOf(visit, page, at)} />
              )}
            </section>
          </div>
        )}
      </>
    ),
  };
}

/** Where the item behind an open one is: on the next page, behind the last of this one. */
function nextOf(
  visit: Visit,
  page: { readonly items: readonly Item[]; readonly nextCursor: string | null },
  at: number,
) {
  const next = page.items[at + 1];
  if (next !== undefined) return searchWith(visit, { item: next.itemId });
  return page.nextCursor === null ? undefined : searchWith(visit, { cursor: page.nextCursor, item: firstItem });
}

function Unread({ lines }: { readonly lines: NonNullable<Came["invalid"]> }) {
  if (lines.length === 0) return undefined;
  return (
    <>
      <h2>{`${lines.length} lines could not be read`}</h2>
      <ul class="lines">
        {lines.slice(0, namedLines).map(({ line, detail }) => (
          <li>
            {`Line ${line}: `}
            <Text inline text={detail} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Changes({ visit }: { readonly visit: Visit }) {
  return (
    <>
      <FormPanel summary="Add lines">
        <Field
          visit={visit}
          name="lines"
          label="Items, one a line"
          lines={6}
          required
          hint={
            'As JSON: {"input": "Where is my parcel?", "expected": {"action": "allow"}}. The same again adds nothing.'
          }
        />
        <Button does="add" kind="primary">
          Add them
        </Button>
      </FormPanel>
      <FormPanel summary="Draw from what happened" label="Draw items">
        <Choice
          visit={visit}
          name="draw.labels"
          label="Which"
          options={[
            ["reviews", "What reviewers decided: it says what was right"],
            ["labels", "What was labelled: it says what was right"],
            ["none", "Messages that passed, at random: to be labelled"],
          ]}
        />
        <Field visit={visit} name="draw.filter.supervisor" label="Of this supervisor" hint="It may stay empty." />
        <Field visit={visit} name="draw.sample" label="At most so many" stored="200" />
        <Button does="draw" kind="primary">
          Draw them
        </Button>
      </FormPanel>
      <Form label="Delete the dataset">
        <Confirm label="Delete it" does="delete">
          Its items, evals and results are gone.
        </Confirm>
      </Form>
    </>
  );
}

function List({
  visit,
  items,
  open,
}: {
  readonly visit: Visit;
  readonly items: readonly Item[];
  readonly open: string | undefined;
}) {
  if (items.length === 0) return <p class="empty">Nothing is in it here.</p>;
  return (
    <ul class="rows">
      {items.map(({ itemId, hook, input, expected, source }) => (
        <li>
          <a href={searchWith(visit, { item: itemId })} aria-current={itemId === open ? "page" : undefined}>
            <span class="head">
              <Wanted expected={expected} />
              <span class="dim">{source}</span>
            </span>
            <span class="what cut">
              <bdi>{lastText(input).slice(0, 200)}</bdi>
            </span>
            <span class="dim">{hookWords[hook]}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** What was expected beside the action stays; a text only where it is one of a change. */
async function label(visit: Visit): Promise<string> {
  const { name = "" } = visit.params;
  const [itemId, action] = [sentIn(visit, "itemId"), sentIn(visit, "do")];
  const { items } = await perform(visit, listItems, { name, cursor: query(visit, "cursor") });
  const { text, ...others } = items.find((item) => item.itemId === itemId)?.expected ?? {};
  const expected = { ...others, ...defined({ text: action === "modify" ? text : undefined }), action };
  await perform(visit, labelItem, { name, itemId, label: { expected } });
  return `${path}/${name}${withDone(sentIn(visit, "next"), "saved")}`;
}

/** @param search as this page has made it: of a form nothing but its search is followed */
function withDone(search: string, done: string): string {
  const next = new URLSearchParams(search.startsWith("?") ? search.slice(1) : "");
  next.set("done", done);
  return `?${next}`;
}

export const dataset: Screen = {
  path: "/datasets/:name",
  needs: readDataset,
  show: (visit) => show(visit),
  posts: {
    ...Object.fromEntries(actions.map((action) => [action, label])),
    erase: async (visit) => {
      const { name = "" } = visit.params;
      await perform(visit, eraseItem, { name, itemId: sentIn(visit, "itemId") });
      return `${path}/${name}${withDone(sentIn(visit, "next"), "deleted")}`;
    },
    add: async (visit) => {
      const { name } = visit.params;
      const { added, same, invalid } = await perform(visit, addItems, { name, lines: sentIn(visit, "lines") });
      const { sent: _, ...again } = visit;
      return show(again, { notice: `Added ${added}; ${same} were there already.`, invalid });
    },
    draw: async (visit) => {
      const { name } = visit.params;
      const filter = defined({ supervisor: sentIn(visit, "draw.filter.supervisor") || undefined });
      const sample = Number(sentIn(visit, "draw.sample"));
      const draw = { labels: sentIn(visit, "draw.labels"), filter, sample };
      const { added, same, found } = await perform(visit, drawItems, { name, draw });
      const { sent: _, ...again } = visit;
      return show(again, { notice: `Found ${found}; added ${added}, and ${same} were there already.` });
    },
    delete: async (visit) => {
      await perform(visit, deleteDataset, { name: visit.params.name });
      return `${path}?done=deleted`;
    },
  },
};
