/** The people of a tenant, as its admin looks after them. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { defined } from "../../conversation/defined.js";
import { type ProblemError, problem } from "../../conversation/problem.js";
import type { PersonRecord } from "../../stores/people-store.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import type { Actor } from "../../tenancy/actor.js";
import {
  invitationSchema,
  newPersonSchema,
  type Person,
  personChangeSchema,
  personSchema,
} from "../../tenancy/person.js";
import { act } from "../act.js";
import { doOnce } from "../creation.js";
import { listOf, pageInput, readPage } from "../page.js";
import type { Services } from "../services.js";
import { inviteOnce } from "./invitations.js";

const peopleTag = "People";
const personInput = () => ({ personId: z.string().max(100) });

export const listPeople = act("listPeople", {
  role: "admin",
  route: {
    method: "get",
    path: "/v1/people",
    tag: peopleTag,
    summary: "The people who sign in to the console (admins)",
    description: "Names, addresses, roles, and when they were last there.",
    answer: "A page of people",
  },
  input: () => z.object(pageInput()),
  output: () => listOf(personSchema),
  run: async (actor, page, services) => {
    const people = await services.people();
    return readPage(
      page,
      async (after = "", limit) => (await people.list(actor.tenantId, after, limit)).map(personView),
      ({ personId }) => personId,
    );
  },
});

export const invitePerson = act("invitePerson", {
  role: "admin",
  route: {
    method: "post",
    path: "/v1/people",
    tag: peopleTag,
    summary: "Invite somebody to the console: the link is shown this once (admins)",
    description:
      "The link counts 72 hours and signs its holder in once; send it to them as you would send a password. An admin does all that a key of role admin does, an operator what one of role operator does; a reviewer reads and decides what staff is asked.",
    body: "person",
    answer: "Who was invited, and the link",
    status: 201,
  },
  input: () => z.object({ person: newPersonSchema }),
  output: () => invitationSchema,
  run: (actor, { person }, services) =>
    inviteOnce(actor, actor.tenantId, services, async (link, claim) => {
      const added = await (await services.people()).add(actor.tenantId, person, link, claim);
      if (added !== undefined) return added;
      const taken =
        "Somebody with this address is there already: GET /v1/people lists them, POST /v1/people/{personId}/invitations makes a new link.";
      throw problem("conflict", taken, { errors: [{ path: "email", message: "somebody has this address" }] });
    }),
});

export const invitePersonAgain = act("invitePersonAgain", {
  role: "admin",
  route: {
    method: "post",
    path: "/v1/people/{personId}/invitations",
    tag: peopleTag,
    summary: "Another link for somebody; those before it count no more (admins)",
    description:
      "For whoever lost theirs, or has no passkey where they are. Who is suspended gets none: that is a 409.",
    answer: "The link, shown this once",
    status: 201,
  },
  input: () => z.object(personInput()),
  output: () => invitationSchema,
  run: (actor, { personId }, services) => linkFor(actor, actor.tenantId, personId, services),
});

/** A new link for somebody who is there. */
export function linkFor(actor: Actor, tenantId: string, personId: string, services: Services) {
  return inviteOnce(actor, tenantId, services, async (link, claim) => {
    const { status } = await findPerson(tenantId, personId, services);
    if (status === "suspended")
      throw problem("conflict", "This person is suspended. Make them active first, then invite them.");
    const expiresAt = await (await services.people()).inviteAgain(tenantId, personId, link, claim);
    if (expiresAt === undefined) throw noPerson();
    return { personId, expiresAt };
  });
}

export const changePerson = act("changePerson", {
  role: "admin",
  route: {
    method: "patch",
    path: "/v1/people/{personId}",
    tag: peopleTag,
    summary: "Change somebody's name or role, or suspend them (admins)",
    description:
      "It counts from their next page on. Who is suspended is signed out, and can't sign in. Nobody changes their own role or suspends themselves.",
    body: "change",
    answer: "The person",
  },
  input: () => z.object({ ...personInput(), change: personChangeSchema }),
  output: () => personSchema,
  run: async (actor, { personId, change }, services) => {
    if (isSelf(actor, personId) && (change.role !== undefined || change.status !== undefined)) throw oneself();
    await findPerson(actor.tenantId, personId, services);
    const apply = async (claim?: WorkClaim) =>
      (await services.people()).change(actor.tenantId, personId, change, recordOf(actor), claim);
    await doOnce(actor, services, apply, async () => {});
    return personView(await findPerson(actor.tenantId, personId, services));
  },
});

export const deletePerson = act("deletePerson", {
  role: "admin",
  route: {
    method: "delete",
    path: "/v1/people/{personId}",
    tag: peopleTag,
    summary: "Remove somebody: they are signed out, and their name and address are gone (admins)",
    description: "What they did stays on record under their id.",
    answer: "They are gone",
  },
  input: () => z.object(personInput()),
  run: async (actor, { personId }, services) => {
    if (isSelf(actor, personId)) throw oneself();
    if (!(await (await services.people()).remove(actor.tenantId, personId, recordOf(actor)))) throw noPerson();
  },
});

export const endPersonSessions = act("endPersonSessions", {
  role: "admin",
  route: {
    method: "delete",
    path: "/v1/people/{personId}/sessions",
    tag: peopleTag,
    summary: "Sign somebody out everywhere (admins)",
    description: "Their next page asks them to sign in. Passkeys stay.",
    answer: "They are signed out",
  },
  input: () => z.object(personInput()),
  run: async (actor, { personId }, services) => {
    await findPerson(actor.tenantId, personId, services);
    await (await services.people()).endSessions(actor.tenantId, personId, recordOf(actor));
  },
});

async function findPerson(tenantId: string, personId: string, { people }: Services): Promise<PersonRecord> {
  const found = await (await people()).find(tenantId, personId);
  if (found === undefined) throw noPerson();
  return found;
}

function personView({ createdAt, lastSeenAt, ...person }: PersonRecord): Person {
  const seen = lastSeenAt === undefined ? undefined : new Date(lastSeenAt).toISOString();
  return { ...person, createdAt: new Date(createdAt).toISOString(), ...defined({ lastSeenAt: seen }) };
}

function isSelf({ kind, id }: Actor, personId: string): boolean {
  return kind === "person" && id === personId;
}

function oneself(): ProblemError {
  return problem(
    "conflict",
    "Nobody changes their own role, suspends or removes themselves: another admin does, or a key of role admin.",
  );
}

function noPerson(): ProblemError {
  return problem("not_found", "There is no such person. GET /v1/people lists those there are.");
}
