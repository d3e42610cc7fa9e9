/** What `npm start` says when everything runs: what to try, and with which key. */
export function welcome({ origin, key, link, apiKey, baseUrl }) {
  const model = apiKey
    ? `OpenAI-compatible, ${baseUrl || "api.openai.com"}`
    : "offline: it quotes what it is given (set OPENAI_API_KEY for a real one)";
  return `
Conclave is running at ${origin}   (Ctrl-C stops it)
Model: ${model}

Try it, in another terminal:

  export KEY=${key}
  SESSION=$(curl -s ${origin}/v1/sessions -H "Authorization: Bearer $KEY" \\
    -H "Content-Type: application/json" -d '{"agent":"shop"}' | sed 's/.*"sessionId":"\\([^"]*\\)".*/\\1/')
  curl -s ${origin}/v1/sessions/$SESSION/messages -H "Authorization: Bearer $KEY" \\
    -H "Content-Type: application/json" -d '{"content":"My card is 4111 1111 1111 1111. How long does delivery take?"}'

Then say "Refund order 1001, please.": a person has to approve it first.

The console, where people look at what was held and decide (the link signs you in once; each start makes one):
${link}

Go on:  npm run demo   ·   every route: ${origin}/docs   ·   README.md

Your key (tenant "local", role admin):
${key}
`;
}
