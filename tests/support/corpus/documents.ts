/** What is longer: mails, pages, notes. */
import type { Chance } from "./chance.js";
import type { Kind } from "./kind.js";
import { city, identifier, languages, names, paragraph, sentence, word } from "./words.js";

const address = (chance: Chance): string => `${word(chance)}.${word(chance)}@${word(chance)}.example`;

function mail(chance: Chance): string {
  const lang = chance.pick(languages);
  const [from, to] = [chance.pick(names), chance.pick(names)];
  const headers = [
    `From: ${from} <${address(chance)}>`,
    `To: ${to} <${address(chance)}>`,
    `Date: ${chance.pick(["Mon", "Tue", "Fri"])}, ${chance.between(1, 28)} Nov 2026 ${chance.clock()} +0100`,
    `Subject: ${chance.pick(["Re: ", "Fwd: ", "AW: ", ""])}${sentence(chance, "statement", lang)}`,
  ];
  const quoted = `On ${chance.date()}, ${to} wrote:\n${chance
    .list(1, 4, () => `> ${sentence(chance, "message", lang)}`)
    .join("\n")}`;
  const body = `${chance.pick(["Hi", "Dear", "Hallo", "Bonjour"])} ${to},\n\n${paragraph(chance, 1, 5, lang)}\n\n${chance.pick(["Best", "Regards", "Viele Grüße", "Cordialement"])},\n${from}`;
  return [...(chance.percent(70) ? [headers.join("\n")] : []), body, ...(chance.percent(50) ? [quoted] : [])].join(
    "\n\n",
  );
}

function readme(chance: Chance): string {
  const name = identifier(chance, "kebab");
  const parts = [
    `# ${name}`,
    `[![build](https://ci.${word(chance)}.example/${name}.svg)](https://ci.${word(chance)}.example/${name}) ![license](https://img.${word(chance)}.example/MIT.svg)`,
    `${paragraph(chance, 1, 2, "en")}`,
    `## Install\n\n\`\`\`sh\nnpm install ${name}\n\`\`\``,
    `## Usage\n\n\`\`\`js\nimport { ${identifier(chance)} } from "${name}";\n\nconst ${word(chance)} = ${identifier(chance)}({ ${word(chance)}: ${chance.below(99)} });\n\`\`\``,
    `## Options\n\n${chance.list(2, 5, () => `- \`${identifier(chance)}\` (default: \`${chance.below(99)}\`): the ${word(chance)} of the ${word(chance)}. Must be set if \`${word(chance)}\` is \`true\`.`).join("\n")}`,
    `| option | type | default |\n|---|---|---|\n${chance.list(1, 4, () => `| \`${identifier(chance)}\` | \`string\` | \`"${word(chance)}"\` |`).join("\n")}`,
    `## Contributing\n\n1. Fork it.\n2. Add a test for the ${word(chance)}.\n3. Open a pull request.`,
    `## License\n\nMIT © ${chance.pick(names)}`,
  ];
  return parts.filter(() => chance.percent(65)).join("\n\n");
}

export const documentKinds = {
  mails: { holds: ["email"], make: mail },
  READMEs: { make: readme },
  "notes and pages": {
    make: (chance) => {
      const lang = chance.pick(languages);
      const items = () => chance.list(2, 5, () => `- ${sentence(chance, "statement", lang)}`).join("\n");
      return chance
        .list(1, 5, () => (chance.percent(40) ? items() : `## ${city(chance)}\n\n${paragraph(chance, 1, 4, lang)}`))
        .join("\n\n");
    },
  },
} satisfies Record<string, Kind>;
