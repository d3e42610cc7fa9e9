/** The page around every screen: navigation, who is signed in, what was said, and the fold for narrow windows. */
import type { SignedIn } from "../application/people/sign-in.js";
import { authorize } from "../tenancy/authority.js";
import { addressOf } from "./assets.js";
import { Form, onceMark } from "./parts.js";
import { navGroups, type Screen, type View } from "./screen.js";

interface Page extends View {
  /** Who is signed in; nobody on the pages before that. */
  readonly me?: SignedIn | undefined;
  /** All screens, of which the navigation shows those that they may see. */
  readonly screens?: readonly Screen[];
  readonly path?: string;
  /** What went wrong. */
  readonly fault?: string | undefined;
}

/** A whole page as HTML. Codes of forms are still marks in it: {@link withCodes}. */
export function renderPage(page: Page): string {
  const html = (<Frame {...page} />).toString();
  if (typeof html !== "string") throw new TypeError("No part of a page waits: a screen loads before it renders.");
  return `<!doctype html>${html}`;
}

/** The page with a code in its forms. @param code one that no other page has */
export function withCodes(html: string, code: string): string {
  return html.replaceAll(onceMark, code);
}

function Frame({ title, body, count = 0, wide, me, screens = [], path = "", notice, fault }: Page) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${count > 0 ? `(${count}) ` : ""}${title} · Conclave`}</title>
        <link rel="stylesheet" href={addressOf("style")} />
        <link rel="icon" href="data:," />
        <script type="module" src={addressOf("script")}></script>
      </head>
      <body>
        <a class="skip" href="#main">
          To the content
        </a>
        {me === undefined ? undefined : <Navigation me={me} screens={screens} path={path} />}
        <main id="main" class={wide ? "wide" : undefined} tabindex={-1}>
          <p id="said" role="status" class={fault === undefined ? "notice" : "notice bad"}>
            {fault ?? notice}
          </p>
          <h1>{title}</h1>
          {body}
        </main>
      </body>
    </html>
  );
}

function Navigation({
  me,
  screens,
  path,
}: {
  readonly me: SignedIn;
  readonly screens: readonly Screen[];
  readonly path: string;
}) {
  const seen = screens.filter(({ needs }) => authorize(me.actor, needs).ok);
  return (
    <header id="top">
      <a class="brand" href="/console">
        Conclave
      </a>
      <nav aria-label="Screens">
        {navGroups.map((group) => {
          const own = seen.filter(({ nav }) => nav?.group === group);
          if (own.length === 0) return undefined;
          return (
            <div class="group">
              <h2>{group}</h2>
              <ul>
                {own.map((screen) => (
                  <li>
                    <a href={`/console${screen.path}`} aria-current={isAt(path, screen.path) ? "page" : undefined}>
                      {screen.nav?.label}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
      </nav>
      <div class="me">
        <a href="/console/you" aria-current={path === "/you" ? "page" : undefined}>
          <bdi>{me.name}</bdi>
        </a>
        <span class="dim">
          <bdi>{me.tenantName}</bdi>
          {` · ${me.role}`}
        </span>
        <Form action="/console/sign-out" label="Sign out" plain>
          <button type="submit" class="quiet">
            Sign out
          </button>
        </Form>
      </div>
    </header>
  );
}

function isAt(path: string, screen: string): boolean {
  return path === screen || path.startsWith(`${screen}/`);
}
