/** Tenants and their settings. */
import { z } from "zod";
import { roles } from "../asks/ask.js";
import { itemName } from "../conversation/names.js";

const providerSchema = z.strictObject({
  baseUrl: z.url({ protocol: /^https?$/ }).max(2_000),
  apiKey: z.string().min(1).max(2_000),
});

/** A year; an ask may also wait for ever. */
const maxAskMs = 366 * 86_400_000;

const askPolicy = <D extends readonly [string, ...string[]]>(decisions: D) =>
  z.strictObject({
    answerableBy: z.enum(roles).default("operator"),
    /** How long an answer is waited for; 0: for ever. */
    timeoutMs: z.int().min(0).max(maxAskMs).default(0),
    /** What counts as the answer when nobody gave one in time; left out: it isn't let through. */
    default: z.enum(decisions).optional(),
  });

/** As a caller writes them. Credentials are write-only. */
export const settingsSchema = z.strictObject({
  /** Every failure of a supervisor blocks. */
  strict: z.boolean().default(false),
  /** Supervisors of everything the tenant does. */
  supervisors: z.array(itemName).max(50).default([]),
  /** Who answers a supervisor's request for review, and what happens when nobody does. */
  reviews: askPolicy(["accept", "reject"]).prefault({}),
  /** The same for the approval of tool calls. */
  approvals: askPolicy(["once", "deny"]).prefault({}),
  /** OpenAI-compatible providers of the tenant's own; a model is named `<provider name>/<model>`. */
  providers: z.record(itemName, providerSchema).default({}),
  /** What makes vectors of entries: one of the providers, `openai`, or `workers-ai`. Without it memories go by words alone. */
  embeddings: z.strictObject({ provider: itemName, model: z.string().min(1).max(200) }).optional(),
});
export type Settings = z.infer<typeof settingsSchema>;

/** As they are stored: credentials sealed. */
export const storedSettingsSchema = settingsSchema.extend({
  providers: z.record(itemName, z.strictObject({ baseUrl: z.string(), sealedApiKey: z.string() })).default({}),
});
export type StoredSettings = z.infer<typeof storedSettingsSchema>;

/** As callers read them: without credentials. */
const shownSettingsSchema = settingsSchema.extend({
  providers: z.record(itemName, z.object({ baseUrl: z.string() })),
});

export const newTenantSchema = z.strictObject({
  name: z.string().min(1).max(200),
  settings: settingsSchema.prefault({}),
});

const { strict, supervisors, reviews, approvals, providers, embeddings } = settingsSchema.shape;

/** The settings without their defaults: what isn't given isn't changed. */
const settingsChangeSchema = z.strictObject({
  strict: strict.unwrap().optional(),
  supervisors: supervisors.unwrap().optional(),
  reviews: reviews.unwrap().optional(),
  approvals: approvals.unwrap().optional(),
  providers: providers.unwrap().optional(),
  /** Null removes them. */
  embeddings: embeddings.nullable(),
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
  createdAt: z.iso.datetime(),
});

export const newKeySchema = z.strictObject({
  role: z.enum(roles),
  label: z.string().min(1).max(200).optional(),
});

export const keySchema = z.object({
  keyId: z.string(),
  role: z.enum(roles),
  label: z.string().optional(),
  createdAt: z.iso.datetime(),
});
