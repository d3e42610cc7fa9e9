/** For each concept and language: words parted by `|`. `any` holds what belongs to no language. */
export type TermTable = Readonly<Record<string, Readonly<Record<string, string>>>>;
