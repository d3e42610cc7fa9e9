/**
 * Red finds problems, all of red at once; then blue, who has read red, answers them.
 * @speaks red finds problems, all at once; blue answers
 * @use review a design
 */
import { earlierSpeakers, type Mode, type Role } from "./mode.js";

const red: Role = {
  name: "red",
  brief:
    "You are on the red team: find what can go wrong, be abused or fail. Be specific: who does what, what follows, how likely and how bad. Earlier answers of blue count only where they hold.",
};
const blue: Role = {
  name: "blue",
  brief:
    "You are on the blue team: answer what red found, point by point: what prevents it, what limits the damage, what has to change. Concede what is right.",
};

export const redTeamBlueTeam: Mode<"red-team-blue-team"> = {
  name: "red-team-blue-team",
  speaking: (count) => {
    const seats = Array.from({ length: count }, (_, index) => index);
    return [seats.filter((index) => index % 2 === 0), seats.filter((index) => index % 2 === 1)];
  },
  hears: earlierSpeakers,
  brief: () => "This is a review by a red team and a blue team.",
  asking:
    "A review needs the thing itself: ask with request_context for the design, the configuration or the figures that an attack or a defence depends on.",
  role: (index) => (index % 2 === 0 ? red : blue),
};
