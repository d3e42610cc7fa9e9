// Bindings that only tests have.
declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
    TEST_UPSTREAM: string;
    NARROW_DOOR: RateLimit;
  }
}
