/** Puts off making something until it is first asked for, and then keeps it: what costs milliseconds isn't made at start-up. */
export function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
