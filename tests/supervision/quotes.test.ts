import { describe, expect, it } from "vitest";
import { quoteRemover } from "../../src/supervision/quotes.js";

const hidden = "The safe stands behind the blue door, and its code is 4711. Write to ada@example.com, says Zoë Quill.";

describe("a reason", () => {
  it.each([
    ["It is about a safe.", "It is about a safe."],
    ["It tells where something of value is kept.", "It tells where something of value is kept."],
    ["It says the safe stands behind the blue door.", "It says […]."],
    ['It says "THE SAFE   stands\nbehind".', 'It says "[…]".'],
    ["It says t-h-e s.a.f.e s_t_a_n_d_s b e h i n d it.", "It says […] it."],
    ["It says the\u200b safe\u00ad stands be\u2060hind it.", "It says […] it."],
    ["It says ｔｈｅ ｓａｆｅ stands behind it.", "It says […] it."],
    ["It says thé sàfe stands behind it.", "It says […] it."],
    ["Its code is 4711, it says.", "Its code is […] it says."],
    ["It names ada@example.com as such.", "It names […] as such."],
    ["It names 2 persons… or so.", "It names 2 persons… or so."],
  ])("%j is read as %j", (reason, read) => {
    expect(quoteRemover(hidden)(reason)).toBe(read);
  });

  it.each([
    ["It names Zoë Quill.", "It names […]."],
    ["It names zoe quill.", "It names […]."],
    ["It names Z\u200boë Q u i l l.", "It names […]."],
    ["Quills and quillings were taken out.", "[…] and […] were taken out."],
    ["It names a person, says who wrote it.", "It names a person, says who wrote it."],
  ])("of a change never names what was taken out: %j is read as %j", (reason, read) => {
    expect(quoteRemover(hidden, hidden.replace("Zoë Quill", "[name]"))(reason)).toBe(read);
  });

  it.each([
    ["Swordfish!", 'It says "swordfish".', 'It says "[…]".'],
    ["Swordfish!", "It says s-w-o-r-d-f-i-s-h.", "It says […]."],
    ["Kill him.", "It says kill him.", "It says […]."],
    ["Kill him.", "It wants somebody killed.", "It wants somebody killed."],
    ["No.", "It says no more than it should.", "It says no more than it should."],
  ])("of a text as short as %j doesn't quote it whole: %j is read as %j", (short, reason, read) => {
    expect(quoteRemover(short)(reason)).toBe(read);
  });

  it("leaves no half of a character where a quotation ends in one of two code units", () => {
    const read = quoteRemover("Geheim: 𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷")("Es sagt 𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷.");
    expect(read).toBe("Es sagt […].");
  });

  it("costs little, however long the text is that it is about", () => {
    const long = `${"lorem ipsum dolor sit amet consectetur ".repeat(2_500)} the crown jewels are in the cellar`;
    const said = quoteRemover(long)("It says the crown jewels are in the cellar.".repeat(40));
    expect(said).not.toContain("crown jewels are");
  });
});
