/**
 * Every kind of thing that is kept of a person, in the order in which they are erased: what is written by the end of work comes last. What
 * isn't listed here isn't found: `tests/docs/personal-data.test.ts` holds every table of D1 and of objects against docs/personal-data.md.
 */
import type { SubjectKind } from "./kind.js";
import { erasedRecords } from "./kinds-of-records.js";
import { erasedRoots } from "./kinds-of-roots.js";

export const subjectKinds: readonly SubjectKind[] = [...erasedRoots, ...erasedRecords];
