/**
 * `npm run eval:rules -- --data <file> [--split dev] [--sensitivity medium] [--leave-out source]`: measures the rules on JSON
 * lines. Lines with `label` (1 = attack) measure the injection match; lines with `spans` measure what finds places. A name
 * that ends in .tsv is read as our own rows: language, label, perhaps a technique, text.
 * `-- --kinds 1000 [--seed 7]` measures false alarms on so many harmless texts of each kind.
 */
import { parseArgs } from "node:util";
import { readJsonLines } from "./evaluation/json-lines.js";
import { readLabelledRows } from "./evaluation/labelled-rows.js";
import { labelledTextSchema, reportLabels } from "./evaluation/rule-labels.js";
import { markedTextSchema, reportSpans } from "./evaluation/rule-spans.js";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    split: { type: "string" },
    sensitivity: { type: "string" },
    "leave-out": { type: "string" },
    mistakes: { type: "boolean" },
    kinds: { type: "string" },
    seed: { type: "string" },
  },
});
if (values.kinds !== undefined) {
  const { reportKinds } = await import("./evaluation/rule-kinds.js");
  reportKinds(Number(values.kinds), Number(values.seed ?? "7"));
  process.exit(0);
}
if (values.data === undefined) {
  console.error(
    "--data <file> is missing: JSON lines {text, label} or {text, spans}; a name that ends in .gz is unpacked",
  );
  process.exit(1);
}
const isRows = values.data.endsWith(".tsv");
const lines = isRows ? [] : readJsonLines(values.data);
const labelled = isRows
  ? readLabelledRows(values.data)
  : lines.flatMap((line) => {
      const { data } = labelledTextSchema.safeParse(line);
      return data === undefined ? [] : [data];
    });
if (values["leave-out"] === "source") {
  const { reportLeaveOut } = await import("./training/leave-out.js");
  reportLeaveOut(labelled, values.sensitivity);
} else if (labelled.length > 0) reportLabels(labelled, values);
const marked = lines.flatMap((line) => {
  const { data } = markedTextSchema.safeParse(line);
  return data === undefined ? [] : [data];
});
if (marked.length > 0) reportSpans(marked, values.split, values.mistakes);
