// Installs what `npm start` runs on: the `dependencies` of package.json. With `--all` (`npm test`, `npm run check`) the rest, too. Nothing
// is done where all of it is there already, and nothing is taken away: after `npm test` a start leaves its tools alone.
// Runs under whatever Node the machine has, from 20 on.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Packages of their own, which tests need: `examples/typed-client` has a TypeScript of its own, `tests/clients` libraries by others. */
const furtherFolders = ["examples/typed-client", "tests/clients"];
/** A third of what npm brings, which nothing here reads: headers for addons in C++, sources and their maps, and what reads pictures. */
const unread = [
  /^node\/node_modules\/[^/]+\/include\//,
  /\.map$/,
  /^(?:openai|zod)\/src\//,
  /^@img\/sharp-libvips-[^/]+\/lib\/.*\.so/,
];

const hasTools = Object.values(packagesOf("node_modules/.package-lock.json")).some(({ dev }) => dev);
if (process.argv.includes("--all") || hasTools) {
  for (const folder of ["", ...furtherFolders]) install(folder, "what runs and what tests it");
} else if (install("", "what runs", "--omit=dev")) {
  leaveOutUnread();
}

/** Whether anything had to be installed. */
function install(folder, what, ...options) {
  const wanted = missing(folder, options.includes("--omit=dev"));
  if (wanted === 0) return false;
  const started = Date.now();
  console.log(`Installing ${what}${folder && ` of ${folder}`}: ${wanted} packages, which takes half a minute or two …`);
  const args = [
    "install",
    "--no-fund",
    "--no-audit",
    "--loglevel=error",
    ...options,
    ...(folder && ["--prefix", folder]),
  ];
  const { status } = spawnSync("npm", args, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
  console.log(`… installed in ${Math.round((Date.now() - started) / 1_000)} s.`);
  return true;
}

/** How many packages of the lock aren't there, or in another version. Those of other platforms never are. */
function missing(folder, withoutTools) {
  const there = packagesOf(join(folder, "node_modules/.package-lock.json"));
  return Object.entries(packagesOf(join(folder, "package-lock.json"))).filter(
    ([path, { version, optional, dev }]) =>
      path !== "" &&
      !optional &&
      !(dev && withoutTools) &&
      (there[path]?.version !== version || !existsSync(join(folder, path, "package.json"))),
  ).length;
}

function packagesOf(lock) {
  return existsSync(lock) ? JSON.parse(readFileSync(lock, "utf8")).packages : {};
}

function leaveOutUnread() {
  for (const path of readdirSync("node_modules", { recursive: true })) {
    if (unread.some((pattern) => pattern.test(path)))
      rmSync(join("node_modules", path), { recursive: true, force: true });
  }
}
