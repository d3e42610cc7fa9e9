/** The OpenAPI document as a page: no script, nothing loaded from elsewhere. */
import { html, raw } from "hono/html";
import { z } from "zod";
import { pageStyle } from "./page-style.js";

const contentSchema = z.record(z.string(), z.object({ schema: z.unknown() }).loose());

const answerSchema = z.object({ description: z.string(), content: contentSchema.optional() });
const sharedAnswerSchema = z.object({ $ref: z.string() });

const operationSchema = z.object({
  tags: z.array(z.string()).optional(),
  summary: z.string().optional(),
  description: z.string().optional(),
  parameters: z
    .array(z.object({ name: z.string(), in: z.string(), required: z.boolean().optional() }).loose())
    .optional(),
  requestBody: z.object({ content: contentSchema }).loose().optional(),
  responses: z.record(z.string(), z.union([answerSchema, sharedAnswerSchema])).optional(),
});

const documentSchema = z.object({
  info: z.object({ title: z.string(), version: z.string(), description: z.string().optional() }).loose(),
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
  components: z
    .object({ schemas: z.record(z.string(), z.unknown()), responses: z.record(z.string(), answerSchema).default({}) })
    .loose(),
});

type Operation = z.infer<typeof operationSchema> & { readonly method: string; readonly path: string };

/** @param pages the names of the documentation's pages, to link to */
export function docsPage(openApi: unknown, pages: readonly string[]) {
  const { info, paths, components } = documentSchema.parse(JSON.parse(JSON.stringify(openApi)));
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => ({ ...operation, method, path })),
  );
  const sections = Map.groupBy(operations, (operation) => operation.tags?.[0] ?? "Other");
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${info.title} API</title>
        <style>
          ${raw(pageStyle)}
        </style>
      </head>
      <body>
        <header>
          <h1>${info.title} API</h1>
          <p>${info.description} Version ${info.version}. The same as a document: <a href="/openapi.json">openapi.json</a>.</p>
          <p>Documentation: ${pages.map((page) => html`<a href="/docs/${page}">${page}</a> `)}</p>
          <nav>
            ${[...sections.keys(), "Problems", "Shapes"].map((tag) => html`<a href="#${anchor(tag)}">${tag}</a> `)}
          </nav>
        </header>
        <main>
          ${[...sections].map(([tag, list]) => section(tag, list))}
          <h2 id="problems">Problems</h2>
          <dl>
            ${Object.entries(components.responses).map(
              ([name, { description }]) =>
                html`<dt id="${name.replace("Problem", "problem-")}"><code>${name.replace("Problem", "")}</code></dt>
                  <dd>${prose(description)}</dd>`,
            )}
          </dl>
          <h2 id="shapes">Shapes</h2>
          ${Object.entries(components.schemas).map(([name, schema]) => shapeView(name, schema))}
        </main>
      </body>
    </html>`;
}

function section(tag: string, operations: readonly Operation[]) {
  return html`<h2 id="${anchor(tag)}">${tag}</h2>
    ${operations.map(operationView)}`;
}

function operationView({ method, path, summary, description, parameters, requestBody, responses }: Operation) {
  return html`<details>
    <summary><b class="${method}">${method.toUpperCase()}</b> <code>${path}</code> <span>${prose(summary ?? "")}</span></summary>
    ${description === undefined ? "" : html`<p>${prose(description)}</p>`}
    ${
      parameters === undefined || parameters.length === 0
        ? ""
        : html`<h3>Parameters</h3>
            <ul>
              ${parameters.map((one) => html`<li><code>${one.name}</code> (${one.in}${one.required ? ", required" : ""})</li>`)}
            </ul>`
    }
    ${requestBody === undefined ? "" : html`<h3>Body</h3> ${contentView(requestBody.content)}`}
    <h3>Answers</h3>
    <dl>
      ${Object.entries(responses ?? {}).map(([status, answer]) =>
        "$ref" in answer
          ? problemView(status)
          : html`<dt><code>${status}</code> ${answer.description}</dt>
            <dd>${contentView(answer.content ?? {})}</dd>`,
      )}
    </dl>
  </details>`;
}

function problemView(status: string) {
  return html`<dt><code>${status}</code> <a href="#problem-${status}">A problem</a></dt>`;
}

function contentView(content: z.infer<typeof contentSchema>) {
  return Object.entries(content).map(([type, { schema }]) => {
    const json = type.endsWith("json");
    return html`<p><code>${type}</code></p>
      ${json ? html`<pre>${schemaView(schema)}</pre>` : ""}`;
  });
}

function shapeView(name: string, schema: unknown) {
  // The place of a link is within the details, so that following it opens them.
  return html`<details>
    <summary><code>${name}</code></summary>
    <pre id="shape-${name}">${schemaView(schema)}</pre>
  </details>`;
}

const reference = /\{\s*"\$ref": "#\/components\/schemas\/([\w.]+)"\s*\}/;

/** A schema as JSON in which the named shapes it refers to are links. */
function schemaView(schema: unknown) {
  // What a split keeps of its separator stands at every second place: the names.
  return JSON.stringify(schema, null, 2)
    .split(reference)
    .map((part, at) => (at % 2 === 0 ? part : html`<a href="#shape-${part}">${part}</a>`));
}

/** What stands between back quotes is code. */
function prose(text: string) {
  return text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`));
}

function anchor(tag: string): string {
  return tag.toLowerCase().replaceAll(/[^a-z]+/g, "-");
}
