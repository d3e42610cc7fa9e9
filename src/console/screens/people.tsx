/** Who signs in to the console, and what they may. */
import { reportAsks } from "../../application/asks/report-asks.js";
import {
  changePerson,
  deletePerson,
  endPersonSessions,
  invitePerson,
  invitePersonAgain,
  listPeople,
} from "../../application/people/manage-people.js";
import type { Invitation, Person } from "../../tenancy/person.js";
import {
  Badge,
  Button,
  Choice,
  Confirm,
  Field,
  Form,
  FormPanel,
  More,
  Secret,
  Table,
  Time,
  type Tone,
} from "../parts.js";
import { perform, query, type Screen, sentIn, type View, type Visit } from "../screen.js";
import { Text } from "../visible-text.js";

const path = "/console/people";

const roles = [
  ["reviewer", "Reviewer: reads and decides"],
  ["operator", "Operator: also agents, rules, tools"],
  ["admin", "Admin: also keys, people, settings"],
] as const;

const tones: Readonly<Record<Person["status"], Tone>> = { invited: "warn", active: "good", suspended: "bad" };

type Decided = NonNullable<Awaited<ReturnType<typeof reportAsks>>["byPerson"]>[number];

function decidedWords(decided: Decided | undefined): string {
  if (decided === undefined) return "nothing";
  const { answered, edited, rejected, medianMs = 0 } = decided;
  const minutes = Math.round(medianMs / 60_000);
  const took = minutes < 1 ? "under a minute" : minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
  return `${answered.toLocaleString("en")}, ${edited} edited, ${rejected} rejected; half within ${took} of opening`;
}

async function show(visit: Visit, invitation?: Invitation): Promise<View> {
  const { items, nextCursor } = await perform(visit, listPeople, { cursor: query(visit, "cursor") });
  const { byPerson = [] } = await perform(visit, reportAsks, {});
  const rows = items.map((person) => [
    <Text inline text={person.name} />,
    <Text inline text={person.email} />,
    <>
      {person.role} <Badge tone={tones[person.status]}>{person.status}</Badge>
    </>,
    <Time at={person.lastSeenAt} />,
    decidedWords(byPerson.find(({ personId }) => personId === person.personId)),
    person.personId === visit.me.actor.id ? <span class="dim">you</span> : <Change person={person} />,
  ]);
  const invited = items.find(({ personId }) => personId === invitation?.personId);
  return {
    title: "People",
    body: (
      <>
        {invitation === undefined ? undefined : (
          <Secret label={`Link for ${invited?.name ?? "the person"}`} text={invitation.link}>
            Send it to them as you would a password: it signs whoever holds it in, once. It counts 72 hours and is shown
            this once.
          </Secret>
        )}
        <FormPanel summary="Invite somebody" open={visit.refused !== undefined && sentIn(visit, "do") === "invite"}>
          <Field visit={visit} name="name" label="Name" required />
          <Field
            visit={visit}
            name="email"
            label="Address"
            type="email"
            required
            hint="Nothing is sent there. It tells people apart."
          />
          <Choice visit={visit} name="role" label="Role" options={roles} />
          <Button does="invite" kind="primary">
            Make a link
          </Button>
        </FormPanel>
        <Table
          label="People"
          heads={["Name", "Address", "Role", "Last seen", "Decided in 7 days", ""]}
          rows={rows}
          empty="Nobody yet."
        />
        <More visit={visit} cursor={nextCursor} />
      </>
    ),
  };
}

function Change({ person }: { readonly person: Person }) {
  const isOut = person.status === "suspended";
  return (
    <details>
      <summary aria-label={`Change ${person.name}`}>Change</summary>
      <Form label={`Change ${person.name}`}>
        <input type="hidden" name="personId" value={person.personId} />
        <div class="field">
          <label for={`role-${person.personId}`}>Role</label>
          <select id={`role-${person.personId}`} name="newRole">
            {roles.map(([role, label]) => (
              <option value={role} selected={role === person.role}>
                {label}
              </option>
            ))}
          </select>
        </div>
        <div class="actions">
          <Button does="role">Save role</Button>
          {isOut ? undefined : <Button does="link">New link</Button>}
          <Button does="sessions">Sign out everywhere</Button>
          <Button does={isOut ? "resume" : "suspend"}>{isOut ? "Make active" : "Suspend"}</Button>
        </div>
        <Confirm label="Remove" does="remove">
          {`${person.name} is signed out, and their name and address are gone. What they did stays on record under ${person.personId}.`}
        </Confirm>
      </Form>
    </details>
  );
}

const who = (visit: Visit) => ({ personId: sentIn(visit, "personId") });

export const people: Screen = {
  path: "/people",
  nav: { label: "People", group: "Administration" },
  needs: listPeople,
  show: (visit) => show(visit),
  posts: {
    invite: async (visit) => {
      const person = { name: sentIn(visit, "name"), email: sentIn(visit, "email"), role: sentIn(visit, "role") };
      return shown(visit, await perform(visit, invitePerson, { person }));
    },
    link: async (visit) => shown(visit, await perform(visit, invitePersonAgain, who(visit))),
    role: async (visit) => {
      await perform(visit, changePerson, { ...who(visit), change: { role: sentIn(visit, "newRole") } });
      return `${path}?done=saved`;
    },
    suspend: async (visit) => {
      await perform(visit, changePerson, { ...who(visit), change: { status: "suspended" } });
      return `${path}?done=saved`;
    },
    resume: async (visit) => {
      await perform(visit, changePerson, { ...who(visit), change: { status: "active" } });
      return `${path}?done=saved`;
    },
    sessions: async (visit) => {
      await perform(visit, endPersonSessions, who(visit));
      return `${path}?done=ended`;
    },
    remove: async (visit) => {
      await perform(visit, deletePerson, who(visit));
      return `${path}?done=removed`;
    },
  },
};

/** The list with the link above it; what the form held is done. */
function shown({ sent: _, ...visit }: Visit, invitation: Invitation): Promise<View> {
  return show(visit, invitation);
}
