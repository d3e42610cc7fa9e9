/**
 * In which database a tenant lives: its id says so, and so does what finds a tenant before anybody is known (keys, links, addresses). Without
 * a mark it is the first one, 0. So nothing has to be looked up to know where to look.
 * @example databaseOf("ten_d07_01kaf…") // 7
 * @example databaseOf("ten_01kaf…") // 0
 */

const idMark = /^(?:ten|key|cnk)_d(\d{2,4})_/;
const secretMark = /^d(\d{2,4})\./;
/** The address of a connection is hexadecimal, which `x` is not. */
const addressMark = /^d(\d{2,4})x/;

/** @param id of a tenant or a key, or a key as it is presented */
export function databaseOf(id: string): number {
  return numberIn(idMark, id);
}

/** Where a tenant lives now. @param moved those that live elsewhere than their ids say */
export function homeOf(tenantId: string, moved: ReadonlyMap<string, number>): number {
  return moved.get(tenantId) ?? databaseOf(tenantId);
}

/**
 * Where what says this database may be: there, and where tenants went from there. Keys, links and addresses keep their marks when their
 * tenant moves.
 */
export function homesFrom(database: number, moved: ReadonlyMap<string, number>): Set<number> {
  return new Set([database, ...[...moved].flatMap(([id, home]) => (databaseOf(id) === database ? [home] : []))]);
}

/** @param id of a tenant or a key, without a mark @returns the same with the mark of its database */
export function markId(id: string, database: number): string {
  return database === 0 ? id : id.replace("_", `_${markOf(database)}_`);
}

/** @param secret of a link or a session of the console */
export function databaseOfSecret(secret: string): number {
  return numberIn(secretMark, secret);
}

export function markSecret(secret: string, database: number): string {
  return database === 0 ? secret : `${markOf(database)}.${secret}`;
}

/** @param address the part of a chat connection's address that nobody can guess */
export function databaseOfAddress(address: string): number {
  return numberIn(addressMark, address);
}

export function markAddress(address: string, database: number): string {
  return database === 0 ? address : `${markOf(database)}x${address}`;
}

function markOf(database: number): string {
  return `d${String(database).padStart(2, "0")}`;
}

function numberIn(mark: RegExp, text: string): number {
  return Number(mark.exec(text)?.[1] ?? 0);
}

/** A database that a new tenant could live in. */
export interface Home {
  readonly database: number;
  /** What it holds, in bytes. */
  readonly bytes: number;
  /** The law that it lies under, where the platform was told of one. */
  readonly jurisdiction?: string | undefined;
}

/**
 * Where a new tenant lives: in the emptiest database of its jurisdiction. Where there is none, in the emptiest that is bound to none, and at
 * last in the emptiest of all: what a tenant's objects hold stays in its jurisdiction all the same.
 * @example chooseHome([{ database: 0, bytes: 9e9 }, { database: 1, bytes: 2e6 }], undefined) // 1
 */
export function chooseHome(homes: readonly Home[], jurisdiction: string | undefined): number {
  const under = (law: string | undefined) => homes.filter((home) => home.jurisdiction === law);
  const [fit] = [under(jurisdiction), under(undefined), homes].filter((some) => some.length > 0);
  return (fit ?? []).reduce((best, home) => (home.bytes < best.bytes ? home : best), {
    database: 0,
    bytes: Number.POSITIVE_INFINITY,
  }).database;
}
