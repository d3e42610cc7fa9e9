/** How an agent asks people. */
import type { AskSource } from "../asks/origin.js";
import type { QuestionPolicy } from "../asks/policy.js";

/** As whom questions are asked, and what the one who stored the agent or team says of them. */
export interface Asking {
  readonly source: AskSource;
  /** Whom they are for, how long an answer is waited for, and what is assumed then: before what the model says of it. */
  readonly policy: QuestionPolicy;
}
