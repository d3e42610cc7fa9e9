/** A face: its paths, how it is loaded, and what its handlers find in a request. */
import type { Hono } from "hono";
import type { Services } from "../application/services.js";
import type { Problem } from "../conversation/problem.js";
import type { Actor } from "../tenancy/actor.js";

export interface FaceEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    services: Services;
    /** Renders a refusal as callers of this path expect it. */
    refuse: (problem: Problem) => Response;
    /** Set where the app has let the caller in: on every route below `/v1`, and of faces for tenants. */
    actor?: Actor;
    /** The origins of pages that may read the answer, as the caller's tenant says. */
    corsOrigins?: readonly string[];
    /** The body's text, once read: of routes below `/v1`. */
    bodyText?: string;
    /** Of a request under an `Idempotency-Key`: whether its answer was kept, once that is known. */
    answerKept?: Promise<boolean>;
  };
}

/** A door of the Worker: what it answers, and where that is found. Nothing of a face is evaluated before somebody comes. */
export interface Face {
  /** Its paths, but for those of a face that stands before it in the list. */
  readonly paths: RegExp;
  /**
   * Who calls. `tenant`: a key's or token's holder, whom the app lets in, pages of the tenant's origins among them. `signed`: somebody whom
   * the face itself knows by a signature. `anybody`: these are pages.
   */
  readonly callers: "tenant" | "signed" | "anybody";
  /** Tokens of programs that people let in count there, and at no other face. */
  readonly takesGrants?: boolean;
  readonly load: () => Promise<LoadedFace>;
}

export interface LoadedFace {
  readonly routes: readonly Hono<FaceEnv>[];
  /** A refusal as the face's clients expect it; without it as `application/problem+json`. */
  readonly renderProblem?: (problem: Problem, about: RefusedRequest) => Response;
}

export interface RefusedRequest {
  readonly request: Request;
  readonly requestId: string;
}
