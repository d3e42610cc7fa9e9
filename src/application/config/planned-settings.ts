/** Which of a tenant's settings would be others. */
import { issuesOf } from "../../conversation/issues.js";
import { type ProblemIssue, problem } from "../../conversation/problem.js";
import { hiddenSecret } from "../../conversation/secret-text.js";
import type { SettingsUpdate } from "../../stores/settings-writes.js";
import type { Tenant } from "../../stores/tenant-store.js";
import { tenantChangeSchema } from "../../tenancy/tenant.js";
import { canonicalJson, isRecord } from "../../text/json.js";
import type { Services } from "../services.js";
import { sealedChange } from "../tenants/change-tenant.js";
import { checkProviders } from "../tenants/provider-checks.js";

export interface PlannedSettings {
  /** Names of settings. */
  readonly changed: readonly string[];
  readonly update: SettingsUpdate;
}

type StoredProviders = Tenant["settings"]["providers"];

/**
 * @param sent as a GET of the tenant shows them, or as a PATCH takes them: a provider without a key keeps the one it has
 * @throws {ProblemError} `invalid`, with the places
 */
export async function planSettings(sent: unknown, tenant: Tenant, services: Services): Promise<PlannedSettings> {
  if (sent === undefined) return { changed: [], update: {} };
  const { kept, given } = withoutKeptProviders(sent, tenant.settings.providers);
  const read = tenantChangeSchema.shape.settings.unwrap().safeParse(given);
  if (!read.success) throw wrongSettings(issuesOf(read.error));
  const { jurisdiction, ...change } = read.data;
  if (jurisdiction !== undefined && (jurisdiction ?? undefined) !== tenant.jurisdiction) {
    throw wrongSettings([
      { path: "jurisdiction", message: "it isn't changed with a configuration; see PATCH /v1/tenant" },
    ]);
  }
  await checkProviders(tenant.tenantId, change.providers ?? {}, services);
  const sealed = await sealedChange(change, tenant, services);
  const providers = sealed.providers === undefined ? {} : { providers: { ...kept, ...sealed.providers } };
  const stored = new Map<string, unknown>(Object.entries(tenant.settings));
  const update = Object.fromEntries(
    Object.entries({ ...sealed, ...providers }).filter(
      ([name, value]) => value !== undefined && canonicalJson(value ?? undefined) !== canonicalJson(stored.get(name)),
    ),
  );
  return { changed: Object.keys(update), update };
}

/** Providers that come without their key, as a GET shows them, and are stored with that address. */
function withoutKeptProviders(sent: unknown, stored: StoredProviders): { kept: StoredProviders; given: unknown } {
  if (!isRecord(sent) || !isRecord(sent.providers)) return { kept: {}, given: sent };
  const known = new Map(Object.entries(stored));
  const isKept = (name: string, provider: unknown): boolean =>
    isRecord(provider) &&
    (provider.apiKey === undefined || provider.apiKey === hiddenSecret) &&
    provider.baseUrl === known.get(name)?.baseUrl;
  const sentProviders = Object.entries(sent.providers);
  const given = sentProviders.filter(([name, provider]) => !isKept(name, provider));
  const kept = sentProviders.flatMap(([name, provider]): [string, StoredProviders[string]][] => {
    const before = known.get(name);
    return before !== undefined && isKept(name, provider) ? [[name, before]] : [];
  });
  return { kept: Object.fromEntries(kept), given: { ...sent, providers: Object.fromEntries(given) } };
}

function wrongSettings(errors: ProblemIssue[]) {
  return problem("invalid", "The settings can't be stored like this; see errors.", { errors });
}
