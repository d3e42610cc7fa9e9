/** All modes. A new one is a file beside this one, and a line here; the schema of panels, the API, its client and its table follow. */
import { adversarial } from "./adversarial.js";
import { collaborative } from "./collaborative.js";
import { delphi } from "./delphi.js";
import { devilsAdvocate } from "./devils-advocate.js";
import { expertPanel } from "./expert-panel.js";
import type { Mode } from "./mode.js";
import { redTeamBlueTeam } from "./red-team-blue-team.js";
import { socratic } from "./socratic.js";

const modes = [collaborative, adversarial, socratic, expertPanel, devilsAdvocate, delphi, redTeamBlueTeam] as const;

export type ModeName = (typeof modes)[number]["name"];

export const modeNames = modes.map(({ name }) => name);

export function modeNamed(name: ModeName): Mode {
  const found = modes.find((mode) => mode.name === name);
  if (found === undefined) throw new RangeError(`there is no mode "${name}"`);
  return found;
}
