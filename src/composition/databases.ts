/**
 * The databases of a deployment: `DB` is the first, `DB_01`, `DB_02`, … are the others. What is composed for a tenant is composed of an
 * environment whose `DB` is the tenant's: nothing else here knows that there are several. No other file reads these bindings.
 */
import { ProblemError } from "../conversation/problem.js";
import { homeOf } from "../tenancy/home.js";

const bindingName = /^DB_(\d{2,4})$/;

/** The environments of one deployment, by the number of their database. */
const known = new WeakMap<Env, ReadonlyMap<number, Env>>();
const numbers = new WeakMap<Env, number>();

function environments(env: Env): ReadonlyMap<number, Env> {
  const there = known.get(env);
  if (there !== undefined) return there;
  const made = new Map([[0, env]]);
  for (const name of Object.keys(env)) {
    const number = Number(bindingName.exec(name)?.[1] ?? 0);
    const db: unknown = Reflect.get(env, name);
    if (number > 0 && isDatabase(db)) made.set(number, { ...env, DB: db });
  }
  const sorted = new Map([...made].toSorted(([a], [b]) => a - b));
  for (const [number, one] of sorted) {
    known.set(one, sorted);
    numbers.set(one, number);
  }
  return sorted;
}

function isDatabase(value: unknown): value is D1Database {
  return typeof value === "object" && value !== null && "prepare" in value && "withSession" in value;
}

/** The numbers of the deployment's databases, in their order. */
export function databasesOf(env: Env): readonly number[] {
  return [...environments(env).keys()];
}

/** Which of them an environment's `DB` is. */
export function databaseNumber(env: Env): number {
  environments(env);
  return numbers.get(env) ?? 0;
}

/** The environment of the first database, which holds what belongs to no tenant. */
export function firstEnvironment(env: Env): Env {
  return environments(env).get(0) ?? env;
}

/** @throws {ProblemError} where the deployment has no such database: what is in it is not to be taken for gone */
export function environmentAt(env: Env, database: number): Env {
  const found = environments(env).get(database);
  if (found !== undefined) return found;
  throw new ProblemError({
    code: "unavailable",
    detail: `This deployment isn't bound to its database ${database}. Whoever runs it has to deploy with the binding DB_${String(database).padStart(2, "0")}.`,
  });
}

/** As a deployment writes it, which asks the platform: `0=eu,2=us`. */
export function databaseJurisdictions(env: Env): ReadonlyMap<number, string> {
  const pairs = env.DATABASE_JURISDICTIONS.split(",").map((pair) => pair.split("="));
  return new Map(pairs.flatMap(([number = "", law]) => (law === undefined ? [] : [[Number(number), law] as const])));
}

/** As a deployment writes it, which asks the databases: `ten_01kaf…=1`. It is the same for as long as a version runs. */
export function movedTenants(env: Env): ReadonlyMap<string, number> {
  const { MOVED_TENANTS: text } = firstEnvironment(env);
  if (text !== moved.text) {
    const pairs = text.split(",").map((pair) => pair.split("="));
    const homes = new Map(
      pairs.flatMap(([id = "", home]) => (home === undefined ? [] : [[id, Number(home)] as const])),
    );
    moved = { text, homes };
  }
  return moved.homes;
}

let moved: { readonly text: string; readonly homes: ReadonlyMap<string, number> } = { text: "", homes: new Map() };

/** Of this tenant's database: what an object of the tenant is composed of. */
export function environmentOf(env: Env, tenantId: string): Env {
  return environmentAt(env, homeOf(tenantId, movedTenants(env)));
}
