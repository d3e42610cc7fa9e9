/** Limits, webhooks, people and channels of a tenant, as an export hands them out and an import takes them: without anything that lets somebody in or signs. */
import { z } from "zod";
import { webhookSchema } from "../../catalogues/webhooks.js";
import { recordOf } from "../../conversation/actor-record.js";
import { itemName } from "../../conversation/names.js";
import { ownValue } from "../../conversation/own-value.js";
import { newWebhookSecret } from "../../platform/webhook-signature.js";
import { defaultLimits, limitSchema } from "../../tenancy/limits/limit.js";
import { newPersonSchema, type Person, personStatuses } from "../../tenancy/person.js";
import { canonicalJson } from "../../text/json.js";
import type { Into, Reader, Section, Taken } from "./imported.js";

export const recordSections: readonly Section[] = [
  async (tenantId, [after = ""], limit, { limits }) =>
    (await limits.list(tenantId, String(after), limit)).map(
      ({ name, version: _, updatedAt: __, raises: ___, ...body }) => [[name], { kind: "limit", name, body }],
    ),
  async (tenantId, [after = ""], limit, { webhooks }) =>
    (await webhooks.list(tenantId, String(after), limit)).map(({ name, url, events, filter, includeTexts }) => [
      [name],
      { kind: "webhook", name, body: { url, events, filter, includeTexts } },
    ]),
  async (tenantId, [after = ""], limit, { people }) =>
    (await (await people()).list(tenantId, String(after), limit)).map(({ personId, name, email, role, status }) => [
      [personId],
      { kind: "person", personId, name, email, role, status },
    ]),
  async (tenantId, [after = ""], limit, { channels }) =>
    (await channels.list(tenantId, String(after), limit)).map(({ name, connection: { credentials: _, ...body } }) => [
      [name],
      { kind: "channel", name, body },
    ]),
];

export const recordReaders: Readonly<Record<string, Reader>> = {
  limit: () =>
    z.object({ name: itemName, body: limitSchema() }).transform((limit) => (into: Into) => takeLimit(limit, into)),
  webhook: () =>
    z
      .object({ name: itemName, body: webhookSchema.omit({ secret: true }) })
      .transform((webhook) => (into: Into) => takeWebhook(webhook, into)),
  person: () =>
    z
      .object({
        ...{ personId: z.string().regex(/^per_[a-z0-9]{1,60}$/), status: z.enum(personStatuses) },
        ...newPersonSchema.shape,
      })
      .transform((person) => (into: Into) => takePerson(person, into)),
  channel: () =>
    z.object({ name: itemName }).transform(
      ({ name }) =>
        (into: Into) =>
          takeChannel(name, into),
    ),
};

const there: Taken = { outcome: "there" };
const leftOut = (warning: string): Taken => ({ outcome: "left_out", warning });

interface Copied<Body> {
  readonly name: string;
  readonly body: Body;
}

/** One that stands as every tenant begins with it is replaced. */
async function takeLimit(
  { name, body }: Copied<z.infer<ReturnType<typeof limitSchema>>>,
  { tenantId, actor, services: { limits, copy } }: Into,
): Promise<Taken> {
  const here = await limits.get(tenantId, name);
  const { name: _, version: __, updatedAt: ___, raises, ...set } = here ?? { raises: [] };
  const isSame = (one: unknown, other: unknown): boolean => canonicalJson(one) === canonicalJson(other);
  if (here !== undefined && isSame(set, body)) return there;
  const isDefault = isSame(set, ownValue(defaultLimits, name)) && raises.length === 0;
  const wasSet = await copy.wasSet(tenantId, "limits", name);
  if (here !== undefined && (wasSet || !isDefault))
    return { ...there, warning: `limits/${name}: it was set here, and stays` };
  if (wasSet) return leftOut(`limits/${name}: it was deleted here`);
  const outcome = await limits.put(tenantId, name, body, recordOf(actor));
  if (outcome === "too_many")
    return leftOut(`limits/${name}: there are as many limits as there can be; delete one, then import this again`);
  if (body.match?.keyId === undefined) return { outcome: "stored" };
  return {
    outcome: "stored",
    warning: `limits/${name}: it is about a key, and keys are not carried: store it again (PUT) for one of here`,
  };
}

async function takeWebhook(
  { name, body }: Copied<Omit<z.infer<typeof webhookSchema>, "secret">>,
  { tenantId, actor, services: { webhooks, copy } }: Into,
): Promise<Taken> {
  const warning = `webhooks/${name}: switched off; store it again (PUT) with its secret`;
  const here = await webhooks.get(tenantId, name);
  if (here !== undefined) return here.status === "disabled" ? { ...there, warning } : there;
  if (await copy.wasSet(tenantId, "webhooks", name)) return leftOut(`webhooks/${name}: it was deleted here`);
  const isStored = await webhooks.copy(tenantId, name, body, { made: newWebhookSecret(), by: recordOf(actor) });
  return isStored ? { outcome: "stored", warning } : there;
}

async function takePerson(
  { personId, status, ...person }: z.infer<typeof newPersonSchema> & Pick<Person, "personId" | "status">,
  { tenantId, actor, services }: Into,
): Promise<Taken> {
  const people = await services.people();
  const here = (await people.find(tenantId, personId)) ?? (await people.findByEmail(tenantId, person.email));
  const isToInvite = status !== "suspended";
  if (here !== undefined)
    return { ...there, isToInvite: isToInvite && here.status === "suspended" && here.lastSeenAt === undefined };
  if (await services.copy.wasSet(tenantId, "people", personId)) return leftOut(`people: ${personId} was deleted here`);
  const isStored = await people.copy(tenantId, personId, person, recordOf(actor));
  return isStored ? { outcome: "stored", isToInvite } : there;
}

async function takeChannel(name: string, { tenantId, services }: Into): Promise<Taken> {
  if ((await services.channels.find(tenantId, name)) !== undefined) return there;
  return leftOut(`channels/${name}: store it again (PUT) with its credentials`);
}
