/**
 * Tables that an object has only once something is written to them: each takes a page of its file, more with indexes, and most objects never
 * need most of them. Until then they read as empty, and there is nothing in them to change. Whoever asks the object's database asks through
 * this: no store makes its table, or has to know whether it is there.
 */

/** The statements that make each, by its name. */
export type Tables = Readonly<Record<string, string>>;

type Row = Record<string, SqlStorageValue>;

interface Plan {
  /** A table that has to be made first. */
  readonly makes?: string;
  /** What is asked instead; nothing where the statement would change nothing. */
  readonly query?: string;
}

const written = /^\s*(?:(INSERT|REPLACE)\b[^(]*?\bINTO|UPDATE|DELETE FROM) "?(\w+)/;
const changesTables = /\b(?:CREATE|ALTER|DROP) (?:UNIQUE |TABLE|INDEX)/;
const nothing = "SELECT 1 WHERE 0";

/** From here on `sql` answers so. */
export function makeWhenWritten(sql: SqlStorage, made: Tables): void {
  const tables = new Map(Object.entries(made));
  const platform: SqlStorage = Object.getPrototypeOf(sql);
  const run = <T extends Row>(query: string, bindings: unknown[]): SqlStorageCursor<T> =>
    Reflect.apply(platform.exec<T>, sql, [query, ...bindings]);
  let missing: readonly string[] | undefined;
  const plans = new Map<string, Plan>();

  function forget(): void {
    missing = undefined;
    plans.clear();
  }

  function missingNow(): readonly string[] {
    if (missing !== undefined) return missing;
    const there = run<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'", []).toArray();
    const names = new Set(there.map(({ name }) => name));
    missing = [...tables.keys()].filter((name) => !names.has(name));
    return missing;
  }

  function planOf(query: string): Plan {
    const known = plans.get(query);
    if (known !== undefined) return known;
    const plan = planned(query, missingNow(), tables);
    plans.set(query, plan);
    return plan;
  }

  function answer<T extends Row>(query: string, bindings: unknown[]): SqlStorageCursor<T> {
    if (changesTables.test(query)) {
      for (const [, name = ""] of query.matchAll(/\bALTER TABLE (\w+)/g)) if (missingNow().includes(name)) make(name);
      forget();
      return run(query, bindings);
    }
    const plan = planOf(query);
    if (plan.makes !== undefined) make(plan.makes);
    const { query: asked } = plan.makes === undefined ? plan : planOf(query);
    return asked === undefined ? run(nothing, []) : run(asked, bindings);
  }

  function make(name: string): void {
    run(tables.get(name) ?? "", []);
    forget();
  }

  sql.exec = <T extends Row>(query: string, ...bindings: unknown[]): SqlStorageCursor<T> => {
    try {
      return answer(query, bindings);
    } catch (error) {
      if (missing === undefined || !String(error).includes("no such table")) throw error;
      // It was made in a write that was rolled back.
      forget();
      return answer(query, bindings);
    }
  };
}

/** @example planned("DELETE FROM asks", ["asks"], tables) // {}: nothing is done */
function planned(query: string, missing: readonly string[], tables: ReadonlyMap<string, string>): Plan {
  const words = new Set(query.match(/\w+/g));
  const named = missing.filter((name) => words.has(name));
  if (named.length === 0) return { query };
  const [, inserts, target = ""] = written.exec(query) ?? [];
  if (named.includes(target)) return inserts === undefined ? {} : { makes: target };
  const empty = named.map((name) => {
    const columns = [...(tables.get(name) ?? "").matchAll(/[(,]\s*(\w+) (?:TEXT|INTEGER)\b/g)].map(
      ([, column]) => column,
    );
    return `${name} (${columns.join(", ")}) AS (SELECT ${columns.map(() => "NULL").join(", ")} WHERE 0)`;
  });
  const asked = query.replace(/ INDEXED BY \w+/g, "");
  const [begin = "", recursive = ""] = /^\s*WITH (RECURSIVE )?/.exec(asked) ?? [];
  const rest = asked.slice(begin.length);
  return { query: `WITH ${recursive}${empty.join(", ")}${begin === "" ? " " : ", "}${rest}` };
}
