/** A resource as callers see it: its own fields beside its name and version, secrets hidden. */
import type { ProblemIssue } from "../../conversation/problem.js";
import { hiddenSecret } from "../../conversation/secret-text.js";
import type { ResourceKind, ResourceVersion } from "../../tenancy/resources.js";
import { mapSecrets } from "../../tenancy/secrets.js";
import type { PinnedView } from "../remote-tools.js";

export interface ResourceView {
  readonly name: string;
  readonly version: number;
  readonly updatedAt: string;
  /** Of a remote MCP server: the tools that agents get. */
  readonly pinned?: PinnedView | undefined;
  /** What it names and isn't there, or could be stored and may not work as meant. */
  readonly warnings?: readonly ProblemIssue[] | undefined;
}

export function resourceView<K extends ResourceKind>(
  { name, version, body, updatedAt }: ResourceVersion<K> & { readonly updatedAt: number },
  warnings: ProblemIssue[] = [],
): ResourceView {
  return {
    ...{ name, version, updatedAt: new Date(updatedAt).toISOString() },
    ...mapSecrets(body, () => hiddenSecret),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}
