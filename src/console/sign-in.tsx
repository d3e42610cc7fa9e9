/** The pages before somebody is signed in: the link that lets them in once, and the door. */
import type { Child } from "hono/jsx";
import { ownValue } from "../conversation/own-value.js";
import type { SignInMethod } from "../tenancy/person.js";
import { onceMark } from "./parts.js";

/** Why somebody wasn't let in; what stands for each reason that `sign-in.ts` of the application gives. */
const reasons: Readonly<Record<string, string>> = {
  unknown: "This link isn't known here. A newer one may have taken its place: ask for another.",
  used: "This link was used before. Sign in with your passkey, or ask for another link.",
  expired: "This has expired. Try again; if it was a link, ask for another.",
  suspended: "This account is suspended. An admin can make it active again.",
  signature: "This passkey could not be checked. Try again.",
  count: "This passkey seems to have been copied, and isn't taken. Use another, and tell an admin.",
  too_many_requests: "Too many failed tries. Wait a minute.",
};

/** Where it isn't what holds of a link. */
const reasonsOf: Readonly<Record<SignInMethod, Readonly<Record<string, string>>>> = {
  link: {},
  passkey: { unknown: "This passkey isn't known here. It may have been taken away, or belongs to another console." },
  access: {
    unknown:
      "Cloudflare Access let you through, and nobody of your address is invited here. Ask an admin to invite you.",
    signature: "What Cloudflare Access says of you could not be checked. Try again.",
    expired: "What Cloudflare Access says of you has expired. Load the page again.",
    unavailable: "Cloudflare Access could not be asked for its keys. Try again in a moment.",
  },
};

/** @param reason the detail of the refusal, or its code */
export function wordsOf(reason: string, method: SignInMethod): string {
  return ownValue(reasonsOf[method], reason) ?? ownValue(reasons, reason) ?? "That didn't work. Try again.";
}

/** What stands behind `#` comes to the page alone, and is sent when the button is pressed: previews of links use nothing up. */
export function JoinPage(): Child {
  return (
    <div class="plain">
      <p>Your link signs you in on this device, once. Add a passkey then, and you won't need another.</p>
      <form method="post" action="/console/join" data-plain data-join>
        <div class="field">
          <label for="f-code">What stands behind # in your link</label>
          <input id="f-code" name="code" required autocomplete="off" spellcheck={false} />
        </div>
        <button type="submit" class="primary">
          Sign in
        </button>
      </form>
    </div>
  );
}

/** @param offers tenants that Cloudflare Access has brought somebody to the door of */
export function SignInPage({
  challenge,
  to,
  offers = [],
}: {
  readonly challenge: string;
  readonly to: string;
  readonly offers?: readonly { readonly tenantId: string; readonly tenantName: string; readonly email: string }[];
}): Child {
  return (
    <div class="plain">
      {offers.map(({ tenantId, tenantName, email }) => (
        <form method="post" action="/console/access" data-plain class="actions">
          <input type="hidden" name="to" value={to} />
          <input type="hidden" name="tenant" value={tenantId} />
          <button type="submit" class="primary">
            Sign in to <bdi>{tenantName}</bdi> as <bdi>{email}</bdi>
          </button>
        </form>
      ))}
      <PasskeyForm challenge={challenge} to={to} />
      <p class="dim">
        No passkey yet, or not on this device? Use the link that you were sent, or ask an admin of yours for a new one.
        There are no passwords.
      </p>
      <noscript>
        <p>Passkeys need script. A link works without.</p>
      </noscript>
    </div>
  );
}

function PasskeyForm({ challenge, to }: { readonly challenge: string; readonly to: string }) {
  return (
    <form method="post" action="/console/sign-in" data-plain data-passkey="get">
      <input type="hidden" name="to" value={to} />
      <input type="hidden" name="challenge" value={challenge} />
      <PasskeyFields names={["credentialId", "clientDataJSON", "authenticatorData", "signature"]} />
      <button type="submit" class="primary">
        Sign in with a passkey
      </button>
    </form>
  );
}

/** What the page's script fills in. */
function PasskeyFields({ names }: { readonly names: readonly string[] }) {
  return (
    <>
      {names.map((name) => (
        <input type="hidden" name={name} value="" />
      ))}
    </>
  );
}

/** Adds a passkey for who is signed in. */
export function NewPasskeyForm({
  challenge,
  who,
}: {
  readonly challenge: string;
  readonly who: { readonly id: string; readonly email: string; readonly name: string };
}) {
  return (
    <form
      method="post"
      action="/console/you"
      data-plain
      data-passkey="create"
      data-id={who.id}
      data-email={who.email}
      data-name={who.name}
    >
      <input type="hidden" name="once" value={onceMark} />
      <input type="hidden" name="do" value="add" />
      <input type="hidden" name="challenge" value={challenge} />
      <PasskeyFields names={["credentialId", "publicKey", "algorithm", "clientDataJSON", "authenticatorData"]} />
      <div class="field">
        <label for="f-label">Name of the passkey</label>
        <input id="f-label" name="label" required maxlength={100} value="This device" autocomplete="off" />
      </div>
      <button type="submit" class="primary">
        Add a passkey
      </button>
    </form>
  );
}

/** Where a link in somebody's text leads: nobody is taken there without having read it. */
export function LinkPage({ to }: { readonly to: string }): Child {
  const url = URL.parse(to);
  const isWeb = url !== null && (url.protocol === "https:" || url.protocol === "http:");
  if (!isWeb) return <p>This isn't an address of the web, and isn't opened.</p>;
  return (
    <div class="plain">
      <p>This link stands in somebody else's text. Its host is</p>
      <p class="host">
        <code>{url.host}</code>
      </p>
      <p>
        and all of it <code class="long">{url.href}</code>
      </p>
      <p>
        <a class="button" href={url.href} rel="noopener noreferrer nofollow" target="_blank">
          Open it in a new window
        </a>
      </p>
    </div>
  );
}
