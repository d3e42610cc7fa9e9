/** Rules and instructions of a thing that somebody asks for ("your rules for returns"): they aren't those of the machine that is asked. */
import type { FoldedText } from "./fold.js";
import { allConcepts, type Concept, type Hit } from "./terms.js";

/** Words for what a machine was told, which things have too. */
const ofThings: readonly Concept[] = ["orders", "prompt", "prior"];
/** Beside these alone somebody asks, and orders nothing. */
const asking: readonly Concept[] = [
  ...ofThings,
  "request",
  "reveal",
  "secret",
  "share",
  "mine",
  "material",
  "personal",
];
const maskOf = (concepts: readonly Concept[]): number =>
  concepts.reduce((mask, concept) => mask | (1 << allConcepts.indexOf(concept)), 0);
const [ofThingsMask, askingMask] = [maskOf(ofThings), maskOf(asking)];
const ofMachines = /system|prompt|initial|hidden|secret|intern|versteckt|geheim|ocult|cach|nascost/;
/** What they are for follows: no person who asks, no conversation, no pretext. Folded texts have no accents. */
const topic =
  /^[a-z]{0,3} (?:for|about|on|regarding|fur|uber|zum|zur|bei|beim|pour|sur|para|sobre|per|sui|sulle|voor|over|bij|om) (?!(?:me|us|mir|uns|mich|moi|nous|mi|ti|you|your|yourself|the|this|these|that|dich|dein|diese|answer|respon|repl|debug|test|audit|research|train|educat|safety|complian|verif|maint)[a-z]*\b)[a-z]{3,}/;

/** @returns the words without those of a thing that is asked for */
export function withoutTopics(hits: Hit[], { text }: FoldedText): Hit[] {
  if (!hits.every(({ concept }) => (askingMask & (1 << concept)) !== 0)) return hits;
  return hits.filter(({ concept, start, end }) => {
    const isOfThings = (ofThingsMask & (1 << concept)) !== 0 && !ofMachines.test(text.slice(start, end));
    return !isOfThings || !topic.test(text.slice(end, end + longestTopic));
  });
}

const longestTopic = 40;
