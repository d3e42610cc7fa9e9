/** Readable text inside an encoding: base64, hexadecimal, binary. What an honest message has no reason to hide. */

/** The least decoded characters that are looked at, and the most: a sentence is short. */
const decodedLength = { least: 12, most: 180 } as const;
const base64Run = /[A-Za-z0-9+/]{20,}/g;
const hexRun = /(?:[0-9a-fA-F]{2} ?){12,}/g;
const binaryRun = /(?:[01]{8} ?){8,}/g;
const base64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Whether a sentence of bounded length holds an encoded one that reads as words with spaces. */
export function hidesText(sentence: string): boolean {
  return (
    has(sentence, base64Run, fromBase64) ||
    has(sentence, hexRun, (run) => fromGroups(run, 2, 16)) ||
    has(sentence, binaryRun, (run) => fromGroups(run, 8, 2))
  );
}

function has(sentence: string, form: RegExp, decode: (run: string) => string): boolean {
  return (sentence.match(form) ?? []).some((run) => isReadable(decode(run)));
}

function fromBase64(run: string): string {
  let [text, bits, count] = ["", 0, 0];
  for (const letter of run) {
    bits = ((bits << 6) | base64Letters.indexOf(letter)) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    text += String.fromCharCode((bits >> count) & 0xff);
    if (text.length >= decodedLength.most) break;
  }
  return text;
}

function fromGroups(run: string, size: number, radix: number): string {
  const digits = run.replaceAll(" ", "");
  let text = "";
  for (let at = 0; at + size <= digits.length && text.length < decodedLength.most; at += size)
    text += String.fromCharCode(Number.parseInt(digits.slice(at, at + size), radix));
  return text;
}

/** Letters and spaces, no control characters, words of the length of words. */
function isReadable(text: string): boolean {
  if (text.length < decodedLength.least) return false;
  const letters = text.match(/[a-zA-Z]/g)?.length ?? 0;
  const spaces = text.match(/ /g)?.length ?? 0;
  return /^[\x20-\x7e\n]*$/.test(text) && letters + spaces >= text.length * 0.8 && spaces * 12 >= text.length;
}
