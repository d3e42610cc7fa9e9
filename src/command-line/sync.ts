/** A folder and a tenant: what differs, made the same one way or the other. */
import { ConclaveError } from "../client/index.js";
import {
  type Body,
  type ConfigFile,
  type FileFault,
  FolderError,
  faultAt,
  folders,
  readFolder,
  removeConfigFile,
  writeConfigFile,
} from "./folder.js";
import { allPages, type Place, type Progress } from "./place.js";

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

type FolderPlan = Plan & { readonly files: readonly ConfigFile[]; readonly config: Readonly<Record<string, unknown>> };

/**
 * What would change if the tenant were as the folder says.
 * @throws {FolderError} for the first place that is wrong, and for a file of limits without the right to read them
 */
export async function planFolder(place: Place, prune: boolean): Promise<FolderPlan> {
  const files = readFolder(place.root);
  const limit = files.find(({ folder }) => folder === "limits");
  const maySeeLimits = limit === undefined && !prune ? true : await mayRead(place, "limits");
  if (limit !== undefined && !maySeeLimits) {
    const message =
      "this key may not read limits, so that nothing can be said of them: use an admin's key, or leave limits/ out";
    throw new FolderError([faultAt(limit.path, 1, message)]);
  }
  return plan(place, files, prune, maySeeLimits);
}

async function plan(
  place: Place,
  files: readonly ConfigFile[],
  prune: boolean,
  maySeeLimits: boolean,
): Promise<FolderPlan> {
  const config = configOf(files, prune, maySeeLimits);
  const found = await inFiles(files, () => place.conclave.request<Plan>("POST", "/v1/config/plan", { body: config }));
  return { ...found, files, config };
}

/** All of it or nothing. */
export async function applyFolder(place: Place, { changes, revision, files, config }: FolderPlan): Promise<void> {
  if (changes.length === 0) return;
  const body = { ...config, expectRevision: revision };
  await inFiles(files, () => place.conclave.request("POST", "/v1/config/apply", { body }));
}

/** Makes the folder what the tenant is. Files that say the same as the tenant stay untouched; of others comments and order do. */
export async function pullFolder(
  place: Place,
  prune: boolean,
  progress: Progress,
): Promise<{ written: string[]; removed: string[]; onlyHere: string[] }> {
  const files = readFolder(place.root);
  const maySeeLimits = await mayRead(place, "limits");
  const ownSettings = await readSettings(place);
  const known = files.filter(({ folder }) =>
    folder === "settings" ? ownSettings !== undefined : folder !== "limits" || maySeeLimits,
  );
  const changes = known.length === 0 ? undefined : (await plan(place, known, true, maySeeLimits)).changes;
  const same = (folder: string, name: string): boolean =>
    changes !== undefined && !changes.some((one) => one.kind === folder && one.name === name);
  const written: string[] = [];
  const there = new Set<string>();
  const unread = new Set<string>(["settings"]);
  if (!maySeeLimits) unread.add("limits");
  for (const folder of folders.filter((one) => !unread.has(one))) {
    progress(`reading ${folder}`);
    for (const shown of await listAll(place, folder)) {
      const name = String(shown.name);
      there.add(`${folder}/${name}`);
      const known = files.find((file) => file.folder === folder && file.name === name);
      if (known !== undefined && same(folder, name)) continue;
      const schema = `${place.url}/schemas/${folder}.json`;
      written.push(writeConfigFile(place.root, known, { folder, name, body: withoutServerFields(shown), schema }));
    }
  }
  progress("");
  const settings = files.find(({ folder }) => folder === "settings");
  const isSettled = settings !== undefined && changes !== undefined && !changes.some(({ kind }) => kind === "settings");
  const shown = isSettled ? undefined : ownSettings;
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

/** With `prune` every kind is named: what it has and the folder doesn't is deleted. */
function configOf(files: readonly ConfigFile[], prune: boolean, maySeeLimits: boolean) {
  const whole = folders.filter((folder) => prune && (folder !== "limits" || maySeeLimits));
  const resources: Record<string, Record<string, Body>> = Object.fromEntries(whole.map((folder) => [folder, {}]));
  for (const { folder, name, body } of files) {
    if (folder === "settings") continue;
    resources[folder] = { ...resources[folder], [name]: body };
  }
  const settings = files.find(({ folder }) => folder === "settings")?.body;
  return { resources, prune, ...(settings === undefined ? {} : { settings }) };
}

function listAll({ conclave }: Place, folder: string): Promise<Body[]> {
  return allPages((query) => conclave.request("GET", `/v1/${folder}`, { query }));
}

/** What may not be read (limits are an admin's) isn't taken for what isn't there. */
function mayRead({ conclave }: Place, folder: string): Promise<boolean> {
  return conclave.request("GET", `/v1/${folder}`, { query: { limit: 1 } }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ConclaveError && error.status === 403) return false;
      throw error;
    },
  );
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
async function inFiles<T>(files: readonly ConfigFile[], call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const settings = files.find(({ folder }) => folder === "settings");
    if (settings !== undefined && error instanceof ConclaveError && error.status === 403) {
      const message = "settings are an admin's: use an admin's key, or leave settings.yaml out";
      throw new FolderError([faultAt(settings.path, 1, message)]);
    }
    const errors = error instanceof ConclaveError ? (error.more.errors ?? []) : [];
    if (errors.length === 0) throw error;
    throw new FolderError(errors.map(({ path, message }) => faultOf(files, path, message)));
  }
}

function faultOf(files: readonly ConfigFile[], path: string, message: string): FileFault {
  const [whole, kind, name, ...rest] = path.split(".").filter((part) => part !== "");
  const isResource = whole === "resources";
  const file = files.find((one) =>
    isResource ? one.folder === kind && one.name === name : one.folder === "settings" && whole === "settings",
  );
  if (file === undefined) return { path, message };
  const field = (isResource ? rest : [kind, name, ...rest]).filter((part) => part !== undefined);
  const at = field.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  return faultAt(file.path, file.lineOf(at), at.length === 0 ? message : `${at.join(".")}: ${message}`);
}
