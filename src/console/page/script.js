// The console's script. Every page works without it; with it links and forms change what is different on the page and nothing else, so that
// typed text, focus and place stay; lists are asked for anew; passkeys work; times say how long ago. No text is ever taken for HTML but
// what our own server rendered.
const html = window.trustedTypes?.createPolicy("console", { createHTML: (text) => text }) ?? {
  createHTML: (text) => text,
};
const parse = (text) => new DOMParser().parseFromString(html.createHTML(text), "text/html");
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const isTyping = (element) =>
  element.matches?.("input:not([type=hidden],[type=checkbox],[type=radio]), textarea, select");
const isChanged = (field) =>
  field.type === "checkbox" || field.type === "radio"
    ? field.checked !== field.defaultChecked
    : field.tagName === "SELECT"
      ? field.selectedOptions[0] !== ([...field.options].find((option) => option.defaultSelected) ?? field.options[0])
      : field.value !== field.defaultValue;

/** Makes an element what another is, and leaves alone what is the same, what has the focus and what somebody has typed. */
function morph(now, then) {
  if (now.isEqualNode(then)) return;
  if (
    now.nodeType !== 1 ||
    then.nodeType !== 1 ||
    now.tagName !== then.tagName ||
    (now.id || then.id) !== (then.id || now.id)
  ) {
    now.replaceWith(then);
    return;
  }
  const typed = isTyping(now) && (now === document.activeElement || isChanged(now));
  for (const { name } of [...now.attributes])
    if (!then.hasAttribute(name) && !(now.tagName === "DETAILS" && name === "open")) now.removeAttribute(name);
  for (const { name, value } of then.attributes)
    if (now.getAttribute(name) !== value && !(typed && name === "value")) now.setAttribute(name, value);
  if (typed || (now.tagName === "SELECT" && isChanged(now))) return;
  const byId = new Map([...now.children].flatMap((child) => (child.id ? [[child.id, child]] : [])));
  let at = now.firstChild;
  for (const next of [...then.childNodes]) {
    const same = next.id ? byId.get(next.id) : at && !at.id && at.nodeName === next.nodeName ? at : undefined;
    if (same === undefined) now.insertBefore(next, at);
    else {
      if (same !== at) now.insertBefore(same, at);
      else at = at.nextSibling;
      morph(same, next);
    }
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

const say = (text, bad) => {
  const place = document.getElementById("said");
  place.textContent = text;
  place.className = bad ? "notice bad" : "notice";
};

/** When what is on the page appeared: keys are deaf for a moment after, so that nobody decides what they haven't seen. */
let shownAt = performance.now();
let current = location.pathname + location.search;
let request = 0;

/** Asks for a page and shows it in place of this one. What was typed stays where it can't be had. */
async function go(url, { form, from, push = true } = {}) {
  const mine = ++request;
  document.body.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(url, form ? { method: "POST", body: form } : {});
    const text = await answer.text();
    if (mine !== request && !form) return;
    if (answer.status === 401)
      return say("You are signed out. Sign in in another window, then send this again: it is still here.", true);
    if (!(answer.headers.get("content-type") ?? "").startsWith("text/html")) return location.assign(answer.url);
    if (answer.redirected && new URL(answer.url).pathname === "/console/sign-in") return location.assign(answer.url);
    if (answer.status >= 500) return say("Something went wrong here. What you wrote is still here: try again.", true);
    const page = parse(text);
    const isSame = new URL(answer.url).pathname === location.pathname;
    if (form && answer.ok && !isSame) claimed = undefined;
    else if (!isSame) release();
    else if (form && answer.ok) claimedBy(form.get("do"));
    if (form && answer.ok) {
      // What was sent is done: its fields begin anew, and its fold closes.
      from.reset();
      from.closest("details")?.removeAttribute("open");
    }
    document.activeElement?.blur?.();
    if (!isSame) document.getElementById("main").replaceWith(page.getElementById("main"));
    for (const id of ["top", "main"]) {
      const [now, then] = [document.getElementById(id), page.getElementById(id)];
      if (now && then) morph(now, then);
    }
    document.title = page.title;
    const address = new URL(answer.url);
    address.searchParams.delete("done");
    if (push && address.href !== location.href) history.pushState(null, "", address);
    current = location.pathname + location.search;
    shownAt = performance.now();
    if (!isSame) scrollTo(0, 0);
    (document.querySelector("main [autofocus]") ?? document.getElementById("main"))?.focus({ preventScroll: true });
    freshen();
  } catch {
    say(
      navigator.onLine
        ? "That didn't arrive. What you wrote is still here: try again."
        : "You are offline. Nothing was sent, and what you wrote is still here.",
      true,
    );
  } finally {
    if (mine === request) document.body.removeAttribute("aria-busy");
  }
}

/** The page of the ask that was claimed by writing in it, and when that was said last. */
let claimed;
let claimedAt = 0;
const claimEveryMs = 180_000;

/** Does something of the page in the background, and shows what has become of the parts that change by themselves. */
async function quietly(path, does) {
  try {
    const body = new URLSearchParams({ do: does, once: crypto.randomUUID() });
    const answer = await fetch(path, { method: "POST", body, keepalive: true });
    if (path !== location.pathname + location.search) return;
    const page = parse(await answer.text());
    for (const part of all("[data-poll]")) {
      const then = page.getElementById(part.id);
      if (then) morph(part, then);
    }
    freshen();
  } catch {
    // Offline: it is claimed with the next letter.
  }
}

function claim() {
  if (Date.now() - claimedAt < claimEveryMs && claimed === location.pathname) return;
  const state = document.querySelector(".state");
  if (!state || !("open" in state.dataset) || state.dataset.claimed === "other") return;
  claimed = location.pathname;
  claimedAt = Date.now();
  quietly(location.pathname + location.search, "claim");
}

/** A button said it. */
function claimedBy(does) {
  if (does === "claim" || does === "takeOver") [claimed, claimedAt] = [location.pathname, Date.now()];
  else if (does === "release") claimed = undefined;
}

function release() {
  if (claimed) quietly(claimed, "release");
  claimed = undefined;
}

document.addEventListener("input", ({ target }) => {
  const form = target.form;
  if (!form) return;
  if ("claims" in form.dataset) claim();
  const edits = all("[name=content], [name^='args']", form).some(isChanged);
  for (const button of all("[data-changed]", form)) {
    const label = button.firstElementChild;
    button.dataset.unchanged ??= label.textContent;
    label.textContent = edits ? button.dataset.changed : button.dataset.unchanged;
  }
});
setInterval(() => {
  if (claimed && document.activeElement?.closest?.("[data-claims]")) claim();
}, 20_000);
addEventListener("pagehide", release);

addEventListener("popstate", () => {
  if (location.pathname + location.search !== current) go(location.href, { push: false });
});

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (
    !link ||
    event.defaultPrevented ||
    event.button !== 0 ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    event.altKey
  )
    return;
  const to = new URL(link.href);
  if (
    link.target ||
    link.hasAttribute("download") ||
    to.origin !== location.origin ||
    !/^\/console(\/|$)/.test(to.pathname) ||
    (to.hash && to.pathname === location.pathname)
  )
    return;
  event.preventDefault();
  go(to);
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.passkey) return void passkey(event, form);
  if ("plain" in form.dataset || event.defaultPrevented) return;
  event.preventDefault();
  const fields = new URLSearchParams(new FormData(form, event.submitter));
  const to = new URL(form.getAttribute("action") || location.href, location.href);
  if (form.method === "post") return void go(to, { form: fields, from: form });
  to.search = new URLSearchParams([...fields].filter(([, value]) => value !== "")).toString();
  go(to);
});

/** Lists that change by themselves: each part that says `data-poll` (seconds) is asked for anew, while somebody looks. */
let polledAt = Date.now();
let etag;
setInterval(async () => {
  const parts = all("[data-poll]");
  if (parts.length === 0 || (request !== 0 && document.body.hasAttribute("aria-busy"))) return;
  const seconds = Math.min(...parts.map((part) => Number(part.dataset.poll)));
  if (Date.now() - polledAt < (document.hidden ? Math.max(30, seconds) : seconds) * 1000) return;
  polledAt = Date.now();
  const [asked, address] = [request, location.href];
  try {
    const answer = await fetch(address, {
      headers: { "x-poll": "1", ...(etag?.address === address ? { "if-none-match": etag.tag } : {}) },
      cache: "no-store",
    });
    if (answer.status !== 200 || answer.redirected || asked !== request || address !== location.href) return;
    etag = { address, tag: answer.headers.get("etag") };
    const page = parse(await answer.text());
    for (const part of parts) {
      const then = page.getElementById(part.id);
      if (then) morph(part, then);
    }
    const isMore = countIn(page.title) > countIn(document.title);
    document.title = page.title;
    freshen();
    if (isMore && isTold() && !document.hasFocus())
      new Notification("Conclave", { body: "Something waits for a person.", tag: "waits" });
  } catch {
    // Offline: the next time.
  }
}, 1000);

/** How many wait, as a title says. */
const countIn = (title) => Number(/^\((\d+)\)/.exec(title)?.[1] ?? 0);
/** Whether the person wants to be told in this browser, and it lets us. */
const isTold = () => localStorage.getItem("tell") === "on" && globalThis.Notification?.permission === "granted";

/** The events of what goes on, at the address that the page says: each has it looked at anew, and a reply is shown as far as it is written. */
let heard;
let partial = "";
function listen() {
  const place = document.querySelector("[data-events]");
  // What can't be seen in a text, or turns it around, is a mark until the page shows it as a whole.
  if (place) place.textContent = partial.replace(/(?!\n)\p{C}/gu, "\ufffd");
  if (heard?.at === place?.dataset.events) return;
  heard?.source.close();
  heard = undefined;
  partial = "";
  if (!place) return;
  const { events: at, hears } = place.dataset;
  const source = new EventSource(at);
  const mine = { at, source };
  heard = mine;
  const on = (types, does) => {
    for (const type of types.split(" ")) source.addEventListener(type, does);
  };
  on(hears, () => {
    polledAt = 0;
  });
  on("reply.delta run.delta", ({ data }) => {
    const { offset, text } = JSON.parse(data);
    partial = partial.slice(0, offset) + text;
    listen();
  });
  on("reply.retracted run.retracted", () => {
    partial = "";
    listen();
  });
  // It is over, or can't be had: the page is looked at anew, and says whether there is more to hear.
  on("error", () => {
    source.close();
    polledAt = 0;
    setTimeout(() => {
      if (heard === mine) heard = undefined;
    }, 4000);
  });
}

/** Times as what they are from now, buttons that need script, and the code of a link. */
function freshen() {
  listen();
  const [keysOn, tellOn] = ["keys-on", "tell-on"].map((id) => document.getElementById(id));
  if (keysOn) keysOn.checked = localStorage.getItem("keys") !== "off";
  if (tellOn) tellOn.checked = isTold();
  const now = Date.now();
  for (const time of all("time[datetime]")) {
    const seconds = (Date.parse(time.dateTime) - now) / 1000;
    const [unit, length] = [
      ["day", 86400],
      ["hour", 3600],
      ["minute", 60],
    ].find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
    const text =
      unit === "second" && Math.abs(seconds) < 45 ? "just now" : relative.format(Math.trunc(seconds / length), unit);
    if (Math.abs(seconds) < 30 * 86400 && time.textContent !== text) time.textContent = text;
  }
  for (const button of all("[data-copy][hidden]")) button.hidden = false;
  // On a narrow window the navigation is a line that scrolls.
  const nav = document.querySelector("nav");
  const here = nav?.querySelector("[aria-current]");
  if (here && nav.scrollWidth > nav.clientWidth) nav.scrollLeft = here.offsetLeft - nav.clientWidth / 2;
}
const relative = new Intl.RelativeTimeFormat("en", { style: "short", numeric: "auto" });
setInterval(freshen, 20_000);

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy]");
  if (!button) return;
  const field = document.getElementById(button.dataset.copy);
  field.select();
  await navigator.clipboard?.writeText(field.value).catch(() => {});
  button.textContent = "Copied";
});

/** Keys press what says so (`data-key`), never while one is held, while somebody writes, or just after the page has changed. They can be switched off. */
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.form) {
    event.preventDefault();
    const { form } = event.target;
    // A form that Enter doesn't send is sent so from its text alone.
    if (form.querySelector("button")?.disabled && event.target.tagName !== "TEXTAREA") return;
    if (!event.repeat) form.requestSubmit(form.querySelector("button.primary") ?? form.querySelector("button"));
    return;
  }
  if (event.key === "Escape" && isTyping(event.target)) return event.target.blur();
  if (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    isTyping(event.target) ||
    localStorage.getItem("keys") === "off"
  )
    return;
  if (event.key === "?") {
    const help = document.getElementById("keys");
    help?.togglePopover?.();
    return;
  }
  const pressed = all(`[data-key="${CSS.escape(event.key)}"]`).find((one) => one.checkVisibility?.() ?? true);
  if (!pressed) return;
  event.preventDefault();
  if (event.repeat || performance.now() - shownAt < 500) return;
  if (isTyping(pressed)) pressed.focus();
  else pressed.click();
  // What opens to be written in is written in.
  if (pressed.tagName === "SUMMARY" && pressed.parentElement.open)
    pressed.parentElement.querySelector("textarea, input, select")?.focus();
});

document.addEventListener("change", async ({ target }) => {
  if (target.id === "tell-on") {
    target.checked &&= (await globalThis.Notification?.requestPermission()) === "granted";
    localStorage.setItem("tell", target.checked ? "on" : "off");
  }
  if (target.id === "keys-on") localStorage.setItem("keys", target.checked ? "on" : "off");
});

const toText = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
const toBytes = (text) => new TextEncoder().encode(text);

/** Asks the device, puts what it says into the form's fields, and sends it. */
async function passkey(event, form) {
  event.preventDefault();
  const { elements, dataset } = form;
  const challenge = toBytes(elements.challenge.value);
  const put = (fields) => {
    for (const [name, value] of Object.entries(fields))
      elements[name].value = typeof value === "number" ? value : toText(value);
  };
  try {
    if (dataset.passkey === "get") {
      const { rawId, response } = await navigator.credentials.get({
        publicKey: { challenge, userVerification: "required" },
      });
      put({
        credentialId: rawId,
        clientDataJSON: response.clientDataJSON,
        authenticatorData: response.authenticatorData,
        signature: response.signature,
      });
    } else {
      const { rawId, response } = await navigator.credentials.create({
        publicKey: {
          challenge,
          rp: { name: "Conclave" },
          user: { id: toBytes(dataset.id), name: dataset.email, displayName: dataset.name },
          pubKeyCredParams: [
            { type: "public-key", alg: -7 },
            { type: "public-key", alg: -257 },
          ],
          authenticatorSelection: { residentKey: "required", userVerification: "required" },
          attestation: "none",
        },
      });
      put({
        credentialId: rawId,
        clientDataJSON: response.clientDataJSON,
        authenticatorData: response.getAuthenticatorData(),
        publicKey: response.getPublicKey(),
        algorithm: response.getPublicKeyAlgorithm(),
      });
    }
    form.submit();
  } catch (error) {
    say(
      error.name === "NotAllowedError"
        ? "Nothing was asked of your device, or it was cancelled. Try again."
        : "This browser can't do that here.",
      true,
    );
  }
}

/** What stands behind `#` in a link comes into the form, and out of the address. */
const join = document.querySelector("form[data-join]");
if (join && location.hash.length > 1) {
  join.elements.code.value = location.hash.slice(1);
  join.querySelector(".field").hidden = true;
  history.replaceState(null, "", location.pathname);
}
if (new URLSearchParams(location.search).has("done")) {
  const address = new URL(location.href);
  address.searchParams.delete("done");
  history.replaceState(null, "", address);
}
freshen();
