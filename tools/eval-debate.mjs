// `npm run eval:debate -- --data <file>`: is a debate worth its cost? Over the API of a running Conclave, on multiple-choice questions:
// a panel, its seats by themselves (their first round is blind, so it is what each answers alone), and self-consistency: samples of the
// best seat's model, as many as the panel's tokens pay for, and their majority. With tokens, and intervals at 95 %.
// The file is a JSON list (or a line an item) of {question, choices: ["…", …], answer: "B", the place from 0, or the choice's text}.
import { parseArgs } from "node:util";
import { connectTo, each, interval, readJson, runEvaluation, wholeNumber } from "./evaluation/over-the-api.mjs";

const letters = "ABCDEFGHIJ";
const mostSamples = 50;

await runEvaluation(evaluate);

async function evaluate() {
  const { values: options } = parseArgs({
    options: {
      data: { type: "string", default: "examples/roundtable/data/choices.json" },
      /** One a seat: `<provider>/<model>`, separated by commas; a single one is everybody's. */
      models: { type: "string", default: "default" },
      seats: { type: "string" },
      mode: { type: "string", default: "collaborative" },
      rounds: { type: "string", default: "2" },
      /** Questions at once. */
      parallel: { type: "string", default: "2" },
      /** Only the first so many items. */
      limit: { type: "string" },
      url: { type: "string" },
      /** Prints what each method answered to each question. */
      answers: { type: "boolean", default: false },
    },
  });
  const parallel = wholeNumber("--parallel", options.parallel, 1, 20);
  const rounds = wholeNumber("--rounds", options.rounds, 1, 20);
  const named = options.models.split(",").map((model) => model.trim());
  const count = options.seats === undefined ? Math.max(3, named.length) : wholeNumber("--seats", options.seats, 2, 10);
  if (named.length > 1 && named.length !== count)
    throw new Error(`--models names ${named.length} models for ${count} seats.`);
  const seats = Array.from({ length: count }, (_, at) => ({ id: `seat-${at + 1}`, model: named[at] ?? named[0] }));
  const all = readData(options.data);
  const items = options.limit === undefined ? all : all.slice(0, wholeNumber("--limit", options.limit, 1, all.length));
  const api = connectTo(options.url);

  console.log(
    `${items.length} questions; ${options.mode}, ${count} seats, at most ${rounds} rounds; models: ${named.join(", ")}\n`,
  );
  const debated = await each(items, parallel, (item) => debate(api, item, { seats, mode: options.mode, rounds }));
  const alone = seats.map((_, at) => debated.map(({ first }) => first[at]));
  const rights = alone.map((answers) => answers.filter((answer, item) => answer?.choice === items[item].right).length);
  const best = rights.indexOf(Math.max(...rights));
  const sampled = await sampleAll(api, items, seats[best].model, debated, parallel);
  report(items, { debated, sampled, single: alone[best], best: seats[best] }, options.answers);
}

function readData(file) {
  const data = readJson(file);
  if (!Array.isArray(data) || data.length === 0) throw new Error(`${file} holds no questions.`);
  return data.map((item, at) => {
    const choices = Array.isArray(item?.choices) ? item.choices.map(String) : undefined;
    const right = choices === undefined ? -1 : placeOf(item.answer, choices);
    const wellFormed = typeof item?.question === "string" && item.question.trim() !== "" && choices?.length >= 2;
    if (!wellFormed || choices.length > letters.length || right < 0) {
      throw new Error(
        `${file}: item ${at + 1} isn't {"question": "…", "choices": ["…", "…"], "answer": "A"}, with 2 to 10 choices.`,
      );
    }
    return { question: item.question, choices, right };
  });
}

function placeOf(answer, choices) {
  if (Number.isInteger(answer)) return answer < choices.length ? answer : -1;
  const exact = choices.indexOf(String(answer));
  if (exact >= 0) return exact;
  const letter = letters.indexOf(String(answer).trim().toUpperCase());
  return letter < choices.length && String(answer).trim().length === 1 ? letter : -1;
}

function asked({ question, choices }) {
  const listed = choices.map((choice, at) => `${letters[at]}) ${choice}`).join("\n");
  return `${question}\n\n${listed}\n\nChoose one. Begin your answer (in a debate: your position) with "Answer: " and its letter.`;
}

/** The choice that a text names: by "Answer: B", by its letter alone at the beginning, or as the only one whose text it holds. */
function choiceIn(text, { choices }) {
  const stated =
    /\banswer(?:\s+is)?\s*[:=]?\s*\**\(?([A-J])\b/i.exec(text)?.[1] ?? /^\W*([A-J])(?:[).:\s]|$)/.exec(text)?.[1];
  const place = stated === undefined ? -1 : letters.indexOf(stated.toUpperCase());
  if (place >= 0 && place < choices.length) return place;
  const held = choices.flatMap((choice, at) => (text.toLowerCase().includes(choice.toLowerCase()) ? [at] : []));
  return held.length === 1 ? held[0] : undefined;
}

/** One debate to its end: what each seat answered alone, what the panel came to, and what it took. */
async function debate(api, item, { seats, mode, rounds }) {
  // Nobody is there to be asked, and nothing but the answers is wanted: no requests, no analyst.
  let table = await api.json("POST", "/v1/roundtables", {
    topic: asked(item),
    mode,
    seats,
    rounds,
    requests: { max: 0 },
    analysis: false,
    waitMs: 300_000,
  });
  table = await settled(api, table);
  const first = answersOf(table, item, seats);
  while (table.status !== "completed") {
    const path = `/v1/roundtables/${table.sessionId}/continue`;
    table = await settled(api, await api.json("POST", path, { skipPending: true, waitMs: 300_000 }));
  }
  const last = answersOf(table, item, seats);
  const { inputTokens, outputTokens } = table.usage;
  return { first, choice: majority(last), firstChoice: majority(first), tokens: inputTokens + outputTokens };
}

async function settled(api, table) {
  let now = table;
  while (now.running) now = await api.json("GET", `/v1/roundtables/${now.sessionId}?waitMs=300000`);
  if (now.error !== undefined) throw new Error(`a roundtable failed: ${now.error.code}: ${now.error.detail}`);
  return now;
}

function answersOf({ responses }, item, seats) {
  return seats.map(({ id }) => {
    const held = responses.find(({ agentId }) => agentId === id);
    return held === undefined ? undefined : { choice: choiceIn(held.position, item), confidence: held.confidence };
  });
}

/** What most say; of equals what they are surer of together, then what was said first. */
function majority(answers) {
  const votes = new Map();
  for (const answer of answers) {
    if (answer?.choice === undefined) continue;
    const vote = votes.get(answer.choice) ?? { count: 0, confidence: 0 };
    votes.set(answer.choice, { count: vote.count + 1, confidence: vote.confidence + (answer.confidence ?? 0) });
  }
  const [most] = [...votes].toSorted(([, a], [, b]) => b.count - a.count || b.confidence - a.confidence);
  return most?.[0];
}

/** Samples of one model, each in a session of its own, until they have taken what the panel took. */
async function sampleAll(api, items, model, debated, parallel) {
  const agent = `eval-debate-${Date.now().toString(36)}`;
  const instructions = "You answer multiple-choice questions. Think first, in a few sentences; then state the answer.";
  await api.json("PUT", `/v1/agents/${agent}`, { kind: "model", model, instructions });
  try {
    return await each(items, parallel, async (item, at) => {
      const answers = [];
      let tokens = 0;
      while (answers.length === 0 || (tokens < debated[at].tokens && answers.length < mostSamples)) {
        const sample = await sampleOnce(api, agent, item);
        answers.push({ choice: sample.choice });
        tokens += sample.tokens;
      }
      return { choice: majority(answers), tokens, samples: answers.length };
    });
  } finally {
    await api.text("DELETE", `/v1/agents/${agent}`);
  }
}

async function sampleOnce(api, agent, item) {
  const { sessionId } = await api.json("POST", "/v1/sessions", { agent });
  const turn = await api.json("POST", `/v1/sessions/${sessionId}/messages`, { content: asked(item), waitMs: 120_000 });
  await api.text("DELETE", `/v1/sessions/${sessionId}`);
  if (turn.status !== "completed") throw new Error(`a sample came to nothing: ${turn.error?.detail ?? turn.status}`);
  const { turns } = turn.reply.modelReply;
  const tokens = turns.reduce((sum, one) => sum + (one.inputTokens ?? 0) + (one.outputTokens ?? 0), 0);
  // A server that doesn't count would make it sample for ever.
  return { choice: choiceIn(turns.map(({ message = "" }) => message).join("\n"), item), tokens: Math.max(1, tokens) };
}

function report(items, { debated, sampled, single, best }, showAnswers) {
  const isRight = (choice, at) => choice === items[at].right;
  const right = {
    panel: debated.map(({ choice }, at) => isRight(choice, at)),
    first: debated.map(({ firstChoice }, at) => isRight(firstChoice, at)),
    sampled: sampled.map(({ choice }, at) => isRight(choice, at)),
    single: single.map((answer, at) => isRight(answer?.choice, at)),
  };
  const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  const samples = mean(sampled.map(({ samples: count }) => count));
  console.log(`${"method".padEnd(34)}accuracy (interval)      tokens a question`);
  line("panel", right.panel, mean(debated.map(({ tokens }) => tokens)));
  line("its seats, before they debate", right.first, undefined);
  line(`self-consistency (${samples.toFixed(1)} samples)`, right.sampled, mean(sampled.map(({ tokens }) => tokens)));
  line(`its best seat alone (${best.id})`, right.single, undefined);
  console.log(
    `\nThe best seat is known only afterwards: that flatters it, and the samples of its model (${best.model}).`,
  );
  difference("panel against self-consistency", right.panel, right.sampled);
  difference("panel against its best seat", right.panel, right.single);
  const turned = (from, to) => items.filter((_, at) => right.first[at] === from && right.panel[at] === to).length;
  console.log(
    `debating turned ${turned(false, true)} wrong answers right, and ${turned(true, false)} right ones wrong`,
  );
  const silent = debated.filter(({ choice }) => choice === undefined).length;
  if (silent > 0) console.log(`of ${silent} debates no choice could be read`);
  if (!showAnswers) return;
  const shown = (choice) => (choice === undefined ? "–" : letters[choice]);
  for (const [at, { question, right: place }] of items.entries()) {
    console.log(
      `  ${shown(place)}: panel ${shown(debated[at].choice)}, samples ${shown(sampled[at].choice)}, alone ${shown(single[at]?.choice)}: ${question}`,
    );
  }
}

function line(name, rights, tokens) {
  const hits = rights.filter(Boolean).length;
  const [low, high] = interval(hits, rights.length);
  const share = `${((100 * hits) / rights.length).toFixed(1)} % (${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)})`;
  console.log(`${name.padEnd(34)}${share.padEnd(25)}${tokens === undefined ? "" : Math.round(tokens)}`.trimEnd());
}

/** The difference of two shares over the same questions, with its interval at 95 % by resampling; the same in every run. */
function difference(name, one, other) {
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const of = (places) => places.reduce((sum, at) => sum + Number(one[at]) - Number(other[at]), 0) / places.length;
  const all = one.map((_, at) => at);
  const resampled = Array.from({ length: 2_000 }, () => of(all.map(() => Math.floor(random() * all.length)))).toSorted(
    (a, b) => a - b,
  );
  const [low, high] = [resampled[49], resampled[1_949]];
  const points = (share) => `${share > 0 ? "+" : ""}${(100 * share).toFixed(1)}`;
  const verdict = low > 0 ? "better" : high < 0 ? "worse" : "no difference is shown";
  console.log(`${name}: ${points(of(all))} points (${points(low)} to ${points(high)}): ${verdict}`);
}
