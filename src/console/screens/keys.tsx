/** The keys by which programs call: made, shown once, deleted. */
import { createOwnKey, deleteOwnKey, listOwnKeys } from "../../application/tenants/own-keys.js";
import { Badge, Button, Choice, Confirm, Field, Form, FormPanel, More, Secret, Table, Time } from "../parts.js";
import { perform, query, type Screen, sentIn, type View, type Visit } from "../screen.js";
import { Text } from "../visible-text.js";

const roles = [
  ["client", "Client: an application's backend"],
  ["operator", "Operator: staff's own programs"],
  ["admin", "Admin: everything"],
] as const;

async function show(visit: Visit, key?: string): Promise<View> {
  const { items, nextCursor } = await perform(visit, listOwnKeys, { cursor: query(visit, "cursor") });
  const rows = items.map(({ keyId, role, label, createdAt, lastUsedAt, expiresAt }) => [
    <Text inline text={label ?? "without a name"} />,
    <Badge>{role}</Badge>,
    <code>{keyId}</code>,
    <Time at={createdAt} />,
    <Time at={lastUsedAt} />,
    expiresAt === undefined ? <span class="dim">deleted</span> : <Time at={expiresAt} />,
    <Form label={`Delete ${label ?? keyId}`}>
      <input type="hidden" name="keyId" value={keyId} />
      <Confirm label="Delete" does="delete">
        Whoever calls with it is refused from then on, and so are the tokens that it minted.
      </Confirm>
    </Form>,
  ]);
  return {
    title: "Keys",
    body: (
      <>
        {key === undefined ? undefined : <Secret label="The new key" text={key} />}
        <FormPanel summary="Make a key" open={visit.refused !== undefined && sentIn(visit, "do") === "create"}>
          <Field
            visit={visit}
            name="label"
            label="Name"
            hint="What calls with it: the web shop, the nightly job."
            required
          />
          <Choice visit={visit} name="role" label="Role" options={roles} />
          <Field visit={visit} name="expiresAt" label="Valid until" type="date" hint="Empty: until it is deleted." />
          <Button does="create" kind="primary">
            Make it
          </Button>
        </FormPanel>
        <Table
          label="Keys"
          heads={["Name", "Role", "Id", "Made", "Last used", "Valid until", ""]}
          rows={rows}
          empty="There is none."
        />
        <More visit={visit} cursor={nextCursor} />
      </>
    ),
  };
}

export const keys: Screen = {
  path: "/keys",
  nav: { label: "Keys", group: "Administration" },
  needs: listOwnKeys,
  show: (visit) => show(visit),
  posts: {
    create: async (visit) => {
      const day = sentIn(visit, "expiresAt");
      const expiresAt = day === "" ? {} : { expiresAt: `${day}T23:59:59.000Z` };
      const sent = { label: sentIn(visit, "label"), role: sentIn(visit, "role"), ...expiresAt };
      const { key } = await perform(visit, createOwnKey, { key: sent });
      const { sent: _, ...again } = visit;
      return show(again, key);
    },
    delete: async (visit) => {
      await perform(visit, deleteOwnKey, { keyId: sentIn(visit, "keyId") });
      return "/console/keys?done=deleted";
    },
  },
};
