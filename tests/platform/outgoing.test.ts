import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { DeadlineError } from "../../src/model/deadline.js";
import { maxResponseBytes, OutgoingError, refuseAddress, sendOutgoing } from "../../src/platform/outgoing.js";
import { upstreamFor } from "../support/upstream-client.js";

const deployed = { allowLoopback: false };
const local = { allowLoopback: true };

describe("an address that a tenant gives", () => {
  it.each([
    "https://example.com/x",
    "https://example.com:8443/",
    "https://93.184.216.34/",
    "https://[2606:2800:220:1::1]/",
  ])("may be called: %s", (address) => {
    expect(refuseAddress(address, deployed)).toBeUndefined();
  });

  it.each([
    "not a url",
    "http://example.com/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "https://user:password@example.com/",
    "https://localhost/",
    "https://app.localhost/",
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f.0.0.1/",
    "https://0177.0.0.1/",
    "https://10.1.2.3/",
    "https://172.16.0.1/",
    "https://172.31.255.255/",
    "https://192.168.1.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://100.64.0.1/",
    "https://0.0.0.0/",
    "https://224.0.0.1/",
    "https://[::1]/",
    "https://[fd00::1]/",
    "https://[fe80::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://intranet/",
    "https://db.internal/",
    "https://printer.local./",
    "https://localhost../",
    "https://printer.local../",
    "https://[2001::1]/",
    "https://[2001:db8::1]/",
    "https://[2002:a00:1::]/",
    "https://[3fff::1]/",
    "https://[64:ff9b::a00:1]/",
  ])("may not be called: %s", (address) => {
    expect(refuseAddress(address, deployed)).toEqual(expect.any(String));
  });

  it("may be on the loopback locally, and nowhere else", () => {
    expect(refuseAddress("http://127.0.0.1:1234/", local)).toBeUndefined();
    expect(refuseAddress("http://localhost:1234/", local)).toBeUndefined();
    expect(refuseAddress("http://10.0.0.1/", local)).toEqual(expect.any(String));
    expect(refuseAddress("http://example.com/", local)).toEqual(expect.any(String));
  });

  it.each(["http://127.0.0.1.evil.example/", "http://127.evil.example/", "http://localhost.evil.example/"])(
    "is not on the loopback because its name begins like it: %s",
    (address) => {
      expect(refuseAddress(address, local)).toBe("it has to be https");
    },
  );

  it.each([
    "https://{host}/x",
    "https://{{subject}}.example.com/x",
    "https://api.{tenant}.example.com/",
    "https://%7Bhost%7D/",
    "https://example.com{path}/",
    "http://{name}.localhost/",
  ])("has no placeholder in its host: %s", (address) => {
    for (const policy of [local, deployed])
      expect(refuseAddress(address, policy)).toBe("its host must not hold placeholders");
  });

  it.each(["https://example.com/{path}?x={{subject}}", "https://example.com?x={y}"])(
    "may have one elsewhere: %s",
    (address) => {
      expect(refuseAddress(address, deployed)).toBeUndefined();
    },
  );
});

describe("a request to it", () => {
  const to = (url: string) => ({ method: "POST", url, headers: {}, body: "{}", timeoutMs: 30_000 });

  it("gives what was answered, whatever its status", async () => {
    const upstream = upstreamFor(env.TEST_UPSTREAM);
    await upstream.reply({ status: 503, body: "closed" });
    expect(await sendOutgoing(to(upstream.hookURL), local)).toEqual({ status: 503, text: "closed" });
  });

  it("follows no redirect, reads no endless answer, and isn't made where it may not go", async () => {
    const upstream = upstreamFor(env.TEST_UPSTREAM);
    await upstream.reply(
      { status: 302, headers: { location: "http://169.254.169.254/" }, body: "" },
      { body: "x".repeat(maxResponseBytes + 1) },
      { drop: true },
    );
    for (const problem of ["redirect", "larger than", "could not be reached"]) {
      await expect(sendOutgoing(to(upstream.hookURL), local)).rejects.toThrow(problem);
    }
    await expect(sendOutgoing(to(upstream.hookURL), deployed)).rejects.toThrow(OutgoingError);
    expect(await upstream.requests()).toHaveLength(3);
  });

  it("is dropped at its deadline", async () => {
    const upstream = upstreamFor(env.TEST_UPSTREAM);
    await upstream.reply({ body: "late", hold: "h" });
    // Long enough for it to arrive.
    await expect(sendOutgoing({ ...to(upstream.hookURL), timeoutMs: 1_000 }, local)).rejects.toThrow(DeadlineError);
    await upstream.until({ aborted: 1 });
  });
});
