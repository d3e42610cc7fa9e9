/** How teams are nested by name: one that is within itself, or too deep, would fail when it runs, and is refused when it is stored. */
import type { ProblemIssue } from "../conversation/problem.js";
import { maxTeamDepth, type Team, teamsWithin } from "../routing/team.js";
import { tooDeep } from "../routing/team-settings.js";
import type { ResourceStore } from "../stores/resource-store.js";
import { isOfKind, type ResourceVersion } from "../tenancy/resources.js";

type Kind = "teams" | "agents";

/** A team or an agent that something leads to, and by which way: the names of the teams and agents before it. */
interface Reached {
  readonly kind: Kind;
  readonly name: string;
  /** Where in the stored body the way begins. */
  readonly path: readonly (string | number)[];
  /** How many teams it stands in. */
  readonly depth: number;
  readonly way: readonly string[];
}

/** @param from what is about to be stored; `undefined` of a team that is sent along. */
export async function nestingIssues(
  resources: Pick<ResourceStore, "pins" | "versions">,
  tenantId: string,
  from: { readonly kind: Kind; readonly name: string } | undefined,
  team: Team | string,
): Promise<ProblemIssue[]> {
  const title = from === undefined ? [] : [`${from.kind}/${from.name}`];
  let front: Reached[] =
    typeof team === "string"
      ? [{ kind: "teams", name: team, path: ["team"], depth: 0, way: title }]
      : namedIn(team).map((named) => ({ ...named, way: title }));
  // Each step goes one name further; a way that is longer than this has gone too deep, or round, before.
  for (let step = 0; step <= 2 * maxTeamDepth && front.length > 0; step++) {
    const issues = front.flatMap(issueOf);
    if (issues.length > 0) return issues;
    const pins = (await resources.pins(tenantId, front)).filter((pin) => front.some((reached) => isSame(pin, reached)));
    const versions = await resources.versions(tenantId, pins);
    front = front.flatMap((reached) => {
      const found = versions.find((version) => isSame(version, reached));
      return found === undefined ? [] : unlike(next(reached, found));
    });
  }
  return [];
}

function issueOf({ kind, name, path, depth, way }: Reached): ProblemIssue[] {
  const title = `${kind}/${name}`;
  const at = path.join(".");
  if (way.includes(title)) {
    return [{ path: at, message: `it would be within itself: ${[...way, title].join(" → ")}` }];
  }
  return kind === "teams" && depth >= maxTeamDepth
    ? [{ path: at, message: `${tooDeep}: ${[...way, title].join(" → ")}` }]
    : [];
}

function next(reached: Reached, found: ResourceVersion): Reached[] {
  const { depth, path, name } = reached;
  const way = [...reached.way, `${reached.kind}/${name}`];
  if (isOfKind("agents", found)) {
    const agent = found.body;
    return agent.kind === "team" ? [{ kind: "teams", name: agent.team, path, depth, way }] : [];
  }
  if (!isOfKind("teams", found)) return [];
  return namedIn(found.body).map((named) => ({ ...named, depth: depth + named.depth, path, way }));
}

/** The teams and agents that its workers name, those of the teams written out within it too. */
function namedIn(outermost: Team): Omit<Reached, "way">[] {
  return teamsWithin(outermost).flatMap(({ team, path }) =>
    team.workers.flatMap(({ team: inner, agent }, index): Omit<Reached, "way">[] => {
      const at = [...path, "workers", index];
      const depth = path.length / 3 + 1;
      if (agent !== undefined) return [{ kind: "agents", name: agent, path: [...at, "agent"], depth }];
      return typeof inner === "string" ? [{ kind: "teams", name: inner, path: [...at, "team"], depth }] : [];
    }),
  );
}

/** Of several ways to one name the deepest is enough. */
function unlike(reached: readonly Reached[]): Reached[] {
  const deepestLast = reached.toSorted((a, b) => a.depth - b.depth);
  return [...new Map(deepestLast.map((one) => [`${one.kind}/${one.name}`, one])).values()];
}

function isSame(a: { readonly kind: string; readonly name: string }, b: Reached): boolean {
  return a.kind === b.kind && a.name === b.name;
}
