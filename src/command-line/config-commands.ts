/** Commands on the configuration: keeping a key, the folder there and back, secrets. */
import { type Command, flag, text } from "./command.js";
import { folders } from "./folder.js";
import { allPages, CommandError, input, keepKey, placeOf, progressOf, show, urlOfFolder } from "./place.js";
import { applyFolder, type Change, planFolder, pullFolder } from "./sync.js";
import { terminalLines } from "./talk.js";

const login: Command = {
  name: "login",
  takes: [],
  description: "keep a key for a deployment in a file that only you read",
  about: "The key is asked for at the terminal, or read from the input, and tried before it is kept.",
  examples: {
    "conclave login --url https://conclave.example": "keep the key of a deployment",
  },
  options: {
    key: text("the key; otherwise it is read from the input"),
  },
  run: async (options) => {
    const url = options.url ?? process.env.CONCLAVE_URL ?? urlOfFolder(options.dir ?? ".");
    if (url === undefined) throw new CommandError("which deployment? Give --url");
    const lines = terminalLines();
    const key = (typeof options.key === "string" ? options.key : await lines.next("key (cnk_…): "))?.trim();
    lines.close();
    if (key === undefined || key === "") throw new CommandError("no key was given");
    const { conclave } = placeOf({ url }, { ...process.env, CONCLAVE_KEY: key });
    await conclave.request("GET", "/v1/agents", { query: { limit: 1 } });
    const path = keepKey(url, key);
    show(options, { url, path }, [`kept for ${url} in ${path}`]);
    return 0;
  },
};

const pull: Command = {
  name: "pull",
  takes: [],
  description: `write the tenant's configuration into ${folders.join("/, ")}/ and settings.yaml`,
  about:
    "Files that say what the tenant has are left as they are; in others comments and the order of fields survive. What the key may not read is left alone.",
  examples: {
    "conclave pull": "write what differs",
    "conclave pull --prune": "remove files of what is gone, too",
  },
  options: {
    prune: flag("remove files of what the tenant doesn't have"),
  },
  run: async (options) => {
    const { written, removed, onlyHere } = await pullFolder(
      placeOf(options),
      options.prune === true,
      progressOf(options),
    );
    show(options, { written, removed, onlyHere }, [
      ...written.map((path) => `wrote ${path}`),
      ...removed.map((path) => `removed ${path}`),
      ...onlyHere.map((path) => `${path}: the tenant has none; --prune removes the file`),
      `${written.length} written`,
    ]);
    return 0;
  },
};

const diff: Command = {
  name: "diff",
  takes: [],
  description: "say what apply would change; 0 for nothing, 2 for something",
  about:
    "All of the folder is checked: what is wrong is named with its file and line. In CI it says what a pull request would change, and whether somebody changed the tenant beside the folder.",
  examples: {
    "conclave diff": "what apply would store",
    "conclave diff --prune": "what apply --prune would delete, too",
  },
  differs: "something differs",
  options: {
    prune: flag("count what isn't in the folder as to be deleted"),
  },
  run: async (options) => {
    const { changes, warnings, revision } = await planFolder(placeOf(options), options.prune === true);
    show(options, { revision, changes, warnings }, [
      ...linesOf(changes),
      ...warnings.map(({ path, message }) => `warning: ${path}: ${message}`),
    ]);
    return changes.length === 0 ? 0 : 2;
  },
};

const apply: Command = {
  name: "apply",
  takes: [],
  description: "make the tenant what the folder says: all of it, or nothing",
  about:
    "Resources, limits, webhooks, channels and settings in one transaction. Where the tenant was changed since it was looked at, nothing is done.",
  examples: {
    "conclave apply": "store what differs",
    "conclave apply --prune --yes": "and delete what the folder lacks",
  },
  options: {
    prune: flag("delete what the folder doesn't have"),
    yes: flag("delete without being asked"),
  },
  run: async (options) => {
    const place = placeOf(options);
    const plan = await planFolder(place, options.prune === true);
    const deleted = plan.changes.filter(({ change }) => change === "delete");
    if (deleted.length > 0 && options.yes !== true) {
      throw new CommandError(
        `${deleted.length} would be deleted (${deleted.map(({ kind, name }) => `${kind}/${name}`).join(", ")}): say --yes to do that. Nothing was changed`,
      );
    }
    await applyFolder(place, plan);
    show(options, { changes: plan.changes, warnings: plan.warnings }, [
      ...linesOf(plan.changes),
      ...plan.warnings.map(({ path, message }) => `warning: ${path}: ${message}`),
      plan.changes.length === 0 ? "nothing to change" : `${plan.changes.length} changed`,
    ]);
    return 0;
  },
};

const secrets: Command = {
  name: "secrets",
  takes: [],
  description: "list the tenant's secrets, without their values",
  about: "With what names each of them.",
  examples: {
    "conclave secrets": "",
  },
  options: {},
  run: async (options) => {
    const { conclave } = placeOf(options);
    const items = await allPages((page) => conclave.api.secrets.listSecrets(page));
    show(
      options,
      items,
      items.map(({ name, usedBy }) => `${name}  ${usedBy.length === 0 ? "named by nothing" : usedBy.join(", ")}`),
    );
    return 0;
  },
};

const secret: Command = {
  name: "secret",
  takes: ["<name>"],
  description: "store a secret, read from the input, under a name",
  about:
    "The value is never shown again. Stored under the same name it is exchanged, and what names it stays as it is.",
  examples: {
    "conclave secret SHOP_TOKEN --host shop.example < token": "store one from a file",
  },
  options: {
    host: text("the only host that it may be sent to"),
  },
  run: async (options, name = "") => {
    const value = input.read().replace(/\r?\n$/, "");
    const stored = await placeOf(options).conclave.api.secrets.putSecret({
      name,
      body: { value, ...(typeof options.host === "string" ? { hosts: [options.host] } : {}) },
    });
    show(options, stored, [`stored ${name}`]);
    return 0;
  },
};

export const configCommands: readonly Command[] = [login, pull, diff, apply, secrets, secret];

function linesOf(changes: readonly Change[]): string[] {
  const signs = { create: "+", change: "~", delete: "-" };
  return changes.map(
    ({ kind, name, change, fields }) =>
      `${signs[change]} ${kind}/${name}${fields === undefined ? "" : `  (${fields.join(", ")})`}`,
  );
}
