/**
 * Text that a model must read and not obey is handed over inside a block. Everything that could close or open a block is
 * escaped, so nothing inside can end it.
 */

/** `<tag name="value">` + escaped text + `</tag>`. */
export function dataBlock(tag: string, attributes: Readonly<Record<string, string>>, text: string): string {
  const rendered = Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeMarkup(value).replaceAll('"', "&quot;")}"`)
    .join("");
  return `<${tag}${rendered}>\n${escapeMarkup(text)}\n</${tag}>`;
}

function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
