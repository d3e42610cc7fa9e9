/** Where the tenant's events are sent: subscriptions, how their receivers do, and what could not be delivered. */

import { listWebhookDeliveries, retryWebhookDelivery } from "../../application/webhooks/list-deliveries.js";
import { deleteWebhook, listWebhooks, putWebhook, readWebhook } from "../../application/webhooks/manage-webhooks.js";
import { testWebhook } from "../../application/webhooks/test-webhook.js";
import type { WebhookDelivery, WebhookView } from "../../catalogues/webhooks.js";
import { attempt } from "../../conversation/problem.js";
import {
  Badge,
  Button,
  Choice,
  Confirm,
  Facts,
  Field,
  Form,
  FormPanel,
  More,
  Secret,
  Table,
  Time,
  type Tone,
} from "../parts.js";
import { fieldValue, perform, query, type Screen, sentIn, type View, type Visit } from "../screen.js";
import { Text } from "../visible-text.js";

const path = "/console/webhooks";
const linesOf = (text: string): string[] => text.split(/[\s,]+/).filter((one) => one !== "");

async function showList(visit: Visit): Promise<View> {
  const { items, nextCursor } = await perform(visit, listWebhooks, { cursor: query(visit, "cursor") });
  const rows = items.map((webhook) => [
    <a href={`${path}/${encodeURIComponent(webhook.name)}`}>{webhook.name}</a>,
    <code>{webhook.url}</code>,
    health(webhook),
    <Time at={webhook.lastSuccessAt} />,
    webhook.events.join(", "),
  ]);
  return {
    title: "Webhooks",
    body: (
      <>
        <FormPanel summary="Add one" label="Add a webhook" open={visit.refused !== undefined}>
          <Field visit={visit} name="name" label="Name" required hint="Lower-case letters, digits, - and _." />
          <Fields visit={visit} />
          <Button does="put" kind="primary">
            Add it
          </Button>
        </FormPanel>
        <Table
          label="Webhooks"
          heads={["Name", "Address", "Health", "Last delivered", "Events"]}
          rows={rows}
          empty="None yet."
        />
        <More visit={visit} cursor={nextCursor} />
      </>
    ),
  };
}

function Fields({ visit, webhook }: { readonly visit: Visit; readonly webhook?: WebhookView }) {
  return (
    <>
      <Field visit={visit} name="url" label="Address" type="url" required stored={webhook?.url ?? ""} />
      <Field
        visit={visit}
        name="events"
        label="Events"
        lines={3}
        required
        stored={webhook?.events.join("\n") ?? ""}
        hint="One a line: turn.completed, ask.opened, …"
      />
      <Choice
        visit={visit}
        name="includeTexts"
        label="Texts"
        stored={webhook?.includeTexts ? "yes" : "no"}
        options={[
          ["no", "Ids alone"],
          ["yes", "Texts too"],
        ]}
      />
    </>
  );
}

function health({ status, lastFailure, lastFailureAt, lastSuccessAt }: WebhookView) {
  // Without a failure it was imported.
  const why = lastFailureAt === undefined ? "store it again with its secret" : "answered 410";
  if (status === "disabled") return <Badge tone="bad">switched off: {why}</Badge>;
  const fails = lastFailureAt !== undefined && (lastSuccessAt === undefined || lastFailureAt > lastSuccessAt);
  if (!fails) return <Badge tone="good">active</Badge>;
  return (
    <>
      <Badge tone="warn">failing</Badge> <Text inline text={lastFailure ?? ""} />
    </>
  );
}

async function put(visit: Visit, name: string) {
  // What the form doesn't show stays as it is.
  const known = await attempt(() => perform(visit, readWebhook, { name }));
  const webhook = {
    ...(known.ok ? { filter: known.value.filter } : {}),
    url: sentIn(visit, "url"),
    events: linesOf(sentIn(visit, "events")),
    includeTexts: sentIn(visit, "includeTexts") === "yes",
  };
  return (await perform(visit, putWebhook, { name, webhook })).webhook;
}

export const webhooks: Screen = {
  path: "/webhooks",
  nav: { label: "Webhooks", group: "Administration" },
  needs: listWebhooks,
  show: showList,
  posts: {
    put: async (visit) => {
      const made = await put(visit, sentIn(visit, "name"));
      if (typeof made.secret !== "string") return `${path}/${encodeURIComponent(made.name)}?done=saved`;
      const { sent: _, ...again } = visit;
      return showOne(
        { ...again, params: { name: made.name } },
        <Secret label="What signs its messages" text={made.secret} />,
      );
    },
  },
};

const tones: Readonly<Record<string, Tone>> = { parked: "bad", pending: "warn", delivered: "good" };

async function showOne(visit: Visit, above?: ReturnType<typeof Secret>): Promise<View> {
  const name = visit.params.name ?? "";
  const [webhook, { items, nextCursor }] = await Promise.all([
    perform(visit, readWebhook, { name }),
    perform(visit, listWebhookDeliveries, { name, status: query(visit, "status"), cursor: query(visit, "cursor") }),
  ]);
  return {
    title: webhook.name,
    body: (
      <>
        {above}
        <Facts
          facts={[
            ["Health", health(webhook)],
            ["Last delivered", <Time at={webhook.lastSuccessAt} />],
            ["Changed", <Time at={webhook.updatedAt} />],
          ]}
        />
        <Form label="The webhook" action={`${path}/${encodeURIComponent(webhook.name)}`}>
          <Fields visit={visit} webhook={webhook} />
          <div class="actions">
            <Button does="save" kind="primary">
              Save
            </Button>
            <Button does="test">Send a test</Button>
          </div>
          <Confirm label="Delete" does="delete">
            Nothing more is sent there, and what is known of its deliveries is gone.
          </Confirm>
        </Form>
        <h2>Deliveries</h2>
        <form method="get" class="row" aria-label="Filter deliveries">
          <Choice
            visit={visit}
            name="status"
            label="Which"
            stored={query(visit, "status")}
            options={[
              ["", "All"],
              ["parked", "Given up"],
              ["pending", "Waiting"],
              ["delivered", "Delivered"],
            ]}
          />
          <button type="submit">Show</button>
        </form>
        <Table
          label="Deliveries"
          heads={["When", "Event", "State", "Tries", "Why", ""]}
          rows={items.map((one) => deliveryRow(one))}
          empty="None."
        />
        <More visit={visit} cursor={nextCursor} />
      </>
    ),
  };
}

function deliveryRow({ deliveryId, createdAt, type, status, attempts, failure, sessionId, runId }: WebhookDelivery) {
  return [
    <Time at={createdAt} />,
    <>
      {type} <code>{sessionId ?? runId}</code>
    </>,
    <Badge tone={tones[status] ?? "plain"}>{status}</Badge>,
    String(attempts),
    failure === undefined ? undefined : <Text inline text={failure} />,
    status === "delivered" ? undefined : (
      <Form label={`Send ${deliveryId} again`}>
        <input type="hidden" name="deliveryId" value={deliveryId} />
        <Button does="retry">Send again</Button>
      </Form>
    ),
  ];
}

export const webhook: Screen = {
  path: "/webhooks/:name",
  needs: readWebhook,
  show: (visit) => showOne(visit),
  posts: {
    save: async (visit) => {
      const { name } = await put(visit, visit.params.name ?? "");
      return `${path}/${encodeURIComponent(name)}?done=saved`;
    },
    test: async (visit) => {
      const { delivered, failure } = await perform(visit, testWebhook, { name: visit.params.name });
      const notice = delivered ? "It took the test." : `It didn't take the test: ${failure ?? "no reason is known"}.`;
      return { ...(await showOne(visit)), notice };
    },
    delete: async (visit) => {
      await perform(visit, deleteWebhook, { name: visit.params.name });
      return `${path}?done=deleted`;
    },
    retry: async (visit) => {
      await perform(visit, retryWebhookDelivery, {
        name: visit.params.name,
        deliveryId: fieldValue(visit, "deliveryId"),
      });
      return `${visit.url.pathname}?done=sent`;
    },
  },
};
