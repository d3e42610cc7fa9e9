/**
 * Finds where links and images lead: Markdown's inline and with references, HTML's attributes, style sheets, bare URLs. What is found is the
 * destination, so that the text around it stays. It reads a text character by character; what only code shows (fences) is read alike, since
 * not everybody renders it as code.
 *
 * @example linkDetector({ hosts: ["shop.example"], imagesOnly: true }) // finds the address in ![x](https://evil.example/p?d=1)
 */
import { hostsOf, isAllowedHost } from "./destination.js";
import { type Detector, Scanner, type TextWindow } from "./detector.js";

export interface LinkOptions {
  /** In lower case; `*.` before one stands for what is below it. */
  readonly hosts: readonly string[];
  /** Only what is fetched without a click. */
  readonly imagesOnly: boolean;
}

export function linkDetector(options: LinkOptions): Detector {
  const hint = options.imagesOnly ? /!\[|</ : /:[/\\]|www\.|\][(:]|</i;
  return { reads: "normal", mayMatch: ({ normal }) => hint.test(normal), open: () => new LinkScanner(options) };
}

/** How far a look back goes: an attribute's name and the white space behind it, a tag's name. */
const lookBack = 40;
/** What an address in running text may begin with, as far as it has come. */
const beginning = /(?:h|ht|htt|https?:?|f|ft|ftp:?|w|ws|wss?:|ww|www)$/i;
const bareStart = /(?:https?|ftp|wss?):[/\\]$/i;
const wwwStart = /(?:^|[^a-z0-9@.-])(www\.)$/i;
const attribute =
  /[\s"'/](src|href|srcset|poster|background|data|action|formaction|ping|cite|xlink:href|imagesrcset|lowsrc|dynsrc|style|content)$/i;
/** Attributes that lead somewhere only when they are clicked, unless the tag is one that loads them. */
const clicked = new Set(["href", "xlink:href", "action", "formaction", "cite", "ping"]);
const clickedTags = new Set(["a", "area", "form", "button", "input", "blockquote", "q"]);
const tagStart = /<\/?([a-z][a-z0-9:-]{0,30})[\s/>]$/i;
/** Labels of references are no longer in Markdown. */
const longestLabel = 999;
const bareEnd = /[\s<>"`|。、」』】》’‘“”«»،؛؟！？]/;
/** What begins no address: an image, a link or emphasis, where a destination was awaited. */
const noAddress = /[![(*`{]/;
const trailing = new Set([...".,;:!?'*_~"]);

/** A destination that is being read, or awaited: white space may come before it. */
interface Open {
  readonly kind: "bare" | "inline" | "definition" | "attribute" | "css";
  readonly counts: boolean;
  readonly label?: string;
  start?: number;
  /** What ends it: a quote, or `>` of `<…>`. */
  closing?: string;
  parens: number;
}

class LinkScanner extends Scanner {
  private cursor = 0;
  private open: Open | undefined;
  /** The text since the last `[`. */
  private label: string | undefined;
  private labelStart = 0;
  private lastLabel: string | undefined;
  /** An image was begun in this paragraph, and no destination has come for it. */
  private imageBegun = false;
  /** Brackets that are open, and how many were with the image's own: what stands within an image's text doesn't end it. */
  private depth = 0;
  private imageDepth = 0;
  /** Since it was begun something came of which a bracket may be a part, so that it closes nothing: code, a tag, an escape. */
  private isUnclear = false;
  private readonly imageLabels = new Set<string>();
  private readonly foreignLabels = new Set<string>();
  private tag: string | undefined;
  /** The name of an attribute before white space, which may stand before its `=`. */
  private attributeName: string | undefined;
  private previous = "";
  private tail = 0;

  constructor(private readonly options: LinkOptions) {
    super();
  }

  get hold(): number {
    if (this.open?.start !== undefined) return this.open.start;
    if (this.label !== undefined && this.imageBegun && this.foreignLabels.size > 0) return this.labelStart;
    return this.cursor - this.tail;
  }

  feed(chunk: string, window: TextWindow): void {
    const base = window.end - chunk.length;
    for (let at = 0; at < chunk.length; at++) {
      this.cursor = base + at;
      this.read(chunk.charAt(at), window);
    }
    this.cursor = window.end;
    this.tail = this.options.imagesOnly
      ? 0
      : (beginning.exec(window.slice(this.from(window, 8), window.end))?.[0].length ?? 0);
  }

  finish(window: TextWindow): void {
    this.cursor = window.end;
    if (this.open?.start !== undefined) this.close(window);
  }

  private read(character: string, window: TextWindow): void {
    if (this.open !== undefined && !this.goesOn(this.open, character)) {
      if (this.open.start !== undefined) this.close(window);
      this.open = undefined;
    }
    if (this.open === undefined) this.look(character, window);
    this.previous = character;
  }

  /** Whether a character belongs to what is being read. */
  private goesOn(open: Open, character: string): boolean {
    const isSpace = /\s/.test(character);
    if (open.start === undefined) {
      if (isSpace) return true;
      const opens = open.kind === "attribute" || open.kind === "css" ? /["']/ : /</;
      if (open.closing === undefined && opens.test(character)) {
        open.closing = character === "<" ? ">" : character;
        return true;
      }
      if (noAddress.test(character)) return false;
      open.start = this.cursor;
    }
    if (open.closing !== undefined) return character !== open.closing && !(open.closing === ">" && character === "\n");
    if (open.kind === "bare" ? bareEnd.test(character) : isSpace || (open.kind === "attribute" && character === ">"))
      return false;
    if (open.kind === "attribute") return true;
    if ("([".includes(character)) open.parens++;
    if (")]".includes(character)) open.parens--;
    return open.parens >= 0;
  }

  /** The destination ends before the cursor. */
  private close(window: TextWindow): void {
    const { open } = this;
    if (open?.start === undefined) return;
    let end = this.cursor;
    if (open.kind === "bare") {
      // "https://shop.example's page"
      if (/'s$/.test(window.slice(Math.max(open.start, end - 2), end))) end -= 2;
      while (end > open.start && trailing.has(window.slice(end - 1, end))) end--;
    }
    const text = window.slice(open.start, end);
    const isForeign = this.isForeign(open.kind === "attribute" ? [text, ...text.split(/[\s,;=()'"]+/)] : [text]);
    if (open.label !== undefined && isForeign) this.foreignLabels.add(open.label);
    if (isForeign && open.counts) this.find(open.start, end);
  }

  private isForeign(destinations: readonly string[]): boolean {
    return destinations.flatMap(hostsOf).some((host) => !isAllowedHost(host, this.options.hosts));
  }

  private find(start: number, end: number): void {
    this.found.push({ start, end, mask: this.options.imagesOnly ? "[image]" : "[link]" });
  }

  /** Looks at a character of what is no destination. */
  private look(character: string, window: TextWindow): void {
    const { imagesOnly } = this.options;
    if (this.label !== undefined && character !== "]") {
      this.label = this.label.length < longestLabel ? this.label + character : undefined;
    }
    if (/[\s=]/.test(character) && !/\s/.test(this.previous))
      this.attributeName = attribute.exec(window.slice(this.from(window, lookBack), this.cursor))?.[1]?.toLowerCase();
    switch (character) {
      case "[":
        this.depth++;
        if (this.previous === "!") {
          this.isUnclear &&= this.imageBegun;
          if (!this.imageBegun) this.imageDepth = this.depth;
          this.imageBegun = true;
        }
        this.label = "";
        this.labelStart = this.cursor + 1;
        return;
      case "]":
        this.depth = Math.max(0, this.depth - 1);
        this.endLabel();
        return;
      case "(":
        if (this.previous === "]") {
          this.await("inline", !imagesOnly || this.imageBegun);
          if (this.depth < this.imageDepth) this.imageBegun &&= this.isUnclear;
        } else if (this.tag !== undefined && /url\($/i.test(this.before(window, 4))) this.await("css", true);
        return;
      case ":":
        if (this.previous === "]" && this.lastLabel !== undefined)
          this.await("definition", !imagesOnly || this.imageLabels.has(this.lastLabel), this.lastLabel);
        return;
      case "`":
      case "\\":
      case "<":
        this.isUnclear = true;
        break;
      case "=":
        this.awaitAttribute();
        return;
      case "\n":
        if (/\n[ \t]*\n$/.test(this.before(window, lookBack))) {
          this.imageBegun = false;
          this.depth = 0;
        }
    }
    if (/[\s/>]/.test(character))
      this.tag = tagStart.exec(this.before(window, lookBack))?.[1]?.toLowerCase() ?? this.tag;
    if (this.readsRunningText()) this.begin(character, window);
  }

  /** Whether an address counts wherever it stands: any is a link, and in a style sheet any is fetched. */
  private readsRunningText(): boolean {
    return !this.options.imagesOnly || this.tag === "style";
  }

  private endLabel(): void {
    const label = this.label?.trim().replace(/\s+/g, " ").toLowerCase().toUpperCase();
    if (label !== undefined && label !== "") {
      if (this.imageBegun && this.options.imagesOnly && this.foreignLabels.has(label))
        this.find(this.labelStart, this.cursor);
      if (this.imageBegun) this.imageLabels.add(label);
      this.lastLabel = label;
    }
    this.label = undefined;
  }

  private awaitAttribute(): void {
    const name = this.attributeName;
    if (name === undefined || this.tag === undefined) return;
    this.await("attribute", !this.options.imagesOnly || !clicked.has(name) || !clickedTags.has(this.tag));
  }

  /** An address in running text may begin: it has come as far as its first slash or dot. */
  private begin(character: string, window: TextWindow): void {
    if (character !== "/" && character !== "\\" && character !== ".") return;
    const text = this.before(window, 9);
    const begun = character === "." ? wwwStart.exec(text)?.[1] : bareStart.exec(text)?.[0];
    if (begun !== undefined)
      this.open = { kind: "bare", counts: true, start: this.cursor + 1 - begun.length, parens: 0 };
  }

  private await(kind: Open["kind"], counts: boolean, label?: string): void {
    this.open = { kind, counts, parens: 0, ...(label === undefined ? {} : { label }) };
  }

  /** The text up to the cursor, with its character. */
  private before(window: TextWindow, characters: number): string {
    return window.slice(this.from(window, characters), this.cursor + 1);
  }

  private from(window: TextWindow, characters: number): number {
    return Math.max(window.base, this.cursor + 1 - characters);
  }
}
