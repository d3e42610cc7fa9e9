/**
 * Settings of a team that would be ignored or fail when it runs. They are refused when a team is stored or sent along; a team that was
 * stored before they were goes on working as it did.
 */
import { maxTeamDepth, type Team, teamsWithin } from "./team.js";

export interface SettingsIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** @example settingsIssues(team) // [{ path: ["supervisor", "tools"], message: "the strategy skill-based calls no tools…" }] */
export function settingsIssues(outermost: Team): SettingsIssue[] {
  return teamsWithin(outermost).flatMap(({ team, path }) => {
    const { strategy, then, minConfidence, tools, mayAnswer } = team.supervisor;
    const usesModel = strategy === "llm-based" || (then === "llm-based" && minConfidence !== undefined);
    const ignored = (setting: string, does: string): SettingsIssue => ({
      path: [...path, "supervisor", setting],
      message: `the strategy ${strategy} ${does}; use llm-based, or then "llm-based" with a minConfidence`,
    });
    // A team in a team is three steps of the path.
    const isTooDeep = path.length / 3 === maxTeamDepth;
    return [
      ...(tools.length > 0 && !usesModel ? [ignored("tools", "calls no tools")] : []),
      ...(mayAnswer && !usesModel ? [ignored("mayAnswer", "has no model that could answer")] : []),
      ...(isTooDeep ? [{ path, message: tooDeep }] : []),
    ];
  });
}

export const tooDeep = `teams may be nested at most ${maxTeamDepth} deep`;
