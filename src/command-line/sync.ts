/** A folder and a tenant: what differs, made the same one way or the other. */
import { ConclaveError } from "../client/index.js";
import {
  type Body,
  type ConfigFile,
  FileError,
  isBody,
  otherFolders,
  readFolder,
  removeConfigFile,
  resourceFolders,
  writeConfigFile,
} from "./folder.js";
import { CommandError, type Place } from "./place.js";

export interface Change {
  readonly kind: string;
  readonly name: string;
  readonly change: "create" | "change" | "delete";
  readonly fields?: readonly string[] | undefined;
}

interface Plan {
  readonly revision: number;
  readonly changes: readonly Change[];
  readonly warnings: readonly { readonly path: string; readonly message: string }[];
}

/** What a GET adds. */
const serverFields: ReadonlySet<string> = new Set([
  ...["name", "version", "updatedAt", "createdAt", "author", "warnings", "pinned", "raises", "status"],
  ...["lastSuccessAt", "lastFailureAt", "lastFailure", "channelId", "address", "health"],
]);

const withoutServerFields = (body: Body): Body =>
  Object.fromEntries(Object.entries(body).filter(([field]) => !serverFields.has(field)));

type FolderPlan = Plan & { readonly files: readonly ConfigFile[] };

/**
 * What would change if the tenant were as the folder says.
 * @throws {FileError} for the first place that is wrong, and for a file of a kind that the key may not read: it can't be compared
 */
export async function planFolder(place: Place, prune: boolean): Promise<FolderPlan> {
  const { unread, ...plan } = await compareFolder(place, prune);
  const file = plan.files.find(({ folder }) => unread.includes(folder));
  if (file !== undefined) {
    const message = `this key may not read ${file.folder}, so that nothing can be said of them: use an admin's key, or leave ${file.folder}/ out`;
    throw new FileError(file.path, 1, message);
  }
  return plan;
}

/** Of kinds that the key may not read (`unread`) nothing is said. */
async function compareFolder(
  place: Place,
  prune: boolean,
): Promise<FolderPlan & { readonly unread: readonly string[] }> {
  const files = readFolder(place.root);
  const plan = await inFiles(files, () =>
    place.conclave.request<Plan>("POST", "/v1/config/plan", { body: configOf(files, prune) }),
  );
  const others = await otherChanges(place, files, prune);
  return { ...plan, changes: [...plan.changes, ...others.changes], unread: others.unread, files };
}

/** All of the resources and settings or nothing; then limits, webhooks and channels. */
export async function applyFolder(
  place: Place,
  { changes, revision, files }: Awaited<ReturnType<typeof planFolder>>,
  prune: boolean,
): Promise<void> {
  const config = { ...configOf(files, prune), expectRevision: revision };
  if (changes.some(({ kind }) => !isOther(kind))) {
    await inFiles(files, () => place.conclave.request("POST", "/v1/config/apply", { body: config }));
  }
  for (const { kind, name, change } of changes.filter((one) => isOther(one.kind))) {
    const path = `/v1/${kind}/${name}`;
    const file = files.find((one) => one.folder === kind && one.name === name);
    if (change === "delete") await place.conclave.request("DELETE", path);
    else if (file !== undefined)
      await inFiles([file], () => place.conclave.request("PUT", path, { body: file.body }), file);
  }
}

/** Makes the folder what the tenant is. Files that say the same as the tenant stay untouched; of others comments and order do. */
export async function pullFolder(
  place: Place,
  prune: boolean,
): Promise<{ written: string[]; removed: string[]; onlyHere: string[] }> {
  const files = readFolder(place.root);
  const changes = files.length === 0 ? undefined : (await compareFolder(place, true)).changes;
  const same = (folder: string, name: string): boolean =>
    changes !== undefined && !changes.some((one) => one.kind === folder && one.name === name);
  const written: string[] = [];
  const there = new Set<string>();
  const unread = new Set<string>(["settings"]);
  for (const folder of [...resourceFolders, ...otherFolders]) {
    const stored = await listAll(place, folder);
    if (stored === undefined) unread.add(folder);
    for (const shown of stored ?? []) {
      const name = String(shown.name);
      there.add(`${folder}/${name}`);
      const known = files.find((file) => file.folder === folder && file.name === name);
      if (known !== undefined && same(folder, name)) continue;
      const schema = `${place.url}/schemas/${folder}.json`;
      written.push(writeConfigFile(place.root, known, { folder, name, body: withoutServerFields(shown), schema }));
    }
  }
  const settings = files.find(({ folder }) => folder === "settings");
  const isSettled = settings !== undefined && changes !== undefined && !changes.some(({ kind }) => kind === "settings");
  const shown = isSettled ? undefined : await readSettings(place);
  if (shown !== undefined) {
    const { jurisdiction: _, ...body } = shown;
    const kept =
      settings === undefined
        ? body
        : Object.fromEntries(Object.entries(body).filter(([name]) => name in settings.body));
    written.push(
      writeConfigFile(place.root, settings, {
        folder: "settings",
        name: "settings",
        body: kept,
        schema: `${place.url}/schemas/settings.json`,
      }),
    );
  }
  const onlyHere = files.filter(({ folder, name }) => !unread.has(folder) && !there.has(`${folder}/${name}`));
  if (prune) for (const file of onlyHere) removeConfigFile(file);
  const paths = onlyHere.map(({ path }) => path);
  return { written, removed: prune ? paths : [], onlyHere: prune ? [] : paths };
}

function configOf(files: readonly ConfigFile[], prune: boolean) {
  const resources: Record<string, Record<string, Body>> = {};
  for (const { folder, name, body } of files) {
    if (folder === "settings" || isOther(folder)) continue;
    resources[folder] = { ...resources[folder], [name]: body };
  }
  const settings = files.find(({ folder }) => folder === "settings")?.body;
  return { resources, prune, ...(settings === undefined ? {} : { settings }) };
}

function isOther(kind: string): boolean {
  return otherFolders.some((folder) => folder === kind);
}

async function otherChanges(
  place: Place,
  files: readonly ConfigFile[],
  prune: boolean,
): Promise<{ changes: Change[]; unread: string[] }> {
  const changes: Change[] = [];
  const unread: string[] = [];
  for (const kind of otherFolders) {
    const here = files.filter(({ folder }) => folder === kind);
    if (here.length === 0 && !prune) continue;
    const bodies = await listAll(place, kind);
    if (bodies === undefined) {
      unread.push(kind);
      continue;
    }
    const stored = new Map(bodies.map((body) => [String(body.name), withoutServerFields(body)]));
    for (const { name, body } of here) {
      const before = stored.get(name);
      const fields =
        before === undefined
          ? []
          : Object.keys(body).filter((field) => !serverFields.has(field) && !holds(before[field], body[field]));
      if (before === undefined) changes.push({ kind, name, change: "create" });
      else if (fields.length > 0) changes.push({ kind, name, change: "change", fields });
      stored.delete(name);
    }
    if (prune) for (const name of stored.keys()) changes.push({ kind, name, change: "delete" });
  }
  return { changes, unread };
}

/** Whether what is stored has all that a file says; what the file leaves to its default isn't looked at. */
function holds(stored: unknown, said: unknown): boolean {
  if (isBody(said))
    return isBody(stored) && Object.entries(said).every(([field, value]) => holds(stored[field], value));
  if (Array.isArray(said))
    return (
      Array.isArray(stored) && stored.length === said.length && said.every((value, at) => holds(stored[at], value))
    );
  return stored === said;
}

/** All of a kind; `undefined` without the right to read them (limits are an admin's), which is not the same as none. */
async function listAll({ conclave }: Place, folder: string): Promise<Body[] | undefined> {
  const items: Body[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await conclave
      .request<{ items: Body[]; nextCursor: string | null }>("GET", `/v1/${folder}`, {
        query: { limit: 200, ...(cursor ? { cursor } : {}) },
      })
      .catch((error: unknown) => {
        if (error instanceof ConclaveError && error.status === 403) return undefined;
        throw error;
      });
    if (page === undefined) return undefined;
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return items;
}

async function readSettings({ conclave }: Place): Promise<Body | undefined> {
  try {
    return (await conclave.request<{ settings: Body }>("GET", "/v1/tenant")).settings;
  } catch (error) {
    if (error instanceof ConclaveError && error.status === 403) return undefined;
    throw error;
  }
}

/** What the API refuses of a file is said of the file and its line. */
async function inFiles<T>(files: readonly ConfigFile[], call: () => Promise<T>, only?: ConfigFile): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const errors = error instanceof ConclaveError ? (error.more.errors ?? []) : [];
    const faults = errors.map(({ path, message }) => faultOf(files, path, message, only));
    const [first] = faults;
    if (first === undefined) throw error;
    if (faults.length === 1) throw first;
    throw new CommandError(faults.map((fault) => fault.message).join("\n"));
  }
}

function faultOf(files: readonly ConfigFile[], path: string, message: string, only: ConfigFile | undefined): Error {
  const parts = path.split(".").filter((part) => part !== "");
  const field = (from: number): (string | number)[] =>
    parts.slice(from).map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const at = parts[0] === "resources" ? 3 : parts[0] === "settings" ? 1 : 0;
  const file =
    only ??
    files.find(({ folder, name }) => (at === 3 ? folder === parts[1] && name === parts[2] : folder === "settings"));
  if (file === undefined) return new CommandError(`${path}: ${message}`);
  const within = field(only === undefined ? at : 0);
  const place = within.length === 0 ? "" : `${within.join(".")}: `;
  return new FileError(file.path, file.lineOf(within), `${place}${message}`);
}
