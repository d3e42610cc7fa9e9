/** An ask in the document: one shape per kind, so that a client knows what is proposed once it knows the kind. */
import { type AskKind, askKinds } from "../../asks/ask.js";
import { defined } from "../../conversation/defined.js";
import type { ApiDocument } from "./model.js";
import { isSchema, refTo, type Schema } from "./schema.js";

const text = { type: "string" };

/** What is proposed, of the kinds that propose something. */
const proposals: Readonly<Partial<Record<AskKind, Schema>>> = {
  approval: {
    type: "object",
    description: "The call that is to be approved. The approval is of this very call, whose arguments the hash pins.",
    properties: {
      toolCallId: text,
      server: text,
      tool: text,
      args: { type: "object", additionalProperties: {} },
      argsHash: text,
      approval: {
        type: "string",
        description: "Whether each call of the tool is put before a person, or one of a session.",
        enum: ["always", "session"],
      },
      parameters: {
        type: "object",
        description:
          "The JSON Schema of the arguments, as the tool has it; not for end users, and not where it is too long.",
        additionalProperties: {},
      },
    },
    required: ["toolCallId", "server", "tool", "args", "argsHash"],
  },
  review: {
    type: "object",
    description:
      "The text that is to be reviewed, as it was and as the supervisors would have it. Of a tool call it is the arguments as JSON, with the call's names.",
    properties: {
      hook: { type: "string", enum: ["request", "response", "tool_call", "tool_result", "hop"] },
      original: text,
      proposed: text,
      reasons: {
        type: "array",
        description: "What the supervisors said, in their own words; only where staff decides.",
        items: text,
      },
      diff: {
        type: "array",
        description: "Piece by piece: each is the same in both texts, was added or was removed.",
        items: { type: "object", properties: { same: text, added: text, removed: text } },
      },
      beside: {
        type: "array",
        description: "What was judged along with a message: the name of who wrote it, its metadata.",
        items: { type: "object", properties: { name: text, text }, required: ["name", "text"] },
      },
      server: text,
      tool: text,
      toolCallId: text,
    },
    required: ["hook", "original", "proposed"],
  },
};

export function typeAsks(document: ApiDocument): ApiDocument {
  const { Ask: ask, ...schemas } = document.components.schemas;
  if (ask === undefined || !isSchema(ask.properties)) return document;
  const { kind: _kind, proposal: _proposal, ...properties } = ask.properties;
  const required = Array.isArray(ask.required) ? ask.required.filter((name) => name !== "kind") : [];
  const ofKinds = askKinds.flatMap((kind) => {
    const proposal = proposals[kind];
    const name = capital(kind);
    const own = {
      type: "object",
      properties: {
        kind: { type: "string", enum: [kind] },
        ...defined({ proposal: proposal && refTo(`${name}Proposal`) }),
      },
      required: ["kind"],
    };
    const shape = [`${name}Ask`, { allOf: [refTo("AskBase"), own] }];
    return proposal === undefined ? [shape] : [[`${name}Proposal`, proposal], shape];
  });
  const union = {
    oneOf: askKinds.map((kind) => refTo(`${capital(kind)}Ask`)),
    discriminator: {
      propertyName: "kind",
      mapping: Object.fromEntries(askKinds.map((kind) => [kind, refTo(`${capital(kind)}Ask`).$ref])),
    },
  };
  return {
    ...document,
    components: {
      ...document.components,
      schemas: { ...schemas, Ask: union, AskBase: { ...ask, properties, required }, ...Object.fromEntries(ofKinds) },
    },
  };
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
