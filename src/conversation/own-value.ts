/**
 * Looks a name up that somebody else chose. A plain object also answers to the names of its prototype (`constructor`, `__proto__`):
 * only what it has itself counts.
 * @example ownValue({ berlin: 3 }, "constructor") // undefined
 */
export function ownValue<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
