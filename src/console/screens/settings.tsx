/** The tenant's settings: the simple ones as a form, the others as they are. */
import { changeSettings, readSettings } from "../../application/tenants/own-settings.js";
import { audiences } from "../../asks/policy.js";
import type { AskQueue } from "../../asks/queues.js";
import { ordersInDataActions } from "../../supervision/orders-in-data.js";
import { Button, Choice, Facts, Field, Form } from "../parts.js";
import { perform, type Screen, sentIn, type Visit } from "../screen.js";
import { Text } from "../visible-text.js";

const linesOf = (text: string): string[] => text.split(/[\s,]+/).filter((one) => one !== "");
const same = (names: readonly string[]) => names.map((name) => [name, name] as const);
const hourMs = 3_600_000;

export const settings: Screen = {
  path: "/settings",
  nav: { label: "Settings", group: "Administration" },
  needs: readSettings,
  show: async (visit) => {
    const tenant = await perform(visit, readSettings, {});
    const {
      strict,
      supervisors,
      ordersInData,
      reviews,
      approvals,
      corsOrigins,
      providers,
      embeddings,
      clientMay,
      queues = [],
      jurisdiction,
    } = tenant.settings;
    return {
      title: "Settings",
      body: (
        <>
          <Form label="Settings">
            <Field visit={visit} name="name" label="Name of the tenant" required stored={tenant.name} />
            <h2>Supervision</h2>
            <Field
              visit={visit}
              name="supervisors"
              label="Supervisors of everything"
              lines={3}
              stored={supervisors.join("\n")}
              hint="One name a line."
            />
            <Choice
              visit={visit}
              name="strict"
              label="When a supervisor fails"
              stored={strict ? "yes" : "no"}
              options={[
                ["no", "As each supervisor says"],
                ["yes", "Block, whatever it says (strict)"],
              ]}
            />
            <Choice
              visit={visit}
              name="ordersInData"
              label="Texts of tools and references that give orders"
              stored={ordersInData}
              options={same(ordersInDataActions)}
            />
            <h2>Asks</h2>
            <Policy visit={visit} name="reviews" label="Reviews" stored={reviews} />
            <Policy visit={visit} name="approvals" label="Approvals" stored={approvals} />
            <Field
              visit={visit}
              name="queues"
              label="Queues of the inbox"
              lines={3}
              stored={queues.map(queueLine).join("\n")}
              hint="One a line, with what is in it: Refunds: kind=approval&tool=shop/refund. By kind, audience, priority, agent, supervisor, tool, subject."
            />
            <h2>Browsers</h2>
            <Field
              visit={visit}
              name="corsOrigins"
              label="Pages that may call"
              lines={3}
              stored={corsOrigins.join("\n")}
              hint="One origin a line: https://app.example"
            />
            <Button does="save" kind="primary">
              Save
            </Button>
          </Form>
          <h2>Set over the API</h2>
          <Facts
            facts={[
              [
                "Providers",
                <Text
                  inline
                  text={
                    Object.entries(providers)
                      .map(([name, { baseUrl }]) => `${name}: ${baseUrl}`)
                      .join(", ") || "none of its own"
                  }
                />,
              ],
              ["Embeddings", embeddings === undefined ? "none" : `${embeddings.provider}/${embeddings.model}`],
              ["Clients may also", clientMay.join(", ") || "nothing"],
              ["Jurisdiction", jurisdiction ?? "none"],
              ["Id", <code>{tenant.tenantId}</code>],
            ]}
          />
        </>
      ),
    };
  },
  posts: {
    save: async (visit) => {
      const lines = (name: string) => linesOf(sentIn(visit, name));
      const stored = (await perform(visit, readSettings, {})).settings;
      const settings = {
        strict: sentIn(visit, "strict") === "yes",
        supervisors: lines("supervisors"),
        ordersInData: sentIn(visit, "ordersInData"),
        reviews: { ...stored.reviews, ...policyOf(visit, "reviews") },
        approvals: { ...stored.approvals, ...policyOf(visit, "approvals") },
        queues: queuesIn(sentIn(visit, "queues")),
        corsOrigins: lines("corsOrigins"),
      };
      await perform(visit, changeSettings, { change: { name: sentIn(visit, "name"), settings } });
      return "/console/settings?done=saved";
    },
  },
};

/** A queue as a line: its name, and its filters as an address has them. */
function queueLine({ name, ...filters }: AskQueue): string {
  const search = new URLSearchParams();
  for (const [field, value] of Object.entries(filters)) if (value !== undefined) search.set(field, value);
  return `${name}: ${search}`;
}

function queuesIn(text: string) {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const queues = lines.map((line) => {
    const at = line.indexOf(":");
    const [name, filters] = at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1)];
    return { ...Object.fromEntries(new URLSearchParams(filters.trim())), name: name.trim() };
  });
  return queues.length === 0 ? null : queues;
}

function Policy({
  visit,
  name,
  label,
  stored,
}: {
  readonly visit: Visit;
  readonly name: string;
  readonly label: string;
  readonly stored: { readonly audience: string; readonly timeoutMs: number };
}) {
  return (
    <div class="row">
      <Choice
        visit={visit}
        name={`${name}Audience`}
        label={`${label} are decided by`}
        stored={stored.audience}
        options={same(audiences)}
      />
      <Field
        visit={visit}
        name={`${name}Hours`}
        label="Wait, in hours"
        stored={String(stored.timeoutMs / hourMs)}
        hint="0: for ever"
      />
    </div>
  );
}

function policyOf(visit: Visit, name: string) {
  const hours = sentIn(visit, `${name}Hours`);
  return {
    audience: sentIn(visit, `${name}Audience`),
    // An empty field is no number: 0 is for ever.
    timeoutMs: hours === "" ? Number.NaN : Math.round(Number(hours) * hourMs),
  };
}
