/** A program asks to be let in at `/mcp`: who it is, where its answer goes, and what it may reach. Whoever is signed in decides. */
import { grantAccess, readAccessRequest, refuseAccess } from "../../application/grants/manage-grants.js";
import { attempt, type Problem, problemCodes } from "../../conversation/problem.js";
import { Button, Facts, Form } from "../parts.js";
import { perform, type Screen, sentIn, type View, type Visit } from "../screen.js";
import { Text } from "../visible-text.js";

const search = ({ url }: Visit) => ({ search: url.search });

/** Nobody is sent anywhere: what the program asks for is said, so that its maker can mend it. */
function refusal({ code, detail }: Problem): View {
  return {
    title: "This program can't be let in",
    status: problemCodes[code],
    body: (
      <>
        <p>
          <Text inline text={detail} />
        </p>
        <p>Nothing was let in. Begin again in the program; if that doesn't help, show this to who makes it.</p>
      </>
    ),
  };
}

async function show(visit: Visit): Promise<View | string> {
  const read = await attempt(() => perform(visit, readAccessRequest, search(visit)));
  if (!read.ok) return refusal(read.problem);
  const asked = read.value;
  if ("to" in asked) return asked.to;
  const { client, clientOf, host, reach, agents } = asked;
  const { me } = visit;
  const chosen = new Set(visit.sent?.getAll("agent") ?? []);
  const reached = visit.sent === undefined ? reach : sentIn(visit, "reach");
  const option = (value: string, label: string, hint: string) => (
    <>
      <label>
        <input type="radio" name="reach" value={value} checked={reached === value} />
        {label}
      </label>
      <p class="hint">{hint}</p>
    </>
  );
  return {
    title: "Let a program in?",
    formsTo: asked.redirectUri,
    body: (
      <>
        <p>A program asks to act for you here. Let it in only if you have just begun this in that program.</p>
        <Facts
          facts={[
            ["It calls itself", <Text inline text={client} />],
            ...(clientOf === undefined ? [] : ([["It says so at", <Text inline text={clientOf} />]] as const)),
            ["The answer goes to", <Text inline text={host} />],
            ["You are", <Text inline text={`${me.name}, ${me.email}`} />],
            ["Tenant", <Text inline text={me.tenantName} />],
          ]}
        />
        <Form label="Let a program in" plain>
          <fieldset>
            <legend>What it may reach</legend>
            {option(
              "own",
              "Chats of its own for you",
              "As a customer of the agents: it sees nothing but what it begins.",
            )}
            {option(
              "role",
              `Everything that you may as ${me.role}`,
              "Through MCP's tools: others' chats and what staff is asked, too.",
            )}
          </fieldset>
          {agents.length === 0 ? undefined : (
            <details class="panel" open={chosen.size > 0}>
              <summary>Only some agents</summary>
              <fieldset>
                <legend>For chats of its own. None chosen: all.</legend>
                {agents.map(({ name }) => (
                  <p>
                    <label>
                      <input type="checkbox" name="agent" value={name} checked={chosen.has(name)} />
                      <bdi>{name}</bdi>
                    </label>
                  </p>
                ))}
              </fieldset>
            </details>
          )}
          <p class="hint">
            It stays in as long as it is used every 30 days. You take its access back on your own page.
          </p>
          <div class="actions">
            <Button does="grant" kind="primary">
              Let it in
            </Button>
            <Button does="refuse">Refuse</Button>
          </div>
        </Form>
      </>
    ),
  };
}

export const authorize: Screen = {
  path: "/authorize",
  needs: grantAccess,
  show,
  posts: {
    grant: async (visit) => {
      const agents = visit.sent?.getAll("agent") ?? [];
      const chosen = agents.length === 0 ? {} : { agents };
      const { to } = await perform(visit, grantAccess, { ...search(visit), reach: sentIn(visit, "reach"), ...chosen });
      return to;
    },
    refuse: async (visit) => (await perform(visit, refuseAccess, search(visit))).to,
  },
};
