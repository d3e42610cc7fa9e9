/** What of a tenant is copied as its objects are stored, in the order in which an import takes it: a session's memory is there before it. */
export const copiedKinds = ["thread", "dataset", "session", "run", "roundtable", "conversation"] as const;
export type CopiedKind = (typeof copiedKinds)[number];
