/** A tenant as files, and files into a tenant: for who runs the deployment. Each page is a file; what is interrupted goes on behind the last one. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Conclave } from "../client/index.js";
import { type Command, flag, type Options } from "./command.js";
import { isBody } from "./folder.js";
import { CommandError, placeOf, progressOf, show } from "./place.js";
import { writePrivately } from "./private-file.js";

export const tenants: Command = {
  name: "tenants",
  takes: ["<export|import>", "<tenant>", "<folder>"],
  description: "copy a tenant: all that it has into files, and files into another one; keys and secrets never",
  about:
    "For who runs the deployment: CONCLAVE_KEY is its ADMIN_SECRET. What is interrupted goes on with the same command. The files hold texts of people; only you read them.",
  examples: {
    "conclave tenants export ten_01k… copy": "into the folder copy",
    "conclave tenants import ten_02m… copy": "into that tenant, here or of another deployment",
    "conclave tenants import ten_02m… copy --again": "once more, after a channel was stored that was missing",
  },
  options: { again: flag("import every page once more: what is there stays as it is") },
  run: async (options, what = "", tenant = "", folder = "") => {
    const { conclave } = placeOf(options);
    switch (what) {
      case "export":
        return handOut(conclave, options, tenant, folder);
      case "import":
        return takeIn(conclave, options, tenant, folder);
      default:
        throw new CommandError(`"${what}" can't be done with tenants: export and import can`);
    }
  },
};

const pageName = /^page-\d{6}\.json$/;
const pathOf = (folder: string, page: number): string => join(folder, `page-${String(page).padStart(6, "0")}.json`);

interface CopiedPage {
  readonly nextCursor: string | null;
}

function readPage(path: string): CopiedPage & Readonly<Record<string, unknown>> {
  const read: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (!isBody(read) || !Array.isArray(read.items)) throw new CommandError(`${path} isn't a page of an export`);
  return { ...read, nextCursor: typeof read.nextCursor === "string" ? read.nextCursor : null };
}

const pagesOf = (count: number): string => `${count} ${count === 1 ? "page" : "pages"}`;

/** How many pages there are; each was written whole. */
function pagesIn(folder: string): number {
  return existsSync(folder) ? readdirSync(folder).filter((file) => pageName.test(file)).length : 0;
}

async function handOut(conclave: Conclave, options: Options, tenant: string, folder: string): Promise<0> {
  const progress = progressOf(options);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const whose = join(folder, "tenant.json");
  const other = existsSync(whose) ? JSON.parse(readFileSync(whose, "utf8")).tenantId : tenant;
  if (other !== tenant) throw new CommandError(`${folder} holds a copy of ${other}: name another folder`);
  writePrivately(whose, `${JSON.stringify({ tenantId: tenant })}\n`);
  let pages = pagesIn(folder);
  let last = pages === 0 ? undefined : readPage(pathOf(folder, pages));
  const before = pages;
  while (last?.nextCursor !== null) {
    const query = last === undefined ? {} : { cursor: last.nextCursor };
    const path = `/v1/admin/tenants/${encodeURIComponent(tenant)}/export`;
    last = await conclave.request<CopiedPage & Readonly<Record<string, unknown>>>("GET", path, { query });
    pages += 1;
    writePrivately(pathOf(folder, pages), `${JSON.stringify(last)}\n`);
    progress(pagesOf(pages));
  }
  progress("");
  const done = pages === before ? `${folder} was whole already` : `${pagesOf(pages)} in ${folder}`;
  show(options, { tenantId: tenant, folder, pages, written: pages - before }, [done]);
  return 0;
}

interface Imported {
  /** Up to which page. */
  readonly pages: number;
  readonly stored: number;
  readonly there: number;
  readonly leftOut: number;
  readonly warnings: readonly string[];
}

const nothingYet: Imported = { pages: 0, stored: 0, there: 0, leftOut: 0, warnings: [] };

async function takeIn(conclave: Conclave, options: Options, tenant: string, folder: string): Promise<0> {
  const progress = progressOf(options);
  const pages = pagesIn(folder);
  if (pages === 0) throw new CommandError(`there is no page of an export in ${folder}`);
  if (readPage(pathOf(folder, pages)).nextCursor !== null)
    throw new CommandError(`the export into ${folder} was interrupted: end it first, with the same command`);
  const journal = join(folder, `imported-${tenant.replace(/[^A-Za-z0-9_-]/g, "")}.json`);
  const isGoingOn = options.again !== true && existsSync(journal);
  let done: Imported = isGoingOn ? JSON.parse(readFileSync(journal, "utf8")) : nothingYet;
  while (done.pages < pages) {
    const body = readPage(pathOf(folder, done.pages + 1));
    const path = `/v1/admin/tenants/${encodeURIComponent(tenant)}/import`;
    const taken = await conclave.request<Omit<Imported, "pages">>("POST", path, { body });
    done = {
      ...{ pages: done.pages + 1, stored: done.stored + taken.stored, there: done.there + taken.there },
      ...{ leftOut: done.leftOut + taken.leftOut, warnings: [...new Set([...done.warnings, ...taken.warnings])] },
    };
    writePrivately(journal, `${JSON.stringify(done)}\n`);
    progress(`${done.pages} of ${pagesOf(pages)}`);
  }
  progress("");
  const { stored, there, leftOut, warnings } = done;
  const counts = `${pagesOf(pages)}: ${stored} stored, ${there} there already, ${leftOut} left out`;
  show(options, done, [...warnings.map((warning) => `look at: ${warning}`), counts]);
  return 0;
}
