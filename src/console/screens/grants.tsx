/** Programs that people have let in, and their access taken back. */
import { listGrants, revokeGrant } from "../../application/grants/manage-grants.js";
import type { Grant } from "../../tenancy/grant.js";
import { Confirm, Form, More, Table, Time } from "../parts.js";
import { perform, query, type Screen, sentIn } from "../screen.js";
import { Text } from "../visible-text.js";

/** @param names of whom they act for, where others than the reader's are shown */
export function GrantTable({
  grants,
  names,
}: {
  readonly grants: readonly Grant[];
  readonly names?: ReadonlyMap<string, string>;
}) {
  const rows = grants.map(({ grantId, personId, client, clientHost, reach, agents, createdAt, lastUsedAt }) => [
    <>
      <Text inline text={client} /> <span class="dim">{clientHost}</span>
    </>,
    ...(names === undefined ? [] : [<Text inline text={names.get(personId) ?? personId} />]),
    reach === "role"
      ? "what their role may"
      : agents === undefined
        ? "own chats"
        : `own chats with ${agents.join(", ")}`,
    <Time at={createdAt} />,
    <Time at={lastUsedAt} />,
    <Form label={`Take ${client}'s access back`}>
      <input type="hidden" name="grantId" value={grantId} />
      <Confirm label="Take back" does="revoke">
        Its tokens count no more. If it is still wanted, it asks again.
      </Confirm>
    </Form>,
  ]);
  const heads = ["Program", ...(names === undefined ? [] : ["Acts for"]), "Reaches", "Let in", "Last used", ""];
  return (
    <Table
      label="Programs"
      heads={heads}
      rows={rows}
      empty="None. A program asks at /mcp, and whoever is signed in lets it in."
    />
  );
}

export const grants: Screen = {
  path: "/grants",
  nav: { label: "Programs", group: "Administration" },
  needs: listGrants,
  show: async (visit) => {
    const { items, nextCursor } = await perform(visit, listGrants, { cursor: query(visit, "cursor") });
    const names = await visit.names();
    return {
      title: "Programs",
      body: (
        <>
          <p class="hint">Hosts of MCP that people have let in. What each does is on record with its person.</p>
          <GrantTable grants={items} names={names} />
          <More visit={visit} cursor={nextCursor} />
        </>
      ),
    };
  },
  posts: {
    revoke: async (visit) => {
      await perform(visit, revokeGrant, { grantId: sentIn(visit, "grantId") });
      return "/console/grants?done=revoked";
    },
  },
};
