/** Placeholders in the addresses and headers of a tenant's endpoints that nobody would fill. */
import { templateKeys, templateProblem } from "../agent/call-templates.js";
import type { ProblemIssue } from "../conversation/problem.js";

interface Endpoint {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** @param at the endpoint's path in the body, such as `http` */
export function templateIssues(at: string, endpoint: Endpoint): ProblemIssue[] {
  return placesOf(at, endpoint).flatMap(({ path, text }) => {
    const message = templateProblem(text);
    return message === undefined ? [] : [{ path, message }];
  });
}

/** The same for a remote MCP server, whose list is everybody's: it is asked for without an end user. */
export function serverTemplateIssues(at: string, endpoint: Endpoint): ProblemIssue[] {
  const message = "the tools of an MCP server get the context in _meta; list what they get in mcp.context";
  return placesOf(at, endpoint).flatMap(({ path, text }) =>
    templateKeys(text).length === 0 ? [] : [{ path, message }],
  );
}

function placesOf(at: string, { url, headers }: Endpoint): { readonly path: string; readonly text: string }[] {
  const named = Object.entries(headers).map(([name, text]) => ({ path: `${at}.headers.${name}`, text }));
  return [{ path: `${at}.url`, text: url }, ...named];
}
