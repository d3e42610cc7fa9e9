/** Connections to chat platforms, as a tenant's operators store them: which agent answers there, and with which credentials. */
import { z } from "zod";
import { itemName } from "../conversation/names.js";
import { secretText } from "../conversation/secret-text.js";

export const channelKinds = ["slack", "telegram", "discord", "whatsapp", "generic"] as const;
export type ChannelKind = (typeof channelKinds)[number];

const credential = secretText(1, 500);
/** An id that platforms show openly: no secret. */
const publicId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,100}$/, "an id is 1 to 100 letters, digits, hyphens or underscores");
const address = z.url({ protocol: /^https?$/ }).max(2_000);

/** The platform's own address stands where none is given. */
const apiBaseUrl = address.optional();

const command = z.string().regex(/^\S{1,50}$/, "a command is one word of at most 50 characters");

const shared = {
  /** The agent that answers. Sessions that were begun keep theirs. */
  agent: itemName,
  /** A memory for each end user (in a direct chat) or conversation, made in this vault with the first message; or one for all. */
  memory: z
    .union([
      z.strictObject({ vaultId: z.string().min(1).max(100) }),
      z.strictObject({ memoryId: z.string().min(1).max(100) }),
    ])
    .optional(),
  /** Where staff is asked: a conversation of the same platform, by its id there. */
  reviewers: z.strictObject({ conversation: z.string().min(1).max(150) }).optional(),
  /** What one session is: a thread, a whole chat, or one user within a chat. Without threads a thread is the chat. */
  sessionPer: z.enum(["thread", "chat", "user"]).default("thread"),
  /** `mentions`: what is addressed to the bot, and threads that it is in. Direct chats are always answered. */
  listenTo: z.enum(["mentions", "all"]).default("mentions"),
  /** Messages that are no messages: they begin a new session, and hand the conversation over to a person and back. */
  commands: z
    .strictObject({
      anew: command.default("/new"),
      person: command.default("/person"),
      bot: command.default("/bot"),
    })
    .prefault({}),
};

const credentialSchemas = {
  slack: z.strictObject({ signingSecret: credential, botToken: credential, apiBaseUrl }),
  telegram: z.strictObject({
    botToken: credential,
    secretToken: secretText(1, 256).refine(
      (token) => /^[A-Za-z0-9_-]+$/.test(token) || token === "",
      "Telegram takes letters, digits, hyphens and underscores",
    ),
    apiBaseUrl,
  }),
  discord: z.strictObject({
    publicKey: z.string().regex(/^[0-9a-fA-F]{64}$/, "a public key is 64 hexadecimal digits"),
    applicationId: publicId,
    botToken: credential,
    apiBaseUrl,
  }),
  whatsapp: z.strictObject({
    appSecret: credential,
    verifyToken: credential,
    accessToken: secretText(1, 1_000),
    phoneNumberId: publicId,
    apiBaseUrl,
  }),
  generic: z.strictObject({ secret: secretText(16, 500), replyUrl: address, apiBaseUrl }),
} as const;

const kinds = {
  slack: z.strictObject({ kind: z.literal("slack"), ...shared, credentials: credentialSchemas.slack }),
  telegram: z.strictObject({ kind: z.literal("telegram"), ...shared, credentials: credentialSchemas.telegram }),
  discord: z.strictObject({ kind: z.literal("discord"), ...shared, credentials: credentialSchemas.discord }),
  whatsapp: z.strictObject({ kind: z.literal("whatsapp"), ...shared, credentials: credentialSchemas.whatsapp }),
  generic: z.strictObject({ kind: z.literal("generic"), ...shared, credentials: credentialSchemas.generic }),
} as const;

/** A connection as a caller writes it. */
export const connectionSchema = z.discriminatedUnion("kind", [
  kinds.slack,
  kinds.telegram,
  kinds.discord,
  kinds.whatsapp,
  kinds.generic,
]);
export type Connection = z.infer<typeof connectionSchema>;
export type ConnectionOf<Kind extends ChannelKind> = Extract<Connection, { readonly kind: Kind }>;

/** Which credentials are open to see; the others are written and never read back. */
const openCredentials = new Set(["apiBaseUrl", "publicKey", "applicationId", "phoneNumberId", "replyUrl"]);

/** The connection with its secrets changed: sealed, opened or hidden. The one place that knows which fields hold them. */
export async function mapCredentials(
  connection: object & { readonly credentials: object },
  change: (secret: string, name: string) => Promise<string> | string,
): Promise<Record<string, unknown>> {
  const entries = await Promise.all(
    Object.entries(connection.credentials).map(async ([name, value]) => {
      const isSecret = typeof value === "string" && !openCredentials.has(name);
      return [name, isSecret ? await change(value, name) : value] as const;
    }),
  );
  return { ...connection, credentials: Object.fromEntries(entries) };
}

/** The addresses of a connection that are going to be called, with where they stand in it. */
export function addressesOf({ credentials }: Connection): { readonly path: string; readonly url: string }[] {
  return Object.entries(credentials).flatMap(([name, value]) =>
    (name === "apiBaseUrl" || name === "replyUrl") && typeof value === "string"
      ? [{ path: `credentials.${name}`, url: value }]
      : [],
  );
}

/** A connection with what identifies it. */
export interface OpenConnection<Kind extends ChannelKind = ChannelKind> {
  readonly tenantId: string;
  /** Stays the same however often the address or the credentials are changed. */
  readonly channelId: string;
  readonly name: string;
  readonly connection: ConnectionOf<Kind>;
}

/** A failure as the health of a connection shows it; never a text of users or models. */
const channelFailureSchema = z.object({ at: z.iso.datetime(), detail: z.string() });

const channelHealthSchema = z.object({
  /** When the platform last sent something that was signed as it should be. */
  lastEventAt: z.iso.datetime().optional(),
  lastFailure: channelFailureSchema.optional(),
  /** Messages that could not be delivered and wait for somebody to try again. */
  parked: z.int(),
});

const identity = {
  name: itemName,
  channelId: z.string(),
  /** Where the platform sends its events: a path of this deployment. */
  address: z.string(),
  health: channelHealthSchema,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
};

/** Secrets as they are shown, in place of what they are. */
const shown = z.string();
const shownCredentials = {
  slack: credentialSchemas.slack.extend({ signingSecret: shown, botToken: shown }),
  telegram: credentialSchemas.telegram.extend({ botToken: shown, secretToken: shown }),
  discord: credentialSchemas.discord.extend({ botToken: shown }),
  whatsapp: credentialSchemas.whatsapp.extend({ appSecret: shown, verifyToken: shown, accessToken: shown }),
  generic: credentialSchemas.generic.extend({ secret: shown }),
};

/** A connection as it is read: its secrets hidden. */
export const channelSchema = z.discriminatedUnion("kind", [
  kinds.slack.extend({ ...identity, credentials: shownCredentials.slack }),
  kinds.telegram.extend({ ...identity, credentials: shownCredentials.telegram }),
  kinds.discord.extend({ ...identity, credentials: shownCredentials.discord }),
  kinds.whatsapp.extend({ ...identity, credentials: shownCredentials.whatsapp }),
  kinds.generic.extend({ ...identity, credentials: shownCredentials.generic }),
]);
export type Channel = z.infer<typeof channelSchema>;

export const deliveryStatuses = ["pending", "delivered", "parked"] as const;

/** A message to a platform that could not be delivered at first; without its text. */
export const channelDeliverySchema = z.object({
  deliveryId: z.string(),
  conversation: z.string(),
  status: z.enum(deliveryStatuses),
  attempts: z.int(),
  failure: z.string().optional(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type ChannelDelivery = z.infer<typeof channelDeliverySchema>;
