/** What a team is made of, at every depth that was sent along with it. */
import { unknownBuiltIn } from "../agent/built-in-tools.js";
import { type Team, toolRefOf } from "./team.js";

type Path = readonly (string | number)[];

export interface PlacedTeam {
  readonly team: Team;
  /** Where it stands in the outermost one. */
  readonly path: Path;
}

/** The team, and the teams that are written out within it, outermost first. Those that are only named aren't among them. */
export function teamsWithin(team: Team, path: Path = []): PlacedTeam[] {
  const inner = team.workers.flatMap((worker, index) =>
    typeof worker.team === "object" ? teamsWithin(worker.team, [...path, "workers", index, "team"]) : [],
  );
  return [{ team, path }, ...inner];
}

/** The tools that its agents name and the system doesn't have, with where they are named. */
export function unknownTools(team: Team): { path: Path; message: string }[] {
  return teamsWithin(team).flatMap(({ team: { supervisor, workers }, path }) =>
    [supervisor, ...workers].flatMap(({ tools }, agent) =>
      tools.flatMap((name, index) => {
        const message = unknownBuiltIn(toolRefOf(name));
        const at = agent === 0 ? ["supervisor"] : ["workers", agent - 1];
        return message === undefined ? [] : [{ path: [...path, ...at, "tools", index], message }];
      }),
    ),
  );
}

/** The memories that its agents may search, with where they are named. */
export function memoriesOf(team: Team): { path: Path; memoryId: string }[] {
  return teamsWithin(team).flatMap(({ team: { memories, workers }, path }) =>
    [memories, ...workers.map((worker) => worker.memories)].flatMap((ids, holder) =>
      ids.map((memoryId, index) => {
        const at = holder === 0 ? [] : ["workers", holder - 1];
        return { path: [...path, ...at, "memories", index], memoryId };
      }),
    ),
  );
}
