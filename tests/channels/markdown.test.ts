import { describe, expect, it } from "vitest";
import { dialects, translate } from "../../src/channels/markdown.js";
import { slowness } from "../support/growth.js";

const text =
  "# Hours\n\nWe open at **nine**, *sharp*; ~~ten~~ `8 < 9` [map](https://shop.example/a?b=1&c=2)\n- one\n- two & three";

describe("Markdown in the format of a chat", () => {
  it.for([
    {
      dialect: dialects.slack,
      shown:
        "*Hours*\n\nWe open at *nine*, _sharp_; ~ten~ `8 &lt; 9` <https://shop.example/a?b=1&amp;c=2|map>\n• one\n• two &amp; three",
    },
    {
      dialect: dialects.telegram,
      shown:
        '<b>Hours</b>\n\nWe open at <b>nine</b>, <i>sharp</i>; <s>ten</s> <code>8 &lt; 9</code> <a href="https://shop.example/a?b=1&amp;c=2">map</a>\n• one\n• two &amp; three',
    },
    {
      dialect: dialects.whatsapp,
      shown:
        "*Hours*\n\nWe open at *nine*, _sharp_; ~ten~ `8 < 9` map (https://shop.example/a?b=1&c=2)\n- one\n- two & three",
    },
  ])("$shown", ({ dialect, shown }) => {
    expect(translate(text, dialect)).toBe(shown);
  });

  it("mentions nobody, and leaves no tag open, whatever a model writes", () => {
    expect(translate("<!channel> <@U1> **a", dialects.slack)).toBe("&lt;!channel&gt; &lt;@U1&gt; **a");
    expect(translate("<b>a **b <i>** [x](javascript:alert(1))", dialects.telegram)).not.toMatch(/<(?!\/?b>)/);
    expect(translate("```js\n<script>", dialects.telegram)).toBe(
      '<pre><code class="language-js">&lt;script&gt;</code></pre>',
    );
  });

  it("stars and underlines within words are none of its marks", () => {
    expect(translate("2*3*4 snake_case_name a * b", dialects.slack)).toBe("2*3*4 snake_case_name a * b");
  });

  it("reads a long line without a closing mark in a moment", () => {
    expect(slowness((line) => translate(line, dialects.telegram), ["", "*a _b `c [d ~~e ", ""])).toBeUndefined();
  });
});
