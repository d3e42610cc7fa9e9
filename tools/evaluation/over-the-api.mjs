// What evaluations over the API of a running Conclave have in common: how they stop, their options, several items at once, intervals.
import { readFileSync } from "node:fs";
import { connect, findWorker } from "../../examples/help-desk/client.mjs";

/** Runs an evaluation; what goes wrong is printed, and the script fails. */
export async function runEvaluation(evaluate) {
  try {
    await evaluate();
  } catch (error) {
    console.error(`The evaluation stopped: ${error.message}`);
    process.exitCode = 1;
  }
}

/** The API at an address, or at the running Worker's. */
export function connectTo(url) {
  const found = findWorker();
  return connect({ ...found, url: (url ?? found.url).replace(/\/$/, "") });
}

/** An option that is a whole number. @throws when it is none, or out of range */
export function wholeNumber(name, given, least, most) {
  const number = Number(given);
  if (!Number.isInteger(number) || number < least || number > most)
    throw new Error(`${name} is a number from ${least} to ${most}.`);
  return number;
}

/** A file of JSON, or of a JSON object a line. @throws with what is wrong with it */
export function readJson(file) {
  let text;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(`${file} can't be read: ${error.message}`);
  }
  try {
    return JSON.parse(text);
  } catch (whole) {
    try {
      return text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    } catch {
      throw new Error(`${file} can't be read as JSON, nor as a JSON object a line: ${whole.message}`);
    }
  }
}

/** The results of work on each item, in their order; so many at once. */
export async function each(items, parallel, work) {
  const results = [];
  const queue = items.map((item, at) => [item, at]);
  const next = async () => {
    for (let entry = queue.shift(); entry !== undefined; entry = queue.shift())
      results[entry[1]] = await work(...entry);
  };
  await Promise.all(Array.from({ length: parallel }, next));
  return results;
}

/** Wilson's interval of a share, at 95 %. */
export function interval(hits, of) {
  if (of === 0) return [0, 1];
  const z = 1.96;
  const share = hits / of;
  const middle = share + (z * z) / (2 * of);
  const spread = z * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of));
  return [(middle - spread) / (1 + (z * z) / of), (middle + spread) / (1 + (z * z) / of)];
}
