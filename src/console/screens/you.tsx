/** Who is signed in: their passkeys, and whether single keys do something. */
import { listOwnGrants, revokeOwnGrant } from "../../application/grants/manage-grants.js";
import { newChallenge } from "../../application/people/challenges.js";
import { addOwnPasskey, deleteOwnPasskey, listOwnPasskeys } from "../../application/people/own-sign-in.js";
import { Badge, Button, Facts, Form, Table, Time } from "../parts.js";
import { perform, type Screen, sentIn } from "../screen.js";
import { NewPasskeyForm } from "../sign-in.js";
import { Text } from "../visible-text.js";
import { GrantTable } from "./grants.js";

export const you: Screen = {
  path: "/you",
  needs: listOwnPasskeys,
  show: async (visit) => {
    const { me, services, actor } = visit;
    const { items } = await perform(visit, listOwnPasskeys, {});
    const { items: grants } = await perform(visit, listOwnGrants, {});
    const challenge = await newChallenge(`add ${actor.id}`, services);
    const rows = items.map(({ credentialId, label, createdAt, lastUsedAt }) => [
      <Text inline text={label} />,
      <Time at={createdAt} />,
      <Time at={lastUsedAt} />,
      <Form label={`Remove ${label}`}>
        <input type="hidden" name="credentialId" value={credentialId} />
        <Button does="remove">Remove</Button>
      </Form>,
    ]);
    return {
      title: "You",
      body: (
        <>
          <Facts
            facts={[
              ["Name", <Text inline text={me.name} />],
              ["Address", <Text inline text={me.email} />],
              ["Role", <Badge>{me.role}</Badge>],
              ["Tenant", <Text inline text={me.tenantName} />],
            ]}
          />
          <h2>Passkeys</h2>
          <Table
            label="Passkeys"
            heads={["Name", "Added", "Last used", ""]}
            rows={rows}
            empty="None yet. A passkey is a key on your device that signs you in."
          />
          <NewPasskeyForm challenge={challenge} who={{ id: actor.id, email: me.email, name: me.name }} />
          <h2>Programs let in</h2>
          <GrantTable grants={grants} />
          <h2>Keys and notifications</h2>
          <p>
            <label>
              <input id="keys-on" type="checkbox" checked />
              Single keys press buttons that show one
            </label>
          </p>
          <p>
            <label>
              <input id="tell-on" type="checkbox" />
              Tell me when something waits
            </label>
          </p>
          <p class="hint">
            While the inbox is open behind another window, your browser says that something waits, and not what.
          </p>
          <p class="hint">
            Both are kept in this browser. Keys never do anything while you write, or while you hold one.
          </p>
        </>
      ),
    };
  },
  posts: {
    add: async (visit) => {
      const names = [
        "label",
        "challenge",
        "credentialId",
        "publicKey",
        "algorithm",
        "clientDataJSON",
        "authenticatorData",
      ];
      const { origin, hostname } = visit.url;
      const passkey = Object.fromEntries(names.map((name) => [name, sentIn(visit, name)]));
      await perform(visit, addOwnPasskey, { passkey, at: { origin, host: hostname } });
      return "/console/you?done=added";
    },
    remove: async (visit) => {
      await perform(visit, deleteOwnPasskey, { credentialId: sentIn(visit, "credentialId") });
      return "/console/you?done=removed";
    },
    revoke: async (visit) => {
      await perform(visit, revokeOwnGrant, { grantId: sentIn(visit, "grantId") });
      return "/console/you?done=revoked";
    },
  },
};
