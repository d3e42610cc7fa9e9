/** A person of a tenant at the console, as their browser is. */
import { exports } from "cloudflare:workers";
import { origin, type TestTenant } from "./conclave.js";

const sameOrigin = { "sec-fetch-site": "same-origin", "content-type": "application/x-www-form-urlencoded" };

/** Invites somebody, who comes in by their link. */
export async function signIn(
  tenant: TestTenant,
  { name = "Ada", role = "operator" }: { readonly name?: string; readonly role?: string } = {},
) {
  const email = `${crypto.randomUUID()}@example.com`;
  const { link, personId } = (await tenant.call("POST", "/v1/people", { name, email, role })).body;
  const joined = await exports.default.fetch(`${origin}/console/join`, {
    method: "POST",
    headers: { ...sameOrigin, "cf-connecting-ip": crypto.randomUUID() },
    body: new URLSearchParams({ code: link.split("#")[1] }).toString(),
    redirect: "manual",
  });
  const cookie = (joined.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  return {
    personId: String(personId),
    /** Opens a page, or sends the form of one. */
    visit: (path: string, form?: Record<string, string>) =>
      exports.default.fetch(`${origin}${path}`, {
        headers: { ...sameOrigin, cookie },
        redirect: "manual",
        ...(form && { method: "POST", body: new URLSearchParams(form).toString() }),
      }),
  };
}
