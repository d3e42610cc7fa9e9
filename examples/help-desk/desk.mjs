// The help desk: its agent, its rules and its supervisors, as they are stored in Conclave.

export const agent = "help-desk";
export const carefulSupervisor = "help-desk-careful";

/** Phrases of the instructions that no answer may hold: whoever has them has the system prompt. */
const instructions =
  "You are the help desk of Conclave. Answer questions about Conclave from the references, in a few sentences, and name the page. " +
  "If the references don't say it, say that you don't know.";

const promptPhrases = [
  "You are the help desk of Conclave",
  "Answer questions about Conclave from the references",
  "If the references don't say it",
];

/** What is redacted or stopped on the way in and on the way out. */
const privacy = {
  kind: "rules",
  hooks: ["request", "response"],
  order: 0,
  config: {
    rules: [
      { match: { type: "personalData" }, action: "redact", reason: "It held personal data." },
      {
        match: { type: "secrets" },
        action: "block",
        reason: "It held a credential. Don't send credentials here; revoke it if it is real.",
      },
    ],
  },
};

const injection = {
  kind: "rules",
  hooks: ["request"],
  order: 10,
  config: {
    rules: [
      {
        match: { type: "injection", sensitivity: "medium" },
        action: "block",
        reason: "It reads like an attempt to change the help desk's instructions.",
      },
    ],
  },
};

/** The second line: a request for the prompt that was worded so that it got through must not be answered with it. */
const prompt = {
  kind: "rules",
  hooks: ["response"],
  order: 20,
  config: {
    rules: [
      {
        match: { type: "phrases", phrases: promptPhrases },
        action: "block",
        reason: "The answer would have shown the help desk's instructions.",
      },
    ],
  },
};

/**
 * A model that supervises: what can't be taken back is told only after a person has looked at it. It has to see a whole answer, so
 * nothing of it could be streamed; a session adds it where that is wanted.
 */
const careful = {
  kind: "agent",
  hooks: ["response"],
  order: 30,
  permissions: "read_only",
  config: {
    model: "default",
    instructions: 'Review answers that mention "erases". Say in the reason what they would erase.',
  },
};

/** Stores all of it; the same again changes nothing. Gives the names of the references that the agent holds. */
export async function store(api, references) {
  for (const { name, description, text } of references) {
    await api.json("PUT", `/v1/references/${name}`, { text, description });
  }
  await api.json("PUT", "/v1/rules/short-answers", { text: "Answer in at most five sentences.", priority: 600 });
  await api.json("PUT", "/v1/rules/no-guessing", {
    text: "Never guess a route, a setting or a number.",
    priority: 900,
  });
  for (const [name, body] of Object.entries({ privacy, injection, prompt, careful })) {
    await api.json("PUT", `/v1/supervisors/help-desk-${name}`, body);
  }
  await api.json("PUT", `/v1/agents/${agent}`, {
    kind: "model",
    model: "default",
    instructions,
    rules: ["no-guessing", "short-answers"],
    references: references.map(({ name }) => name),
    supervisors: ["help-desk-privacy", "help-desk-injection", "help-desk-prompt"],
  });
}
