/** The modes by name. A new one is a file beside this one, and a line here; the schema of panels and the API follow. */
import { adversarial } from "./adversarial.js";
import { collaborative } from "./collaborative.js";
import { delphi } from "./delphi.js";
import { devilsAdvocate } from "./devils-advocate.js";
import { expertPanel } from "./expert-panel.js";
import type { Mode } from "./mode.js";
import { redTeamBlueTeam } from "./red-team-blue-team.js";
import { socratic } from "./socratic.js";

const modes = {
  collaborative,
  adversarial,
  socratic,
  "expert-panel": expertPanel,
  "devils-advocate": devilsAdvocate,
  delphi,
  "red-team-blue-team": redTeamBlueTeam,
} as const satisfies Readonly<Record<string, Mode>>;

export const modeNames = [
  "collaborative",
  "adversarial",
  "socratic",
  "expert-panel",
  "devils-advocate",
  "delphi",
  "red-team-blue-team",
] as const satisfies readonly (keyof typeof modes)[];
export type ModeName = (typeof modeNames)[number];

export function modeNamed(name: ModeName): Mode {
  return modes[name];
}
