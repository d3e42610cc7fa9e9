/** The chat platforms, and connections to them as a tenant's operators store them: which agent answers there, and with which credentials. */
import { z } from "zod";
import { defined } from "../conversation/defined.js";
import { deliveryStatuses } from "../conversation/delivery.js";
import { itemName } from "../conversation/names.js";
import { secretText } from "../conversation/secret-text.js";
import { lazily, loaded } from "../text/lazily.js";
import type { BoundChannel, ChannelAdapter } from "./adapter.js";

/** What connections have in common; made when the first one is looked at. */
const parts = lazily(() => {
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
  return { credential, publicId, address, apiBaseUrl, shared, identity };
});

/** One chat platform: what a tenant gives for it, and how it is spoken to. */
function platform<const Kind extends string, Credentials extends z.ZodRawShape>(
  kind: Kind,
  given: {
    readonly credentials: (given: ReturnType<typeof parts>) => z.ZodObject<Credentials, z.core.$strict>;
    /** Credentials that are open to see, beside `apiBaseUrl`; the others are written and never read back. */
    readonly open?: readonly (keyof Credentials & string)[];
    /** It is evaluated when it is first needed. */
    readonly adapter: () => Promise<ChannelAdapter<z.output<z.ZodObject<Credentials, z.core.$strict>>>>;
  },
) {
  const schemas = lazily(() => {
    const credentials = given.credentials(parts());
    const open: ReadonlySet<string> = new Set(["apiBaseUrl", ...(given.open ?? [])]);
    const secrets = Object.keys(credentials.shape).filter((name) => !open.has(name));
    const shown: Record<string, z.ZodString> = Object.fromEntries(secrets.map((name) => [name, z.string()]));
    const written = z.strictObject({ kind: z.literal(kind), ...parts().shared, credentials });
    const read = written.extend({ ...parts().identity, credentials: credentials.extend(shown) });
    return { written, read, open };
  });
  return { schemas, adapter: given.adapter };
}

/** All chat platforms. A new one is an adapter in `platforms` and an entry here. An address among its credentials is called `…Url`. */
const platforms = {
  slack: platform("slack", {
    credentials: ({ credential, apiBaseUrl }) =>
      z.strictObject({ signingSecret: credential, botToken: credential, apiBaseUrl }),
    adapter: loaded(async () => (await import("./platforms/slack.js")).slack),
  }),
  telegram: platform("telegram", {
    credentials: ({ credential, apiBaseUrl }) =>
      z.strictObject({
        botToken: credential,
        secretToken: secretText(1, 256).refine(
          (token) => /^[A-Za-z0-9_-]+$/.test(token) || token === "",
          "Telegram takes letters, digits, hyphens and underscores",
        ),
        apiBaseUrl,
      }),
    adapter: loaded(async () => (await import("./platforms/telegram.js")).telegram),
  }),
  discord: platform("discord", {
    credentials: ({ credential, publicId, apiBaseUrl }) =>
      z.strictObject({
        publicKey: z.string().regex(/^[0-9a-fA-F]{64}$/, "a public key is 64 hexadecimal digits"),
        applicationId: publicId,
        botToken: credential,
        apiBaseUrl,
      }),
    open: ["publicKey", "applicationId"],
    adapter: loaded(async () => (await import("./platforms/discord.js")).discord),
  }),
  whatsapp: platform("whatsapp", {
    credentials: ({ credential, publicId, apiBaseUrl }) =>
      z.strictObject({
        appSecret: credential,
        verifyToken: credential,
        accessToken: secretText(1, 1_000),
        phoneNumberId: publicId,
        apiBaseUrl,
      }),
    open: ["phoneNumberId"],
    adapter: loaded(async () => (await import("./platforms/whatsapp.js")).whatsapp),
  }),
  generic: platform("generic", {
    credentials: ({ address, apiBaseUrl }) =>
      z.strictObject({ secret: secretText(16, 500), replyUrl: address, apiBaseUrl }),
    open: ["replyUrl"],
    adapter: loaded(async () => (await import("./platforms/generic.js")).generic),
  }),
};

type Platforms = typeof platforms;
export type ChannelKind = keyof Platforms;
type ConnectionOf<Kind extends ChannelKind> = {
  [K in Kind]: z.output<ReturnType<Platforms[K]["schemas"]>["written"]> & { readonly kind: K };
}[Kind];
export type Connection = ConnectionOf<ChannelKind>;

// A union wants to see that it has a member; it is the first one.
const { slack, ...others } = platforms;
/** A connection as a caller writes it. */
export const connectionSchema = lazily(() =>
  z.discriminatedUnion("kind", [
    slack.schemas().written,
    ...Object.values(others).map(({ schemas }) => schemas().written),
  ]),
);
/** A connection as it is read: its secrets hidden. */
export const channelSchema = lazily(() =>
  z.discriminatedUnion("kind", [slack.schemas().read, ...Object.values(others).map(({ schemas }) => schemas().read)]),
);
export type Channel = z.infer<ReturnType<typeof channelSchema>>;

export const channelKinds = Object.keys(platforms).filter((kind): kind is ChannelKind => kind in platforms);

/** A connection with what identifies it. */
export interface OpenConnection<Kind extends ChannelKind = ChannelKind> {
  readonly tenantId: string;
  /** Stays the same however often the address or the credentials are changed. */
  readonly channelId: string;
  readonly name: string;
  /** Where its platform reached the deployment last, as `https://host`: there is the console. */
  readonly origin?: string | undefined;
  readonly connection: ConnectionOf<Kind>;
}

const adapters: {
  readonly [K in ChannelKind]: { adapter(): Promise<ChannelAdapter<ConnectionOf<K>["credentials"]>> };
} = platforms;

/** The platform of a connection, bound to its credentials. */
export async function channelOf<Kind extends ChannelKind>({
  connection,
  origin,
}: OpenConnection<Kind>): Promise<BoundChannel> {
  const { kind, credentials } = connection;
  const adapter = await adapters[kind].adapter();
  const { maxCharacters, edits, forms, repeatableMs, typingLapsesMs } = adapter;
  return {
    ...{ kind, maxCharacters, edits, forms, repeatableMs },
    ...defined({ typingLapsesMs, origin }),
    receive: (request, now, call) => adapter.receive(request, credentials, now, call),
    openForm: async (form, request, call) => adapter.openForm?.(form, request, credentials, call),
    send: (sending, call) => adapter.send(sending, credentials, call),
  };
}

/** The connection with its secrets changed: sealed, opened or hidden. The one place that knows which fields hold them. */
export async function mapCredentials(
  connection: object & { readonly credentials: object },
  change: (secret: string, name: string) => unknown,
): Promise<Record<string, unknown>> {
  const kind = channelKinds.find((one) => "kind" in connection && connection.kind === one);
  const entries = await Promise.all(
    Object.entries(connection.credentials).map(async ([name, value]) => {
      const isOpen = kind !== undefined && platforms[kind].schemas().open.has(name);
      return [name, typeof value === "string" && !isOpen ? await change(value, name) : value] as const;
    }),
  );
  return { ...connection, credentials: Object.fromEntries(entries) };
}

/** The addresses of a connection that are going to be called, with where they stand in it. */
export function addressesOf({ credentials }: Connection): { readonly path: string; readonly url: string }[] {
  return Object.entries(credentials).flatMap(([name, value]) =>
    name.endsWith("Url") && typeof value === "string" ? [{ path: `credentials.${name}`, url: value }] : [],
  );
}

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
