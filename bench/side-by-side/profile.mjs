// `npm run profile` here: where the processor's time of a turn goes, by package and by function. `-- none|ten|streamed|run|session`
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { build, prepare, startBundle, startProcess } from "./bundle.mjs";
import { profile, timeByNode } from "./inspector.mjs";

const what = process.argv[2] ?? "ten";
const turns = Number(process.env.TURNS ?? 200);
const root = fileURLToPath(new URL("../../", import.meta.url));
const require = createRequire(new URL("../../package.json", import.meta.url));
const { TraceMap, originalPositionFor } = require("@jridgewell/trace-mapping");

const model = await startProcess([fileURLToPath(new URL("model.mjs", import.meta.url))]);
const outdir = build({ minify: false });
const worker = await startBundle(outdir, `http://127.0.0.1:${model.port}/v1`, { inspector: true });
try {
  const session = await prepare(worker);
  const sessionId = await session(what === "none" ? "none" : "ten");
  const work = async () => {
    if (what === "session") return worker.call("GET", `/v1/sessions/${sessionId}`);
    if (what === "run") return worker.call("POST", "/v1/runs", { team: "helpers", input: "Where is my parcel?" });
    if (what !== "streamed")
      return worker.call("POST", `/v1/sessions/${sessionId}/messages`, { content: "Where is it?" });
    const headers = {
      authorization: `Bearer ${worker.key}`,
      "content-type": "application/json",
      accept: "text/event-stream",
    };
    const body = JSON.stringify({ content: "Where is it?" });
    return (
      await fetch(`${worker.origin}/v1/sessions/${sessionId}/messages`, { method: "POST", headers, body })
    ).text();
  };
  for (let turn = 0; turn < 50; turn++) await work();
  const { profiles, busyMs } = await profile(worker.inspectorPort, async () => {
    for (let turn = 0; turn < turns; turn++) await work();
  });
  show(profiles, busyMs);
} finally {
  await worker.stop();
  model.stop();
}
process.exit(0);

function show(profiles, busyMs) {
  const map = new TraceMap(JSON.parse(readFileSync(`${outdir}/index.js.map`, "utf8")));
  const [byPackage, byFunction, inclusive] = [new Map(), new Map(), new Map()];
  const add = (sums, name, ms) => sums.set(name, (sums.get(name) ?? 0) + ms);
  const nameOf = ({ callFrame: { functionName, url, lineNumber, columnNumber } }) => {
    if (url === "" || !url.includes("index.js"))
      return { place: url === "" ? "(engine)" : url, name: functionName || "(anonymous)" };
    const { source, line } = originalPositionFor(map, { line: lineNumber + 1, column: columnNumber });
    const file = (source ?? url).replace(root, "").replace(/^(\.\.\/)+/, "");
    const inPackage = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
    return {
      place: inPackage ?? file.split("/").slice(0, 2).join("/"),
      name: `${functionName || "(anonymous)"} ${file}:${line}`,
    };
  };
  for (const one of profiles) {
    const taken = timeByNode(one);
    const parents = new Map(one.nodes.flatMap((node) => (node.children ?? []).map((id) => [id, node])));
    for (const [node, ms] of taken) {
      if (node.callFrame.functionName === "(program)") continue;
      const { place, name } = nameOf(node);
      add(byPackage, place, ms);
      add(byFunction, name, ms);
      const seen = new Set();
      for (let at = node; at !== undefined; at = parents.get(at.id)) {
        const { name: above } = nameOf(at);
        if (!seen.has(above)) add(inclusive, above, ms);
        seen.add(above);
      }
    }
  }
  console.log(`${what}: ${(busyMs / turns).toFixed(2)} ms busy each, of ${turns}\n`);
  const table = (title, sums, count) => {
    console.log(title);
    for (const [name, ms] of [...sums].sort((a, b) => b[1] - a[1]).slice(0, count))
      console.log(`${(ms / turns).toFixed(3).padStart(8)} ms  ${name}`);
    console.log("");
  };
  table("by package, or folder of ours", byPackage, 25);
  table("by function, what it does itself", byFunction, 40);
  table("by function, with all that it calls", inclusive, 60);
}
