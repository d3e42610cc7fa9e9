/** What people write: alone, to each other, to an assistant. */
import type { Chance } from "./chance.js";
import type { Kind } from "./kind.js";
import { languages, names, paragraph, sentence } from "./words.js";

const emoji = [..."😀😂🙏👍🎉❤🔥😢🤔🚗🍕🐶🌧☀✅❌🎂💡📦🛵"];
const roles = [
  "user",
  "User",
  "Customer",
  "Kunde",
  "Client",
  "Agent",
  "Support",
  "Assistant",
  "assistant",
  "Bot",
  "客服",
  "Гость",
];
const greetings = "Hi|Hey|Hello|Dear|Hallo|Liebe|Salut|Bonjour|Hola|Olá|Ciao|Hoi|Привет|你好|Selam|नमस्ते|مرحبا".split(
  "|",
);

/** Short answers as they are typed. */
const scraps =
  "ok|thx!!|lol|yes|no|k|??|brb|np|got it|hmm|haha|see above|same here|1|2nd one|tomorrow 5pm|call me|👍|+1|danke|merci|gracias|да|好|はい".split(
    "|",
  );

function dialogue(chance: Chance, head: (person: string) => string): string {
  const lang = chance.pick(languages);
  const people = chance.percent(60)
    ? [chance.pick(roles), chance.pick(roles)]
    : [chance.pick(names), chance.pick(names)];
  const lines = chance.list(1, 7, (at) => {
    const kind = chance.pick(["message", "question", "statement"] as const);
    return `${head(people[at % 2] ?? "")}${sentence(chance, kind, lang)}`;
  });
  return lines.join("\n");
}

function chatTime(chance: Chance): string {
  const [hours, minutes] = chance.clock().split(":");
  switch (chance.below(5)) {
    case 0:
      return `[${hours}:${minutes}] `;
    case 1:
      return `${chance.date()} ${hours}:${minutes} - `;
    case 2:
      return `[${chance.between(1, 28)}/${chance.between(1, 12)}/26, ${hours}:${minutes}] `;
    case 3:
      return `(${hours}:${minutes}) `;
    default:
      return `${chance.moment()} `;
  }
}

export const talkKinds = {
  "short chat": {
    make: (chance) => (chance.percent(10) ? chance.pick(scraps) : paragraph(chance, 1, 2)),
  },
  questions: {
    make: (chance) => {
      const lang = chance.pick(languages);
      return chance.list(1, 3, () => sentence(chance, "question", lang)).join(" ");
    },
  },
  names: {
    make: (chance, index) => {
      const name = names[index % names.length] ?? "";
      if (chance.percent(30)) return `${chance.pick(greetings)} ${name}! When does my parcel arrive?`;
      if (chance.percent(20)) return `${chance.pick(greetings)} ${name}!`;
      return sentence(chance, "message", chance.pick(languages), name);
    },
  },
  transcripts: { make: (chance) => dialogue(chance, (person) => `${person}: `) },
  "transcripts with times": { make: (chance) => dialogue(chance, (person) => `${chatTime(chance)}${person}: `) },
  "transcript beginnings": {
    make: (chance) =>
      `${dialogue(chance, (person) => `${person}: `)}\n${chance.pick(["Assistant:", "Agent:", "Bot: ", "A:"])}`,
  },
  "pasted chats": {
    make: (chance) =>
      dialogue(
        chance,
        (person) => `${person} ${chance.pick(["wrote", "—", "·", "said"])} ${chance.clock().slice(0, 5)}\n`,
      ),
  },
  "requests about a text": { make: (chance) => sentence(chance, "request") },
  "role-play asked for": { make: (chance) => sentence(chance, "roleplay") },
  emoji: {
    make: (chance) => {
      const some = () => chance.list(1, 6, () => chance.pick(emoji)).join("");
      return chance.percent(40) ? some() : `${sentence(chance, "message")} ${some()}${chance.percent(30) ? "!!!" : ""}`;
    },
  },
  gibberish: {
    make: (chance) => {
      const alphabet = chance.pick([
        "abc",
        "asdfghjkl",
        "abcdefghijklmnopqrstuvwxyz",
        "абвгд",
        "qwe rty",
        "01",
        "xyz.,!",
      ]);
      if (chance.percent(25)) return `${chance.pick(greetings)} `.repeat(chance.between(2, 40)).trim();
      if (chance.percent(15)) return `${sentence(chance, "message")} `.repeat(chance.between(2, 8)).trim();
      return chance.list(1, 40, () => chance.characters(alphabet, chance.between(1, 9))).join(" ");
    },
  },
} satisfies Record<string, Kind>;
