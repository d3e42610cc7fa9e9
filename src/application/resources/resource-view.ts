/** A resource as callers see it: its own fields beside its name and version, secrets hidden. */
import { hiddenSecret } from "../../conversation/secret-text.js";
import type { ResourceKind, ResourceVersion } from "../../tenancy/resources.js";
import { mapSecrets } from "../../tenancy/secrets.js";

export interface ResourceView {
  readonly name: string;
  readonly version: number;
  readonly updatedAt: string;
}

export function resourceView<K extends ResourceKind>({
  name,
  version,
  body,
  updatedAt,
}: ResourceVersion<K> & { readonly updatedAt: number }): ResourceView {
  return { name, version, updatedAt: new Date(updatedAt).toISOString(), ...mapSecrets(body, () => hiddenSecret) };
}
