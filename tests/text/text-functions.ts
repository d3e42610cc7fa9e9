/** Every exported function over text: how each is fed one, or why it isn't. The growth test feeds them; a new one has to be named here. */
import { answerTold } from "../../src/agent/built-in/ask-human.js";
import { fillHeaders, fillUrl, templateKeys, templateProblem } from "../../src/agent/call-templates.js";
import { clip } from "../../src/agent/effects.js";
import { likeness as argumentLikeness, canonicalArguments } from "../../src/agent/tool-cache.js";
import { hasFormat } from "../../src/application/text-formats.js";
import { withWords } from "../../src/asks/answer.js";
import { answerInWords } from "../../src/asks/answer-in-words.js";
import { previewOf } from "../../src/asks/proposal.js";
import { dialects, translate } from "../../src/channels/markdown.js";
import { isEditButton, readButton } from "../../src/channels/questions.js";
import { splitText } from "../../src/channels/split.js";
import { likeMessage, mentionedItems } from "../../src/chat/context.js";
import { dataBlock } from "../../src/conversation/data-block.js";
import { readCheckpoint } from "../../src/evidence/proof/checkpoint.js";
import { markdown } from "../../src/http/site/markdown.js";
import { excerptOf, findPassages, passagesOf, readSynonyms } from "../../src/http/site/search.js";
import { citedItems, withoutCitations } from "../../src/memory/citations.js";
import { contextProblems, itemKey, parseContext } from "../../src/memory/context-document.js";
import { itemsOfText, originsByHand } from "../../src/memory/context-items.js";
import { extractiveSummary } from "../../src/memory/extractive.js";
import { findDates, namesTime } from "../../src/memory/retrieval/dates.js";
import { endsInQuestion, splitTerms } from "../../src/memory/retrieval/entry-terms.js";
import { parseQuery } from "../../src/memory/retrieval/query.js";
import { estimateTokens } from "../../src/model/estimate.js";
import { keywords, summary } from "../../src/model/providers/offline/answer.js";
import { fillNumber } from "../../src/model/providers/offline/numbers.js";
import { passages, passagesOrHeadings } from "../../src/model/providers/offline/passages.js";
import { affirms, fitLength } from "../../src/model/providers/offline/strings.js";
import { contentWords, stems } from "../../src/model/providers/offline/words.js";
import { parseJson } from "../../src/model/providers/openai-response.js";
import { isResource, matchesRedirect } from "../../src/platform/oauth-addresses.js";
import { beginningOf, entryOf, withoutTurning } from "../../src/roundtable/consensus/lexicon.js";
import { isNamedIn, isReport } from "../../src/roundtable/consensus/movement.js";
import { readStatement, termsOf } from "../../src/roundtable/consensus/statements.js";
import { tokensOf } from "../../src/roundtable/consensus/tokens.js";
import { fitTexts } from "../../src/roundtable/context-text.js";
import { withSources } from "../../src/roundtable/nested-record.js";
import { readCitedContext, readPosition } from "../../src/roundtable/position.js";
import { proseAsPosition } from "../../src/roundtable/prose-position.js";
import { splitParts } from "../../src/roundtable/supervised-texts.js";
import { clipped, readFrom } from "../../src/roundtable/written-answer.js";
import { readDecision } from "../../src/routing/decision-repair.js";
import { givesOrders, markedAsData } from "../../src/supervision/orders-in-data.js";
import { quoteRemover } from "../../src/supervision/quotes.js";
import { rulesConfigSchema } from "../../src/supervision/rules/config.js";
import { hostsOf } from "../../src/supervision/rules/destination.js";
import { shorten as shortenEdit } from "../../src/supervision/rules/edits.js";
import { compileRules } from "../../src/supervision/rules/engine.js";
import { fenced, isFenced, outsideFences, withoutFence } from "../../src/supervision/rules/fence.js";
import { shareOfDifferent } from "../../src/supervision/rules/injection/marks.js";
import { explainedScore } from "../../src/supervision/rules/injection.js";
import { Normaliser, normalise } from "../../src/supervision/rules/normalise.js";
import { findCards } from "../../src/supervision/rules/personal/cards.js";
import { digitsOf } from "../../src/supervision/rules/personal/checksums.js";
import { wordsOf } from "../../src/supervision/rules/personal/context.js";
import { withoutDates } from "../../src/supervision/rules/personal/dates.js";
import { findNumericIds } from "../../src/supervision/rules/personal/national-ids.js";
import { findPhones } from "../../src/supervision/rules/personal/phones.js";
import { AnnouncedValues } from "../../src/supervision/rules/secret/announced-values.js";
import { KeyFinder } from "../../src/supervision/rules/secret/known-keys.js";
import { hasThreeClasses, isMixed, isPlausible, isStrong } from "../../src/supervision/rules/secret/plausible.js";
import { csvCell } from "../../src/tenancy/audit.js";
import { headingOf, trimEndOf, trimStartOf } from "../../src/text/edges.js";
import { isNestedTooDeep, readJson } from "../../src/text/json.js";
import { meaningsOf } from "../../src/text/meanings.js";
import { oneLine } from "../../src/text/one-line.js";
import { coverageOf, likeness, mentions, sharedTerms, termSet } from "../../src/text/overlap.js";
import { sentences, shorten } from "../../src/text/passages.js";
import { questionLikeness } from "../../src/text/question-likeness.js";
import { isSameQuestion } from "../../src/text/same-question.js";
import { ServerSentEventParser } from "../../src/text/server-sent-events.js";
import { stem } from "../../src/text/stemmer.js";
import { readFeatures } from "../../src/text/text-features.js";
import { fold, indexTerms, plainWords, tokenize, wordTerm } from "../../src/text/tokenizer.js";
import { beginningsOf, formLikeness, isBeyondEnglish } from "../../src/text/variants.js";
import { wordDiff } from "../../src/text/word-diff.js";
import { jsonObjectsIn, readProbability } from "../../src/text/written-json.js";
import type { Feed } from "../support/growth.js";

const words = new Set(["parcel", "norway"]);
const rules = (...matches: readonly object[]) => {
  const config = { rules: matches.map((match) => ({ match, action: "block", reason: "No." })) };
  const compiled = compileRules(rulesConfigSchema.parse(config));
  return (text: string) => compiled.judge(text);
};
const numbers = rules({ type: "personalData" });
const secrets = rules({ type: "secrets" });
const injection = rules({ type: "injection" });
const links = rules({ type: "links" });
const announced = new AnnouncedValues();
const keys = new KeyFinder();

const sitePage = { path: "docs/page.md", title: "Page", about: "", section: "Reference" };

/** By the function's name. Those of detectors are fed through the rules that use them, too. */
export const fed: Readonly<Record<string, Feed>> = {
  "src/agent/built-in/ask-human.ts answerTold": answerTold,
  "src/agent/call-templates.ts templateKeys": (text) => templateKeys(text),
  "src/agent/call-templates.ts templateProblem": templateProblem,
  "src/agent/call-templates.ts fillUrl": (text) => fillUrl(text, { a: "b" }, () => "c"),
  "src/agent/call-templates.ts fillHeaders": (text) => fillHeaders({ a: text }, () => "c"),
  "src/agent/effects.ts clip": (text) => clip(text),
  "src/agent/tool-cache.ts likeness": (text) =>
    argumentLikeness(canonicalArguments({ text }), canonicalArguments({ text: `${text}b` })),
  "src/application/text-formats.ts hasFormat": (text) =>
    ["date", "date-time", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uuid", "regex"].map(
      (format) => hasFormat(format, text),
    ),
  "src/asks/answer.ts withWords": (text) => withWords(text, text),
  "src/asks/proposal.ts previewOf": (text) => previewOf({ kind: "human", question: text }),
  "src/asks/answer-in-words.ts answerInWords": (text) =>
    (["human", "context", "approval", "review"] as const).map((kind) => answerInWords({ kind }, text)),
  "src/channels/markdown.ts translate": (text) => Object.values(dialects).map((dialect) => translate(text, dialect)),
  "src/channels/questions.ts readButton": readButton,
  "src/channels/questions.ts isEditButton": isEditButton,
  "src/channels/split.ts splitText": (text) => splitText(text, 2_000),
  "src/chat/context.ts mentionedItems": (text) => mentionedItems(text, [{ rules: ["a"], references: ["b"] }]),
  "src/chat/context.ts likeMessage": (text) =>
    likeMessage(text, [{ name: "shipping", text: "Parcels travel nine days.", description: "delivery" }]),
  "src/conversation/data-block.ts dataBlock": (text) => dataBlock("data", { from: text }, text),
  "src/http/site/markdown.ts markdown": (text) => markdown("docs/page.md", text),
  "src/http/site/search.ts passagesOf": (text) => passagesOf(sitePage, text),
  "src/http/site/search.ts findPassages": (text) =>
    findPassages(passagesOf(sitePage, text), text.slice(0, 200), new Map()),
  "src/http/site/search.ts excerptOf": (text) =>
    passagesOf(sitePage, text).map((passage) => excerptOf(passage, text.slice(0, 200), new Map())),
  "src/http/site/search.ts readSynonyms": readSynonyms,
  "src/memory/citations.ts withoutCitations": withoutCitations,
  "src/memory/citations.ts citedItems": (text) => citedItems(text, { version: 1, items: [] }, ["ent_1"]),
  "src/memory/context-document.ts parseContext": parseContext,
  "src/memory/context-document.ts itemKey": itemKey,
  "src/memory/context-document.ts contextProblems": contextProblems,
  "src/memory/context-items.ts itemsOfText": itemsOfText,
  "src/memory/context-items.ts originsByHand": (text) => originsByHand(text, []),
  "src/memory/extractive.ts extractiveSummary": (text) => extractiveSummary(text),
  "src/memory/retrieval/dates.ts findDates": (text) => findDates(text, "2026-11-23T00:00:00.000Z"),
  "src/memory/retrieval/dates.ts namesTime": namesTime,
  "src/memory/retrieval/entry-terms.ts endsInQuestion": endsInQuestion,
  "src/memory/retrieval/entry-terms.ts splitTerms": splitTerms,
  "src/memory/retrieval/query.ts parseQuery": (text) => parseQuery(text, "2026-11-23T00:00:00.000Z"),
  "src/model/estimate.ts estimateTokens": estimateTokens,
  "src/model/providers/offline/answer.ts summary": summary,
  "src/model/providers/offline/answer.ts keywords": (text) => keywords(text, 5),
  "src/model/providers/offline/numbers.ts fillNumber": (text) => fillNumber({ type: "number" }, "nights", text, 0),
  "src/model/providers/offline/passages.ts passages": passages,
  "src/model/providers/offline/passages.ts passagesOrHeadings": passagesOrHeadings,
  "src/model/providers/offline/strings.ts fitLength": (text) => fitLength(text, { maxLength: 100 }),
  "src/model/providers/offline/strings.ts affirms": (text) => affirms(text, "approved"),
  "src/model/providers/offline/words.ts contentWords": contentWords,
  "src/model/providers/offline/words.ts stems": stems,
  "src/model/providers/openai-response.ts parseJson": parseJson,
  "src/roundtable/consensus/lexicon.ts entryOf": entryOf,
  "src/roundtable/consensus/lexicon.ts beginningOf": beginningOf,
  "src/roundtable/consensus/lexicon.ts withoutTurning": withoutTurning,
  "src/roundtable/consensus/movement.ts isNamedIn": (text) => isNamedIn("Agent 1", text),
  "src/roundtable/consensus/movement.ts isReport": isReport,
  "src/roundtable/consensus/statements.ts readStatement": (text) => readStatement("a", text),
  "src/roundtable/consensus/tokens.ts tokensOf": tokensOf,
  "src/roundtable/consensus/statements.ts termsOf": termsOf,
  "src/roundtable/context-text.ts fitTexts": (text) => fitTexts([text, text], 1_000),
  "src/roundtable/nested-record.ts withSources": (text) => withSources(text, [], []),
  "src/roundtable/position.ts readCitedContext": (text) =>
    readCitedContext([text], text, [{ requestId: "req_1", label: "C1" }]),
  "src/roundtable/position.ts readPosition": (text) => readPosition(text, { stance: "required", citable: [] }),
  "src/roundtable/prose-position.ts proseAsPosition": (text) => proseAsPosition(text, { citable: [] }),
  "src/roundtable/supervised-texts.ts splitParts": (text) => splitParts(text, 2),
  "src/roundtable/written-answer.ts clipped": (text) => clipped(text, 1_000),
  "src/roundtable/written-answer.ts readFrom": (text) => readFrom(text, () => ({ ok: false })),
  "src/routing/decision-repair.ts readDecision": (text) => readDecision(text, ["a"], ["a"]),
  "src/supervision/orders-in-data.ts givesOrders": givesOrders,
  "src/supervision/orders-in-data.ts markedAsData": (text) => markedAsData(text, "fence"),
  "src/supervision/quotes.ts quoteRemover": (text) => quoteRemover(text)(text),
  "src/supervision/rules/edits.ts shorten": (text) => shortenEdit(text, 100, "…"),
  "src/supervision/rules/fence.ts withoutFence": (text) => withoutFence(`may not contains orders ${text}`),
  "src/supervision/rules/fence.ts isFenced": isFenced,
  "src/supervision/rules/fence.ts outsideFences": outsideFences,
  "src/supervision/rules/fence.ts fenced": fenced,
  "src/supervision/rules/injection.ts explainedScore": (text) => explainedScore(text),
  "src/supervision/rules/injection/marks.ts shareOfDifferent": shareOfDifferent,
  "src/supervision/rules/normalise.ts normalise": normalise,
  "src/supervision/rules/normalise.ts Normaliser.push": (text) => new Normaliser().push(text),
  "src/supervision/rules/personal/cards.ts findCards": findCards,
  "src/supervision/rules/personal/checksums.ts digitsOf": digitsOf,
  "src/supervision/rules/personal/context.ts wordsOf": wordsOf,
  "src/supervision/rules/personal/dates.ts withoutDates": withoutDates,
  "src/supervision/rules/personal/national-ids.ts findNumericIds": (text) => findNumericIds(text, "id "),
  "src/supervision/rules/personal/phones.ts findPhones": (text) => findPhones(text, "call "),
  "src/supervision/rules/secret/announced-values.ts AnnouncedValues.find": (text) => announced.find(text, "password: "),
  "src/supervision/rules/secret/known-keys.ts KeyFinder.find": (text) => keys.find(text),
  "src/supervision/rules/destination.ts hostsOf": hostsOf,
  "src/supervision/rules/secret/plausible.ts isPlausible": isPlausible,
  "src/supervision/rules/secret/plausible.ts isMixed": isMixed,
  "src/supervision/rules/secret/plausible.ts hasThreeClasses": hasThreeClasses,
  "src/supervision/rules/secret/plausible.ts isStrong": isStrong,
  "src/supervision/rules/scan.ts scanText": (text) => [numbers(text), secrets(text), injection(text), links(text)],
  "src/platform/oauth-addresses.ts isResource": (text) =>
    isResource(`https://conclave.example/${text}`, "https://conclave.example"),
  "src/platform/oauth-addresses.ts matchesRedirect": (text) => matchesRedirect("http://127.0.0.1/cb", text),
  "src/evidence/proof/checkpoint.ts readCheckpoint": readCheckpoint,
  "src/tenancy/audit.ts csvCell": csvCell,
  "src/text/edges.ts trimEndOf": (text) => trimEndOf(text, /[_.! ]/),
  "src/text/edges.ts trimStartOf": (text) => trimStartOf(text, /[_.! ]/),
  "src/text/edges.ts headingOf": headingOf,
  "src/text/json.ts readJson": readJson,
  "src/text/json.ts isNestedTooDeep": isNestedTooDeep,
  "src/text/meanings.ts meaningsOf": meaningsOf,
  "src/text/one-line.ts oneLine": (text) => oneLine(text),
  "src/text/overlap.ts termSet": termSet,
  "src/text/overlap.ts sharedTerms": (text) => sharedTerms(termSet(text), words),
  "src/text/overlap.ts likeness": (text) => likeness(termSet(text), words),
  "src/text/overlap.ts coverageOf": (text) => coverageOf(text)(text),
  "src/text/overlap.ts mentions": (text) => mentions(words, text),
  "src/text/passages.ts sentences": sentences,
  "src/text/passages.ts shorten": (text) => shorten(text, 100),
  "src/text/question-likeness.ts questionLikeness": (text) => questionLikeness(text, `${text}b`),
  "src/text/same-question.ts isSameQuestion": (text) => isSameQuestion(text, `${text}b`),
  "src/text/server-sent-events.ts ServerSentEventParser.push": (text) => new ServerSentEventParser().push(text),
  "src/text/stemmer.ts stem": stem,
  "src/text/text-features.ts readFeatures": (text) =>
    readFeatures(text, { runs: [2, 3], most: 100_000, words: new Map() }, () => {}),
  "src/text/tokenizer.ts fold": fold,
  "src/text/tokenizer.ts plainWords": plainWords,
  "src/text/tokenizer.ts wordTerm": wordTerm,
  "src/text/tokenizer.ts tokenize": tokenize,
  "src/text/tokenizer.ts indexTerms": indexTerms,
  "src/text/variants.ts isBeyondEnglish": isBeyondEnglish,
  "src/text/variants.ts beginningsOf": beginningsOf,
  "src/text/variants.ts formLikeness": (text) => formLikeness(text, `${text}b`),
  "src/text/word-diff.ts wordDiff": (text) => wordDiff(text, `${text}b`),
  "src/text/written-json.ts jsonObjectsIn": (text) => [...jsonObjectsIn(text)],
  "src/text/written-json.ts readProbability": readProbability,
};

/**
 * What isn't fed, by its name or by what its name begins with, and why. A function that takes a text and belongs to none of these is
 * one for the table above.
 */
export const notFed: Readonly<Record<string, string>> = {
  "src/application/people/challenges.ts newChallenge": "puts it into a signed text",
  "src/application/people/challenges.ts openChallenge": "checks a signature",
  "src/chat/waits-for.ts waitsFor": "hands ids on",
  "src/asks/proposal.ts reviewedAs": "one pass of the platform's over its line ends",
  "src/console/screen.ts searchWith": "an address of ours",
  "src/console/assets.ts digest": "reads each character once, of our own pages",
  "src/platform/copied-id.ts withCopiedIds":
    "answers later: two patterns of fixed length, which the check of patterns covers",
  "src/tenancy/home.ts chooseHome": "compares the name of a jurisdiction",
  "src/model/provider-table.ts meaningOfDefault": "looks a name up",
  "src/platform/webauthn.ts readAuthenticatorData": "reads bytes at fixed places",
  "src/platform/webauthn.ts isSignedBy": "checks a signature",
  "src/supervision/trial.ts trySupervisors": "hands it to supervisors",
  "src/tenancy/subjects.ts shownJob": "puts fields together",
  "src/tenancy/subjects.ts withPseudonym": "compares names",
  "src/tenancy/limits/windows.ts windowAt": "takes the name of a time zone",
  "src/text/table.ts ": "reads our own tables",
  "durable-objects/": "binds texts to statements, or hands them to what is fed",
  "src/stores/": "binds texts to statements",
  "src/gateways/": "hands them to objects",
  "src/command-line/": "runs in the caller's process",
  "src/client/": "runs in the caller's process",
  "src/platform/sql.ts ": "reads statements of our own",
  "src/platform/bytes.ts ": "one pass of the platform's",
  "src/platform/digest.ts ": "one pass of the platform's",
  "src/conversation/secret-text.ts ": "looks at how it begins",
  "src/platform/secrets.ts ": "one pass of the platform's",
  "src/platform/webhook-signature.ts ": "one pass of the platform's",
  "src/agent/definition.ts modelList": "a name",
  "src/agent/schema-limits.ts resolvePointer": "a reference of a schema, whose size is bounded",
  "src/agent/tool-call.ts runToolCall": "reads arguments by readJson",
  "src/application/example-classifiers.ts ExampleClassifiers.meaning": "hands it to the embedder",
  "src/application/example-vectors.ts ExampleVectors.likenesses": "hands it to the embedder",
  "src/application/grants/authorization-request.ts readAuthorizationRequest":
    "hands its fields to matchesRedirect and isResource, which are fed",
  "src/application/grants/claims.ts openClaims": "8,000 units at most; by readJson",
  "src/application/grants/clients.ts OAuthError.constructor": "a sentence of ours",
  "src/application/grants/clients.ts registerClient": "by readJson, within its bound",
  "src/application/people/sign-in.ts failedSignIn": "an address of a caller, which it hands on",
  "src/tenancy/access.ts issuerOf": "a team's domain of 300 units at most, whose last one alone is looked at",
  "src/console/guard.ts policyWith": "an address of 500 units at most, as isRedirectAddress has it",
  "src/application/memory/": "hands them to supervision, the store and the search, which are fed",
  "src/application/openai/answer-in-chat.ts answerOpenAsk": "tried over the API; its words are cut by trimEndOf",
  "src/application/openai/conversation-before.ts resolveResults": "puts it into a record",
  "src/application/supervisor-builder.ts SupervisorBuilder.givesOrders": "hands it to givesOrders",
  "src/application/tool-builder.ts refusedAddress": "a sentence of ours",
  "src/application/turn-context.ts ": "hands them to mentionedItems, likeMessage and the search",
  "src/asks/policy.ts audienceOf": "a role",
  "src/catalogues/outbox.ts readPayload": "what we stored",
  "src/channels/questions.ts buttonValue": "a value of ours",
  "src/channels/questions.ts answerOf": "compares it",
  "src/chat/caller-input.ts superviseCallerInput": "hands it to supervision",
  "src/chat/caller-prompt.ts promptOf": "puts it into a prompt",
  "src/chat/message-version.ts linkText": "puts it into a line",
  "src/chat/reply-stream.ts ": "hands pieces on",
  "src/channels/reactions.ts scoreOfReaction": "64 units of a sign",
  "src/chat/staff-message.ts staffMessage": "puts it into a record",
  "src/chat/turn-answer.ts answerTurn": "the turn itself; tried over the API",
  "src/chat/turn-calls.ts callsOf": "events that we stored",
  "src/conversation/actor-record.ts readAuthor": "a column that we wrote",
  "src/conversation/problem.ts refuse": "a sentence of ours",
  "src/conversation/problem.ts problem": "a sentence of ours",
  "src/http/site/": "our own pages",
  "src/http/document/": "our own document",
  "src/http/routing.ts ": "a sentence of ours",
  "src/http/ui-chat/reply-text.ts ReplyTextParts.settle": "compares it with what was shown",
  "src/mcp/paced.ts Paced.say": "a sentence of ours",
  "src/mcp/steps.ts stepOf": "events that we stored",
  "src/memory/context-items.ts compactOrigin": "ids",
  "src/memory/entry.ts recalledLine": "puts it into a line",
  "src/memory/memory-agent.ts writingTool": "a sentence of ours",
  "src/memory/retrieval/bm25.ts countTerms": "terms of an entry, whose text is tokenized",
  "src/memory/retrieval/candidate-plan.ts ": "terms of a query, 32 at most",
  "src/memory/retrieval/entry-terms.ts speakerMark": "a term",
  "src/memory/retrieval/entry-terms.ts tagMark": "a term",
  "src/memory/retrieval/search.ts search": "reads its query by parseQuery",
  "src/memory/retrieval/topics.ts ": "looks terms up",
  "src/model/estimate.ts estimateUsage": "by estimateTokens",
  "src/model/port.ts ModelError.constructor": "a sentence of ours",
  "src/model/providers/chat-shapes.ts finishReason": "compares it",
  "src/model/providers/offline/choices.ts rankChoices": "by contentWords and stems",
  "src/model/providers/offline/schema-reading.ts ": "a schema, whose size is bounded",
  "src/model/providers/offline/strings.ts TextFinder.textsFor": "a description of a schema, whose size is bounded",
  "src/model/providers/reply-assembler.ts ": "puts pieces together",
  "src/model/retry.ts retryAfterMs": "a header",
  "src/openai/": "reads bodies by readJson, and writes sentences of ours",
  "src/roundtable/consensus/lexicon.ts longestBeginning": "looks 14 letters up",
  "src/roundtable/context-request.ts ": "puts it into a record",
  "src/roundtable/context-text.ts firstWithin": "adds up lengths",
  "src/roundtable/context-text.ts lastWithin": "adds up lengths",
  "src/roundtable/debate-material.ts materialPrompt": "puts it into a prompt",
  "src/roundtable/supervised-texts.ts supervise": "puts it into a subject",
  "src/routing/agent-reports.ts handOffReport": "puts it into a line",
  "src/routing/clarifications.ts clarificationOf": "puts it into a record",
  "src/routing/task.ts Retries.next": "a sentence of ours",
  "src/routing/prompt-context.ts agentPrompt": "puts it into a prompt",
  "src/routing/strategies/skill-based.ts routeBySkills": "a name",
  "src/routing/task.ts failedOutcome": "a sentence of ours",
  "src/routing/team-agent.ts mostRelevant": "by coverageOf",
  "src/routing/supervised-texts.ts ": "hands it to supervision",
  "src/supervision/caller-text.ts clearedText": "looks it up",
  "src/supervision/reasons.ts sanitizeReason": "reasons, by quoteRemover and the rules",
  "src/supervision/rules/detector.ts TextWindow.append": "fed through scanText",
  "src/supervision/rules/destination.ts isAllowedHost": "compares a host with those of a rule, whose size is bounded",
  "src/supervision/rules/edits.ts applyEdits": "slices by places",
  "src/supervision/rules/edits.ts singleEdit": "a sentence of ours",
  "src/supervision/rules/folding.ts ": "phrases of a rule, whose size is bounded",
  "src/supervision/rules/injection.ts explainedOrders": "fed through givesOrders",
  "src/supervision/rules/injection/":
    "reads one sentence of at most 240 units, or is fed through givesOrders and scanText",
  "src/supervision/rules/outcome.ts Outcome.join": "sentences of the rules",
  "src/supervision/rules/patterns.ts ": "patterns of a rule, whose size is bounded; they run in RE2",
  "src/supervision/rules/personal/cards.ts isCard": "digits of a number, 19 at most",
  "src/supervision/rules/personal/checksums.ts passes": "digits of a number",
  "src/supervision/rules/personal/context.ts leftOf": "slices",
  "src/supervision/rules/personal/context.ts WordTable.constructor": "a table of ours",
  "src/supervision/rules/personal/email.ts findEmail": "fed through scanText",
  "src/supervision/rules/personal/iban.ts findIban": "fed through scanText",
  "src/supervision/rules/personal/national-ids.ts findLetteredId": "fed through scanText",
  "src/supervision/rules/personal/phones.ts announcedBy": "the 64 units left of a number",
  "src/supervision/rules/phrase-automaton.ts ": "phrases of a rule, whose size is bounded",
  "src/supervision/rules/phrases.ts ": "phrases of a rule, whose size is bounded",
  "src/supervision/rules/secret/plausible.ts entropyOf": "by isPlausible",
  "src/supervision/rules/stream-stage.ts ": "fed through scanText, piece by piece",
  "src/supervision/supervisor.ts RefusedCallError.constructor": "a sentence of ours",
  "src/supervision/tools/": "sentences that a supervisor says, of bounded size",
  "src/channels/platforms/body.ts readBody": "by readJson",
  "src/channels/platforms/body.ts unreadableBecause": "puts it into a line",
  "src/supervision/decider-message.ts withMessage": "a sentence of ours, and the rules",
  "src/supervision/kinds/http-answer.ts readAnswer": "by readJson",
  "src/application/evidence/manage-items.ts linesOf": "looks whether there is anything",
  "src/application/supervision/tried-text.ts subjectAt": "by readJson",
  "src/application/evidence/recorded-answers.ts":
    "looks for a call by its name and its arguments as canonical JSON, which is one walk over them",
  "src/platform/published-keys.ts PublishedKeys.at": "an address, as the key of a map",
  "src/application/evidence/judge-pair.ts": "puts texts into blocks, and reads a last line",
  "src/asks/claim.ts deferralFault": "compares times",
  "src/application/evidence/experiment-records.ts checkAgents": "names, compared",
  "src/console/notices.ts noticeOf": "a word, as the key of a table",
  "src/evidence/judgement.ts": "names of candidates, whose length is bounded, and numbers",
  "src/supervision/suggestions.ts scoreIn": "a reason of ours",
  "src/supervision/suggestions.ts suggestExamples":
    "instructions, whose length is bounded, and texts of at most 1,000 characters",
  "src/evidence/comparison": "names of candidates, whose length is bounded, and numbers",
  "src/evidence/proof/checkpoint.ts signedCheckpoint": "puts three lines together",
  "src/evidence/experiment.ts ": "names and times of ours",
  "src/evidence/dataset.ts replayTitle": "what it is of, compared",
  "src/evidence/item.ts expectedOfReview": "compares two texts",
  "src/platform/gzip.ts gzip": "the platform's",
  "src/platform/ids.ts newEvalId": "puts it into an id",
  "src/statistics/random.ts ": "a name of ours, unit by unit",
  "src/statistics/shares.ts bootstrapMean": "a name of ours",
  "src/evidence/item.ts readLines": "each line by readJson, within its bound",
  "src/evidence/correctness.ts isCorrect": "looks for at most 40 phrases of at most 2,000 characters each",
};
