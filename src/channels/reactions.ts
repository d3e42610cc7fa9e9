/** What a reaction in a chat says of the message that it stands at. */

const up = ["👍", "❤", "🔥", "👏", "🎉", "🙏", "💯", "😍", "+1", "thumbsup", "heart", "clap", "tada", "fire", "100"];
const down = ["👎", "😡", "🤬", "💩", "🤮", "😢", "-1", "thumbsdown", "rage", "angry", "poop", "cry"];
const scores: ReadonlyMap<string, 1 | -1> = new Map([
  ...up.map((sign) => [sign, 1] as const),
  ...down.map((sign) => [sign, -1] as const),
]);

/**
 * Nothing of one that is no judgement. Skin tones and variants count as the sign itself.
 * @param sign an emoji, or its name as Slack writes it
 * @example scoreOfReaction("👎🏽") // -1
 */
export function scoreOfReaction(sign: string): 1 | -1 | undefined {
  const [name = ""] = sign.slice(0, 64).split("::", 1);
  return scores.get(name.replaceAll(/[\u{1f3fb}-\u{1f3ff}\ufe0f]/gu, ""));
}
