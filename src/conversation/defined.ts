// Conditional fields of an object: those that are undefined are left out, not stored as undefined.

/** `{ x: T | undefined }` as `{ x?: T }`. */
type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * The fields that have a value, in their order.
 * @example { id, ...defined({ subject: session.subject, role }) }
 */
export function defined<T extends object>(fields: T): Defined<T>;
export function defined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
