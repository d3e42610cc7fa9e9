/** The match `links`: what carries data out in a reply's links and images, and what doesn't suffer from it. */
import { describe, expect, it } from "vitest";
import { rulesConfigSchema } from "../../../src/supervision/rules/config.js";
import { finds, redacting, rulesOf, splits, stream } from "./support.js";

const hosts = ["shop.example", "*.cdn.example"];
const links = { type: "links", hosts, images: "also" } as const;
const images = { ...links, images: "only" } as const;
const evil = "https://evil.example/p?d=rosebud";

describe("a rule of links finds", () => {
  it.each([
    ["a Markdown link", `[x](${evil})`],
    ["a link with a title, over lines", `[x](\n  ${evil} "a title")`],
    ["a link in angle brackets", `[x](<${evil}>)`],
    ["a bare address", `See ${evil}, please.`],
    ["an address in brackets", `<${evil}>`],
    ["an address without a scheme", "www.evil.example/p?d=rosebud"],
    ["a reference's definition", `[x][1]\n\n[1]: ${evil}`],
    ["a link in HTML", `<a title=">" href = '${evil}'>x</a>`],
    ["a user and a port", "[x](https://shop.example@evil.example:8080/p?d=rosebud)"],
    ["a backslash before the host it seems", "[x](https://evil.example\\@shop.example/rosebud)"],
    ["two slashes alone", "[x](//evil.example/rosebud)"],
    ["a scheme of escapes", "[x](https\\://evil.example/rosebud)"],
    ["a scheme of entities", "[x](h&#116;tps&colon;&#x2F;&sol;evil.example/rosebud)"],
    ["full-width and invisible letters", "[x](ｈttps://ev\u200bil.example/rosebud)"],
    ["an address where a definition or an attribute seems to stand", `Source [1]: (${evil}) <b>x</b> src="*${evil}*"`],
    ["a host that only begins or ends like an allowed one", "[x](https://shop.example.evil.example/rosebud)"],
  ])("%s", (_, text) => {
    const redacted = redacting(links).judge(text);
    expect(redacted.action).toBe("modify");
    expect(redacted.text).toContain("[link]");
    expect(redacted.text).not.toMatch(/rosebud|evil/);
  });

  it.each([
    ["a Markdown image", `![x](${evil})`],
    ["an image in a link", `[![x](${evil})](https://shop.example/)`],
    ["an image whose text holds brackets and code", `![a \`](\` [b] c](${evil})`],
    ["an image of a reference", `![x][Pic 1]\n\n[pic  1]: ${evil}`],
    ["an image of a reference that stands before it", `[pic]: ${evil}\n\n![pic]`],
    ["an image whose text holds a link", `![foo [bar](/x)](${evil})`],
    ["an image whose text holds an image", `![a ![b](https://shop.example/i) c](${evil})`],
    ["an image where a destination seems to stand", `Source [1]: ![chart](${evil}) and [a](![x](${evil}) more`],
    ["an image where an attribute seems to stand", `<b>x</b> src="![x](<${evil}>)"`],
    ["an image of a reference in other letters", `![x][ẞ]\n\n[SS]: ${evil}`],
    ["HTML", `<img alt=">" src="${evil}">`],
    ["HTML without quotes", `<IMG/SRC=${evil}>`],
    ["HTML with white space", `<img src${" ".repeat(60)}=\n "${evil}">`],
    ["one of several sizes", `<img srcset="https://shop.example/1.png 1x, ${evil} 2x">`],
    ["a style", `<div style="background: url('${evil}')">`],
    ["a style sheet", `<style>@import "${evil}"; p { background: url(${evil}) }</style>`],
    ["what else is loaded", `<svg><image href="${evil}"/></svg><link rel=x href=${evil}>`],
  ])("by images alone: %s", (_, text) => {
    const redacted = redacting(images).judge(text);
    expect(redacted.action).toBe("modify");
    if (!text.startsWith("[pic]")) expect(redacted.text).not.toMatch(/rosebud|evil/);
    else expect(redacted.text).toContain("![[image]]");
  });

  it("nothing that leads to an allowed host, or stays on the page's own", () => {
    for (const text of [
      "[x](https://shop.example/p?d=1) ![x](https://SHOP.example:443/a.png) <img src='//img.cdn.example/a.png'>",
      "[x](/help) [y](#top) [z](mailto:ada@evil.example) ![x](data:image/png;base64,AAAA) ![y](./a.png)",
      "Read https://shop.example’s page, «https://shop.example» and https://shop.example، ok.",
      "Plain text: see section 3.2, either/or, a // comment, C:\\dir, items![0], vec![1, 2] and x[0]: 5.",
    ])
      for (const match of [links, images]) expect(finds(match, text)).toEqual([]);
  });

  it("by images alone no link that has to be clicked", () => {
    const text = `[x](${evil}) ${evil} <a href="${evil}">x</a> [1]: ${evil}\n![ok](https://shop.example/a.png) [y](${evil})`;
    expect(finds(images, text)).toEqual([]);
    expect(finds(links, text)).toHaveLength(5);
  });

  it("the destination alone: the words around it stay", () => {
    expect(redacting(images).judge(`A ![chart](${evil}) of [sales](https://x.example/a).`).text).toBe(
      "A ![chart]([image]) of [sales](https://x.example/a).",
    );
    expect(redacting(links).judge(`See (${evil}), or [this](${evil} "t").`).text).toBe(
      'See ([link]), or [this]([link] "t").',
    );
  });
});

it("hosts are hosts alone", () => {
  const of = (host: string) =>
    rulesConfigSchema.safeParse({
      rules: [{ match: { type: "links", hosts: [host] }, action: "redact", reason: "no" }],
    }).success;
  expect(["shop.example", "*.shop.example", "bücher.example"].filter(of)).toHaveLength(3);
  expect(["https://shop.example", "shop.example/p", "*", "a*.example", "shop.example:80", ""].filter(of)).toEqual([]);
});

it.each([
  [links, `a [x](${evil}) www.evil.example/b <a href='${evil}'> //evil.example`],
  [images, `![a [b](${evil}) <img src=${evil}> ![c]\n\n[c]: ${evil}`],
  [images, `[c]: ${evil}\n![c] ok`],
])("finds the same in a stream, however it is cut: %o", (match, text) => {
  const rules = redacting(match);
  const whole = rules.judge(text).text;
  for (const pieces of splits(text)) expect(stream(rules, pieces).released, JSON.stringify(pieces)).toBe(whole);
});

it("a reply goes on being streamed before its first link, and behind each", () => {
  const rules = rulesOf({ match: images, action: "redact", reason: "no" });
  const streamed = stream(rules, ["Here is ", "a picture: ![x](", evil, ") and ", "more"]);
  expect(streamed.steps).toEqual(["Here is ", "a picture: ![x](", "", "[image]) and ", "more", ""]);
});
