/** Puts off making something until it is first asked for, and then keeps it: what costs milliseconds isn't made at start-up. */
export function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
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
