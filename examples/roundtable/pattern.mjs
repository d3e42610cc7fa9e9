// The context request pattern, from the caller's side. CONCLAVE_URL and CONCLAVE_KEY say where and as whom.
const post = async (path, body) => {
  const response = await fetch(`${process.env.CONCLAVE_URL}/v1/roundtables${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${process.env.CONCLAVE_KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
};

/** Any way to find out: a search, a query, a file, a person. */
async function gatherInformation(query) {
  return query.includes("regulations")
    ? { content: "", source: "" }
    : { content: "It takes effect in August.", source: "law.md" };
}

let result = await post("", {
  topic: "Are we ready for the AI Act?",
  mode: "collaborative",
  rounds: 2,
  waitMs: 120_000,
});
// 202 while a round still runs; a GET with waitMs waits for it.
for (let steps = 0; result.status !== "completed" && steps < 10; steps++) {
  const contextResults = [];
  for (const request of result.contextRequests ?? []) {
    const info = await gatherInformation(request.query);
    // An empty text says that it could not be found: that resolves the request, too.
    contextResults.push({ requestId: request.requestId, content: info.content, source: info.source });
  }
  result = await post(`/${result.sessionId}/continue`, { contextResults, waitMs: 120_000 });
  // Nobody took a position, or something was blocked: the same continue tries again, once that is put right.
  if (result.error) throw new Error(result.error.detail);
  console.log(result.status, (result.outcomes ?? []).map(({ outcome }) => outcome).join(" "));
}
for (const { name, position } of result.responses) console.log(`${name}: ${position}`);
