/** `npm create conclave shop`: a folder with all that a tenant is configured from, the client and `conclave` installed in it. */
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const own = (path: string): string => fileURLToPath(new URL(path, import.meta.url).href);

/** @returns the exit code */
function create(argv: readonly string[]): number {
  const [folder, ...others] = argv;
  if (folder === undefined || folder.startsWith("-") || others.length > 0) {
    return refuse("say which folder is to be made: npm create conclave shop");
  }
  const root = resolve(folder);
  if (existsSync(root) && readdirSync(root).length > 0) {
    return refuse(`${folder} is there, and not empty: take another name, or empty it. Nothing was changed`);
  }
  cpSync(own("../template"), root, { recursive: true });
  // npm leaves a .gitignore out of what it packs.
  renameSync(join(root, "gitignore"), join(root, ".gitignore"));
  mkdirSync(join(root, "vendor"));
  copyFileSync(own("conclave.tgz"), join(root, "vendor/conclave.tgz"));
  const manifest = join(root, "package.json");
  const name = basename(root)
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, "-");
  writeFileSync(manifest, readFileSync(manifest, "utf8").replace('"name": "template"', `"name": "${name}"`));

  // All of it is in the folder: nothing is fetched.
  const { status } = spawnSync("npm", ["install", "--offline", "--no-audit", "--no-fund", "--silent"], {
    cwd: root,
    stdio: "inherit",
  });
  const toInstall = status === 0 ? [] : ["  npm install     # it didn't work here"];
  const lines = [
    `${folder}: an agent, guardrails, a reference, a tool, a test and a workflow. With a Worker at http://127.0.0.1:8787 and its key:`,
    "",
    `  cd ${relative("", root) || "."}`,
    ...toInstall,
    "  export CONCLAVE_KEY=cnk_…",
    "  npm test         # applies the folder, and holds a supervised conversation",
    "  npm run chat     # hold one yourself",
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  return 0;
}

function refuse(detail: string): number {
  process.stderr.write(`create-conclave: ${detail}\n`);
  return 1;
}

process.exitCode = create(process.argv.slice(2));
