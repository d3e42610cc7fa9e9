/** Whether what a body names is there: what isn't is told with its place in the body. */
import { unknownBuiltIn } from "../agent/built-in-tools.js";
import { builtInServer, type ToolRef } from "../agent/tools.js";
import type { ProblemIssue } from "../conversation/problem.js";
import type { ResourceStore } from "../stores/resource-store.js";
import type { ResourceKind } from "../tenancy/resources.js";

export interface NamedAt {
  readonly path: string;
  readonly kind: ResourceKind;
  readonly name: string;
}

export function namedAt(path: string, kind: ResourceKind, names: readonly string[]): NamedAt[] {
  return names.map((name, at) => ({ path: `${path}.${at}`, kind, name }));
}

export async function missingNames(
  resources: ResourceStore,
  tenantId: string,
  wanted: readonly NamedAt[],
): Promise<ProblemIssue[]> {
  if (wanted.length === 0) return [];
  const found = await resources.pins(tenantId, wanted);
  return wanted
    .filter(({ kind, name }) => !found.some((pin) => pin.kind === kind && pin.name === name))
    .map(({ path, kind, name }) => ({ path, message: `there is no ${kind}/${name}` }));
}

/** Which tools a remote server has is only known when it is asked: it is enough that the server is there. */
export async function missingTools(
  resources: ResourceStore,
  tenantId: string,
  wanted: readonly { readonly path: string; readonly ref: ToolRef }[],
): Promise<ProblemIssue[]> {
  const stored = wanted.filter(({ ref }) => ref.server !== builtInServer);
  const servers = stored.map(({ ref }) => ref.server);
  const pins = servers.length === 0 ? [] : await resources.toolPins(tenantId, servers);
  const tools = await resources.versions(tenantId, pins);
  const isThere = ({ server, tool }: ToolRef): boolean =>
    tools.some(
      ({ name, body }) =>
        "server" in body && body.server === server && (tool === "*" || name === tool || "mcp" in body),
    );
  return wanted.flatMap(({ path, ref }) => {
    if (ref.server === builtInServer) {
      const message = unknownBuiltIn(ref);
      return message === undefined ? [] : [{ path, message }];
    }
    return isThere(ref) ? [] : [{ path, message: `there is no tool ${ref.server}/${ref.tool}` }];
  });
}
