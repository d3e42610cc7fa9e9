/** The OpenAPI document as the steps of its making read and write it. What they don't look at passes through. */
import { z } from "zod";
import type { Schema } from "./schema.js";

export const methods = ["get", "put", "post", "patch", "delete"] as const;
export type Method = (typeof methods)[number];

const schemaSchema = z.record(z.string(), z.unknown());
const contentSchema = z.record(z.string(), z.looseObject({ schema: schemaSchema }));

const parameterSchema = z.looseObject({
  name: z.string(),
  in: z.enum(["path", "query", "header", "cookie"]),
  required: z.boolean().optional(),
  description: z.string().optional(),
  schema: schemaSchema,
});
export type Parameter = z.infer<typeof parameterSchema>;

const responseSchema = z.looseObject({
  description: z.string().optional(),
  content: contentSchema.optional(),
  headers: z.record(z.string(), z.unknown()).optional(),
});
export type DocumentedResponse = z.infer<typeof responseSchema>;

const operationSchema = z.looseObject({
  operationId: z.string(),
  tags: z.array(z.string()),
  summary: z.string(),
  description: z.string().optional(),
  parameters: z.array(parameterSchema).optional(),
  requestBody: z.looseObject({ content: contentSchema }).optional(),
  responses: z.record(z.string(), responseSchema),
  security: z.array(z.record(z.string(), z.array(z.string()))),
});
export type Operation = z.infer<typeof operationSchema>;

export const documentSchema = z.looseObject({
  openapi: z.string(),
  info: z.looseObject({ title: z.string(), version: z.string(), description: z.string() }),
  paths: z.record(z.string(), z.partialRecord(z.enum(methods), operationSchema)),
  components: z.looseObject({
    schemas: z.record(z.string(), schemaSchema),
    responses: z.record(z.string(), z.unknown()).optional(),
  }),
});
export type ApiDocument = z.infer<typeof documentSchema>;

export interface Place {
  readonly method: Method;
  readonly path: string;
  readonly operation: Operation;
}

export function operationsOf({ paths }: ApiDocument): Place[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ method, path, operation }];
    }),
  );
}

/** The document with each of its operations changed. */
export function mapOperations(document: ApiDocument, change: (place: Place) => Operation): ApiDocument {
  const paths: ApiDocument["paths"] = {};
  for (const place of operationsOf(document)) {
    paths[place.path] = { ...paths[place.path], [place.method]: change(place) };
  }
  return { ...document, paths };
}

type Contents = NonNullable<DocumentedResponse["content"]>;

/** Contents with the schema of each changed. */
export function mapContent(contents: Contents, change: (schema: Schema) => Schema): Contents {
  return Object.fromEntries(
    Object.entries(contents).map(([type, content]) => [type, { ...content, schema: { ...change(content.schema) } }]),
  );
}

export function schemasOf(contents: Contents | undefined): Schema[] {
  return Object.values(contents ?? {}).map(({ schema }) => schema);
}
