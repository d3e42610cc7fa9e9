/**
 * The console as a face: pages that parse, call acts and render. Every address is a whole page that works without script. What a screen is:
 * `screen.ts`; which there are: `screens.ts`.
 */
import { type Context, Hono } from "hono";
import { offersAtDoor, signInByAccess } from "../application/people/access.js";
import { newCode } from "../application/people/invitations.js";
import { signOut } from "../application/people/own-sign-in.js";
import { readPeopleNames } from "../application/people/read-names.js";
import {
  assertionSchema,
  authenticateSession,
  passkeyChallenge,
  type SignedIn,
  signInByLink,
  signInByPasskey,
} from "../application/people/sign-in.js";
import { type Problem, ProblemError, problemCodes } from "../conversation/problem.js";
import type { FaceEnv, LoadedFace } from "../http/face.js";
import { sha256Hex } from "../platform/digest.js";
import { authorize } from "../tenancy/authority.js";
import type { SignInMethod } from "../tenancy/person.js";
import { lazily } from "../text/lazily.js";
import { assetAt, digest, readAssets } from "./assets.js";
import { renderPage, withCodes } from "./frame.js";
import {
  addressOf,
  consoleHeaders,
  dropSession,
  isOwnForm,
  keepSession,
  policyWith,
  sessionSecret,
  wayBack,
} from "./guard.js";
import { noticeOf } from "./notices.js";
import { problemWords, type Screen, type View, type Visit } from "./screen.js";
import { screens } from "./screens.js";
import { JoinPage, LinkPage, SignInPage, wordsOf } from "./sign-in.js";

type C = Context<FaceEnv>;

/** The most that a form may send, in characters. */
const maxForm = 2_500_000;

const routes = new Hono<FaceEnv>();

routes.use("*", async (c, next) => {
  await readAssets(c.var.services.readPage);
  const url = new URL(c.req.url);
  if (c.req.method !== "GET" && c.req.method !== "HEAD" && !isOwnForm(c.req.raw)) {
    throw new ProblemError({ code: "forbidden", detail: "The console takes forms of its own pages alone." });
  }
  // Passkeys belong to a host, and browsers have none for an address of numbers.
  if (url.hostname === "127.0.0.1") {
    url.hostname = "localhost";
    return c.redirect(url.href, 302);
  }
  await next();
  for (const [name, value] of Object.entries(consoleHeaders))
    if (!c.res.headers.has(name)) c.res.headers.set(name, value);
  return;
});

routes.get("/console/assets/:name", (c) => {
  const asset = assetAt(c.req.path);
  if (asset === undefined) return c.notFound();
  return c.body(asset.text, 200, {
    "content-type": asset.type,
    "cache-control": "public, max-age=31536000, immutable",
  });
});

routes.get("/console/join", () => plainPage({ title: "Welcome", body: <JoinPage /> }));

routes.post("/console/join", async (c) => {
  const { code = "" } = fieldsOf(await formOf(c));
  // The whole link may have been pasted.
  const enter = () => signInByLink(code.trim().replace(/^.*#/, ""), addressOf(c.req.raw), c.var.services);
  return letIn(c, enter, "/console/you?done=welcome", "link");
});

routes.get("/console/sign-in", async (c) => {
  const to = wayBack(c.req.query("to"));
  const challenge = await passkeyChallenge(c.var.services);
  const offers = await offersAtDoor(accessToken(c), addressOf(c.req.raw), c.var.services);
  const body = <SignInPage challenge={challenge} to={to} offers={offers?.ok === true ? offers.value : []} />;
  if (offers?.ok !== false) return plainPage({ title: "Sign in", body });
  return plainPage({ title: "Sign in", body, ...refusalOf(offers.problem, "access") });
});

/** Who Cloudflare Access says is there; its cookie, which anybody can send, is never read. */
function accessToken(c: C): string | undefined {
  return c.req.header("cf-access-jwt-assertion");
}

routes.post("/console/access", async (c) => {
  const form = await formOf(c);
  const enter = () => {
    const [token, tenantId] = [accessToken(c) ?? "", form.get("tenant") ?? ""];
    return signInByAccess(token, tenantId, addressOf(c.req.raw), c.var.services);
  };
  return letIn(c, enter, wayBack(form.get("to") ?? undefined), "access");
});

routes.post("/console/sign-in", async (c) => {
  const form = await formOf(c);
  const sent = assertionSchema.safeParse(fieldsOf(form));
  const { origin, hostname } = new URL(c.req.url);
  const enter = () => {
    if (!sent.success) throw new ProblemError({ code: "unauthorized", detail: "signature" });
    const from = { address: addressOf(c.req.raw), at: { origin, host: hostname } };
    return signInByPasskey(sent.data, from, c.var.services);
  };
  return letIn(c, enter, wayBack(form.get("to") ?? undefined), "passkey");
});

routes.post("/console/sign-out", async (c) => {
  const me = await whoIs(c);
  if (me !== undefined) await signOut(me.actor, { sessionHash: me.sessionHash }, me.services);
  dropSession(c);
  return c.redirect("/console/sign-in", 303);
});

routes.get("/console/link", async (c) => {
  const me = await whoIs(c);
  if (me === undefined) return toDoor(c);
  return framed(c, me, { title: "Leave the console?", body: <LinkPage to={c.req.query("to") ?? ""} /> }, {});
});

routes.get("/console", async (c) => {
  const me = await whoIs(c);
  if (me === undefined) return toDoor(c);
  const first = screens.find(({ nav, needs }) => nav !== undefined && authorize(me.actor, needs).ok);
  return c.redirect(`/console${first?.path ?? "/you"}`, 302);
});

for (const screen of screens) {
  routes.get(`/console${screen.path}`, async (c) => {
    const me = await whoIs(c);
    if (me === undefined) return toDoor(c);
    return showScreen(c, screen, visitOf(c, me));
  });
  if (screen.posts === undefined) continue;
  routes.post(`/console${screen.path}`, async (c) => {
    const me = await whoIs(c);
    if (me === undefined) throw new ProblemError({ code: "unauthorized", detail: "The session has ended." });
    return doPost(c, screen, me);
  });
}

routes.all("/console/*", () => {
  throw new ProblemError({ code: "not_found", detail: "There is no such page." });
});

async function showScreen(c: C, screen: Screen, visit: Visit): Promise<Response> {
  if (!authorize(visit.me.actor, screen.needs).ok)
    throw new ProblemError({ code: "forbidden", detail: "This screen isn't for this role." });
  // Read before what it is of: what changes meanwhile is looked at the next time.
  const revision = visit.sent === undefined ? await screen.revision?.(visit) : undefined;
  if (revision !== undefined && visit.isPoll === true && c.req.header("if-none-match")?.startsWith(`"${revision} `))
    return c.body(null, 304);
  const view = await screen.show(visit);
  if (typeof view === "string") return c.redirect(view, 302);
  if (view instanceof Response) return view;
  const { refused } = visit;
  return framed(c, visit.me, view, {
    path: screen.path,
    ...(revision !== undefined && { revision }),
    ...(refused && { fault: problemWords[refused.code], status: problemCodes[refused.code] }),
  });
}

/** Does what the button says, once for each form that was given out; what is refused is shown above the form as it was filled in. */
async function doPost(c: C, screen: Screen, me: SignedIn): Promise<Response> {
  const sent = await formOf(c);
  const post = new Map(Object.entries(screen.posts ?? {})).get(sent.get("do") ?? "");
  if (post === undefined) throw new ProblemError({ code: "not_found", detail: "There is no such button." });
  const hash = await sha256Hex(`${c.req.path} ${sent}`);
  const command = { key: `console ${sent.get("once") ?? newCode()} ${hash.slice(0, 16)}`, hash };
  const visit: Visit = { ...visitOf(c, me), actor: { ...me.actor, command }, sent };
  try {
    const done = await post(visit);
    return typeof done === "string" ? c.redirect(done, 303) : framed(c, me, done, { path: screen.path });
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return showScreen(c, screen, { ...visit, actor: me.actor, refused: error.problem });
  }
}

function visitOf(c: C, me: SignedIn): Visit {
  const isPoll = c.req.header("x-poll") !== undefined;
  const { actor, services } = me;
  const names = lazily(async () =>
    authorize(actor, readPeopleNames).ok ? await readPeopleNames(actor, {}, services) : new Map<string, string>(),
  );
  return { me, actor, services, names, url: new URL(c.req.url), params: c.req.param(), isPoll };
}

async function whoIs(c: C): Promise<SignedIn | undefined> {
  const secret = sessionSecret(c);
  return secret === undefined ? undefined : authenticateSession(secret, c.var.services, !isByItself(c));
}

/** What a page asks for by itself says nothing of whether somebody is there. */
function isByItself(c: C): boolean {
  return c.req.header("x-poll") !== undefined || c.req.header("accept") === "text/event-stream";
}

/** To the door, and from there back to this page. */
function toDoor(c: C): Response {
  const { pathname, search } = new URL(c.req.url);
  const asForm = search === "" ? "" : `?${new URLSearchParams(search)}`;
  return c.redirect(`/console/sign-in?to=${encodeURIComponent(pathname + asForm)}`, 302);
}

async function letIn(c: C, enter: () => Promise<string>, to: string, method: SignInMethod): Promise<Response> {
  try {
    keepSession(c, await enter());
    return c.redirect(to, 303);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const challenge = await passkeyChallenge(c.var.services);
    const isLink = method === "link";
    const body = isLink ? <JoinPage /> : <SignInPage challenge={challenge} to={to} />;
    return plainPage({ title: isLink ? "Welcome" : "Sign in", body, ...refusalOf(error.problem, method) });
  }
}

function refusalOf({ code, detail }: Problem, method: SignInMethod) {
  return { fault: wordsOf(code === "unauthorized" ? detail : code, method), status: problemCodes[code] };
}

function plainPage({ status = 200, ...page }: View & { readonly fault?: string; readonly status?: number }): Response {
  const html = withCodes(renderPage(page), newCode());
  return answer(html, status);
}

interface Framing {
  readonly path?: string;
  readonly fault?: string;
  readonly status?: number;
  /** {@link Screen.revision} */
  readonly revision?: string;
}

/** A screen in its frame. What polls sends the digest that it has, and is told when nothing has changed. */
function framed(c: C, me: SignedIn, view: View, { status = view.status ?? 200, revision, ...more }: Framing): Response {
  const html = renderPage({ notice: noticeOf(c.req.query("done")), ...view, ...more, me, screens });
  const etag = revision === undefined ? `"${digest(html)}"` : `"${revision} ${digest(html)}"`;
  if (status === 200 && c.req.header("if-none-match") === etag) return c.body(null, 304);
  const response = answer(withCodes(html, newCode()), status);
  response.headers.set("etag", etag);
  if (view.formsTo !== undefined) response.headers.set("content-security-policy", policyWith(view.formsTo));
  return response;
}

function answer(html: string, status: number): Response {
  return new Response(html, { status, headers: { "content-type": "text/html; charset=utf-8" } });
}

async function formOf(c: C): Promise<URLSearchParams> {
  const text = await c.req.text();
  if (text.length > maxForm) throw new ProblemError({ code: "too_large", detail: "The form has too much in it." });
  return new URLSearchParams(text);
}

function fieldsOf(form: URLSearchParams): Readonly<Record<string, string>> {
  return Object.fromEntries(form);
}

/** A refusal as a page. */
function renderProblem(problem: Problem): Response {
  const html = renderPage({
    title: problem.code === "not_found" ? "Not here" : "That didn't work",
    body: (
      <div class="plain">
        <p>{problemWords[problem.code]}</p>
        <p>
          <a class="button" href="/console">
            To the console
          </a>
        </p>
      </div>
    ),
  });
  const headers = { ...consoleHeaders, "content-type": "text/html; charset=utf-8" };
  return new Response(html, { status: problemCodes[problem.code], headers });
}

export const consoleFace: LoadedFace = { routes: [routes], renderProblem };
