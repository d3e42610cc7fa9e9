/** Puts off making something until it is first asked for, and then keeps it: what costs milliseconds isn't made at start-up. */
export function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * Works out a value for each key once.
 * @param most so many are kept; when there would be more, it begins anew
 * @example
 * const folded = remembering((character: string) => character.toLowerCase(), 5_000);
 */
export function remembering<Key, Value extends {}>(
  workOut: (key: Key) => Value,
  most = Number.POSITIVE_INFINITY,
): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) {
      value = workOut(key);
      if (known.size >= most) known.clear();
      known.set(key, value);
    }
    return value;
  };
}

/**
 * A module that is loaded when it is first needed, and there at once from then on. No promise is kept: one that belongs to a request that
 * is gone might never come.
 * @example
 * const slack = loaded(() => import("./slack.js"));
 * (await slack()).slack.send(post);
 */
export function loaded<T>(load: () => Promise<T>): () => Promise<T> {
  let made: { readonly value: T } | undefined;
  return async () => {
    made ??= { value: await load() };
    return made.value;
  };
}
