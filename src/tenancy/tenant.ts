/** Tenants and their settings. */
import { z } from "zod";
import { keyRoles } from "../asks/ask.js";
import {
  approvalSettingsSchema,
  questionPolicySchema,
  reviewSettingsSchema,
  storedApprovalSettingsSchema,
  storedReviewSettingsSchema,
} from "../asks/policy.js";
import { queuesSchema } from "../asks/queues.js";
import { itemName } from "../conversation/names.js";
import { secretText } from "../conversation/secret-text.js";
import { ordersInDataActions } from "../supervision/orders-in-data.js";
import { accessSchema } from "./access.js";
import { widenableActs } from "./acts.js";
import { retentionSchema } from "./retention.js";

const providerSchema = z.strictObject({
  baseUrl: z.url({ protocol: /^https?$/ }).max(2_000),
  apiKey: secretText(1, 2_000),
});

/** As browsers send it: no path, no trailing slash, lower case. */
const originSchema = z
  .string()
  .max(300)
  .regex(/^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$/, "an origin is `https://host` or `https://host:port`, without a path");

/** Laws under which a tenant's objects run and store, as the platform names them. */
export const jurisdictions = ["eu", "us", "fedramp", "fedramp-high"] as const;
export type Jurisdiction = (typeof jurisdictions)[number];

/** As a caller writes them. Credentials are write-only. */
export const settingsSchema = z.strictObject({
  /** Every failure of a supervisor blocks. */
  strict: z.boolean().default(false),
  /** Supervisors of everything the tenant does. */
  supervisors: z.array(itemName).max(50).default([]),
  /** What becomes of results of tools, references and recalled texts that give orders to their reader. */
  ordersInData: z.enum(ordersInDataActions).default("fence"),
  /** Who answers a supervisor's request for review, and what happens when nobody does. */
  reviews: reviewSettingsSchema.prefault({}),
  /** The same for the approval of tool calls. */
  approvals: approvalSettingsSchema.prefault({}),
  /** Whom agents ask that say nothing of it themselves: the end user, if nothing is said here either. */
  questions: questionPolicySchema.default({}),
  /** OpenAI-compatible providers of the tenant's own; a model is named `<provider name>/<model>`. */
  providers: z.record(itemName, providerSchema).default({}),
  /** What makes vectors of entries: one of the providers, `openai`, or `workers-ai`. Without it memories go by words alone. */
  embeddings: z.strictObject({ provider: itemName, model: z.string().min(1).max(200) }).optional(),
  /** What keys of role client may do beyond their role, act by act. */
  clientMay: z.array(z.enum(widenableActs)).max(100).default([]),
  /** The origins of pages that may call from a browser, as browsers spell them: `https://app.example`. */
  corsOrigins: z.array(originSchema).max(50).default([]),
  /** For how many days what is kept; without it for ever. */
  retention: z.lazy(retentionSchema).optional(),
  /** Parts of the inbox that have a name. */
  queues: z.lazy(queuesSchema).optional(),
  /** Cloudflare Access before the console: people whom it lets through may sign in by it. */
  access: z.lazy(accessSchema).optional(),
  /** Where sessions, runs, roundtables, threads and conversations run and are stored. It can't change once the tenant has any. */
  jurisdiction: z.enum(jurisdictions).optional(),
});
export type Settings = z.infer<typeof settingsSchema>;

/** As they are stored: credentials sealed, and the jurisdiction apart from them. */
export const storedSettingsSchema = settingsSchema.omit({ jurisdiction: true }).extend({
  reviews: storedReviewSettingsSchema.prefault({}),
  approvals: storedApprovalSettingsSchema.prefault({}),
  providers: z.record(itemName, z.strictObject({ baseUrl: z.string(), sealedApiKey: z.string() })).default({}),
});
export type StoredSettings = z.infer<typeof storedSettingsSchema>;

/** As callers read them: without credentials. */
const shownSettingsSchema = settingsSchema.extend({
  providers: z.record(
    itemName,
    z.object({ baseUrl: z.string(), apiKey: z.object({ $secret: z.string() }).optional() }),
  ),
});

export const newTenantSchema = z.strictObject({
  name: z.string().min(1).max(200),
  settings: settingsSchema.prefault({}),
  /** The database to live in, by its number; without it the emptiest of its jurisdiction. It doesn't change. */
  database: z.int().min(0).max(9_999).optional(),
});

const {
  strict,
  supervisors,
  ordersInData,
  reviews,
  approvals,
  questions,
  providers,
  embeddings,
  clientMay,
  corsOrigins,
  retention,
  queues,
  access,
  jurisdiction,
} = settingsSchema.shape;

/** The settings without their defaults: what isn't given isn't changed. */
const settingsChangeSchema = z.strictObject({
  strict: strict.unwrap().optional(),
  supervisors: supervisors.unwrap().optional(),
  ordersInData: ordersInData.unwrap().optional(),
  reviews: reviews.unwrap().optional(),
  approvals: approvals.unwrap().optional(),
  questions: questions.unwrap().optional(),
  providers: providers.unwrap().optional(),
  /** Null removes them. */
  embeddings: embeddings.nullable(),
  clientMay: clientMay.unwrap().optional(),
  corsOrigins: corsOrigins.unwrap().optional(),
  /** All of it at once; null for everything for ever. */
  retention: retention.nullable(),
  /** All of them at once; null for none. */
  queues: queues.nullable(),
  /** Null takes it away. */
  access: access.nullable(),
  /** Null for none; only while the tenant has no sessions, runs, roundtables, threads or conversations. */
  jurisdiction: jurisdiction.nullable(),
});
export type SettingsChange = Partial<z.infer<typeof settingsChangeSchema>>;

export const tenantChangeSchema = z.strictObject({
  name: z.string().min(1).max(200).optional(),
  settings: settingsChangeSchema.optional(),
});
export type TenantChange = z.infer<typeof tenantChangeSchema>;

export const tenantSchema = z.object({
  tenantId: z.string(),
  name: z.string(),
  settings: shownSettingsSchema,
  /** Where it lives, as its id says. */
  database: z.int(),
  createdAt: z.iso.datetime(),
});

export const newKeySchema = z.strictObject({
  role: z.enum(keyRoles),
  label: z.string().min(1).max(200).optional(),
  /** From then on it is refused, with the tokens minted with it. Without it it counts until it is deleted. */
  expiresAt: z.iso.datetime({ offset: true }).optional(),
});

export const keySchema = z.object({
  keyId: z.string(),
  role: z.enum(keyRoles),
  label: z.string().optional(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().optional(),
  /** To the hour; missing while it was never used. */
  lastUsedAt: z.iso.datetime().optional(),
});
