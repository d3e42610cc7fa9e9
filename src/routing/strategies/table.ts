/** All routing strategies. A new one is a file in this folder and a line here; the schema of teams and the API follow. */
import { llmBased } from "./llm-based.js";
import { loadBalanced } from "./load-balanced.js";
import { roundRobin } from "./round-robin.js";
import { ruleBased } from "./rule-based.js";
import { skillBased } from "./skill-based.js";
import type { Strategy } from "./strategy.js";

const strategies = [llmBased, ruleBased, skillBased, roundRobin, loadBalanced] as const;

export type StrategyName = (typeof strategies)[number]["name"];

export const strategyNames = strategies.map(({ name }) => name);

export function strategyNamed(name: StrategyName): Strategy {
  const found = strategies.find((strategy) => strategy.name === name);
  if (found === undefined) throw new RangeError(`there is no strategy "${name}"`);
  return found;
}
