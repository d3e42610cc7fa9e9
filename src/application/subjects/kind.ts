/** A kind of thing that is kept of a person: how much of it there is, how it is handed out, and how it is erased. */
import type { ActorRecord } from "../../conversation/actor-record.js";
import type { SubjectRef } from "../../stores/subject-names.js";
import type { Services } from "../services.js";

/** Whose data is erased, and by whom. */
export interface ErasureOf extends SubjectRef {
  readonly jobId: string;
  readonly pseudonym: string;
  readonly by: ActorRecord;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Whose data is handed out. */
export interface ExportOf extends SubjectRef {
  /** With what messages said before supervisors changed them. */
  readonly originals: boolean;
}

/** What a bounded part of the work came to. */
export interface ErasedSlice {
  readonly erased: number;
  /** What stays, and why. */
  readonly left?: number;
  readonly why?: string;
  /** Where the next slice begins; nothing once there is no more. */
  readonly next?: string | undefined;
}

export interface ExportedSlice {
  /** Each is a line of the file. */
  readonly lines: readonly unknown[];
  readonly next?: string | undefined;
}

export interface SubjectKind {
  readonly kind: string;
  /** It is kept for several people, and nobody knows for whom: what comes again may be another's. */
  readonly isShared?: true;
  readonly count: (of: SubjectRef, services: Services) => Promise<number>;
  /** Repeated after a crash it goes on. @param from where the slice before ended; empty at the beginning */
  readonly erase: (of: ErasureOf, from: string, services: Services) => Promise<ErasedSlice>;
  /** Kinds without it hold nothing that the person was shown. */
  readonly export?: (of: ExportOf, from: string, services: Services) => Promise<ExportedSlice>;
}
