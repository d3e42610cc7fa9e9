/** Whether what a body names exists; what doesn't is listed with its path in the body. */
import { unknownBuiltIn } from "../agent/built-in-tools.js";
import { builtInServer, type ToolRef } from "../agent/tools.js";
import type { ProblemIssue } from "../conversation/problem.js";
import type { ResourceReader } from "../stores/tenant-snapshots.js";
import type { ResourceKind } from "../tenancy/resources.js";

/** The reads of resources that tell whether what is named exists. */
export type NameReader = Pick<ResourceReader, "pins" | "toolPins" | "versions">;

/** A resource that a body names, with its path in the body. */
export interface NamedAt {
  readonly path: string;
  readonly kind: ResourceKind;
  readonly name: string;
}

export function namedAt(path: string, kind: ResourceKind, names: readonly string[]): NamedAt[] {
  return names.map((name, at) => ({ path: `${path}.${at}`, kind, name }));
}

/** What is wrong with the names of a body: one issue for each resource that isn't stored. */
export async function missingNames(
  resources: NameReader,
  tenantId: string,
  named: readonly NamedAt[],
): Promise<ProblemIssue[]> {
  if (named.length === 0) return [];
  const found = await resources.pins(tenantId, named);
  return named
    .filter(({ kind, name }) => !found.some((pin) => pin.kind === kind && pin.name === name))
    .map(({ path, kind, name }) => ({ path, message: notStored(kind, name) }));
}

/** What is said of a name that nothing is stored under. */
export function notStored(kind: ResourceKind, name: string): string {
  return `there is no ${kind}/${name}; store it at PUT /v1/${kind}/${name}`;
}

/** The tools of a remote server are known only when it is called: it is enough that the server is stored. */
export async function missingTools(
  resources: NameReader,
  tenantId: string,
  named: readonly { readonly path: string; readonly ref: ToolRef }[],
): Promise<ProblemIssue[]> {
  const stored = named.filter(({ ref }) => ref.server !== builtInServer);
  const servers = stored.map(({ ref }) => ref.server);
  const pins = servers.length === 0 ? [] : await resources.toolPins(tenantId, servers);
  const tools = await resources.versions(tenantId, pins);
  const isStored = ({ server, tool }: ToolRef): boolean =>
    tools.some(
      ({ name, body }) =>
        "server" in body && body.server === server && (tool === "*" || name === tool || "mcp" in body),
    );
  return named.flatMap(({ path, ref }) => {
    if (ref.server === builtInServer) {
      const message = unknownBuiltIn(ref);
      return message === undefined ? [] : [{ path, message }];
    }
    return isStored(ref) ? [] : [{ path, message: `there is no tool ${ref.server}/${ref.tool}` }];
  });
}
