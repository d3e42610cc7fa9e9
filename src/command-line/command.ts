/** What a command of `conclave` is made of. */
import type { Common } from "./place.js";

/** 0: done, or the same. 2: something differs. 1: it failed. */
export type ExitCode = 0 | 1 | 2;

export type Options = Common & Readonly<Record<string, string | boolean | undefined>>;

export interface Option {
  readonly type: "boolean" | "string";
  readonly description: string;
}

export interface Command {
  readonly name: string;
  /** `<needed>`, `[optional]`; with `...` all that follow. */
  readonly takes: readonly string[];
  readonly description: string;
  /** What whoever uses it has to know beyond that. */
  readonly about: string;
  /** Command lines, each with what it does. */
  readonly examples: Readonly<Record<string, string>>;
  /** What 2 stands for, where it may end with it. */
  readonly differs?: string;
  readonly options: Readonly<Record<string, Option>>;
  readonly run: (options: Options, ...args: string[]) => Promise<ExitCode>;
}

/** Options of every command. */
export const commonOptions: Readonly<Record<string, Option>> = {
  json: { type: "boolean", description: "answers as JSON" },
  url: { type: "string", description: "the deployment; otherwise CONCLAVE_URL, or `url` of conclave.yaml" },
  dir: { type: "string", description: "the folder of the configuration; otherwise this one" },
  help: { type: "boolean", description: "this page" },
};

export const flag = (description: string): Option => ({ type: "boolean", description });
export const text = (description: string): Option => ({ type: "string", description });
