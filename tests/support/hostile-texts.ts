/** What somebody may write who wants the reader's page to do, or to show, something else than the text. */
const scripts = [
  "<script>globalThis.harmed = 1</script>",
  "<img src=x onerror=globalThis.harmed=1>",
  "<svg onload=globalThis.harmed=1>",
  "<svg><script>globalThis.harmed=1</script></svg>",
  "<iframe srcdoc='<script>parent.harmed=1</script>'>",
  "<object data=data:text/html,<script>parent.harmed=1</script>>",
  "<math><mtext><script>globalThis.harmed=1</script></mtext></math>",
  "<details open ontoggle=globalThis.harmed=1>",
  "<body onload=globalThis.harmed=1>",
  "<style>body{display:none}</style>",
  "<link rel=stylesheet href=//evil.example/x.css>",
  "<meta http-equiv=refresh content='0;url=//evil.example'>",
  "<base href=//evil.example/>",
  "<form action=//evil.example><button>Sign in</button></form>",
  '"><script>globalThis.harmed=1</script>',
  "'><img src=x onerror=globalThis.harmed=1>",
  '" autofocus onfocus=globalThis.harmed=1 x="',
  "</textarea><script>globalThis.harmed=1</script>",
  "</title><script>globalThis.harmed=1</script>",
  "</style><script>globalThis.harmed=1</script>",
  "<!--><script>globalThis.harmed=1</script>",
  "<![CDATA[<script>globalThis.harmed=1</script>]]>",
  "<template><script>globalThis.harmed=1</script></template>",
  "<noscript><p title='</noscript><img src=x onerror=globalThis.harmed=1>'></noscript>",
  "<a href=javascript:globalThis.harmed=1>open</a>",
  "javascript:globalThis.harmed=1",
  "![x](https://evil.example/pixel.png)",
  "[Sign in](https://evil.example/login)",
  "<div hx-get=//evil.example hx-trigger=load>",
  "<form data-passkey=get></form>",
  "{{constructor.constructor('globalThis.harmed=1')()}}",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: that is what is sent
  "${globalThis.harmed=1}",
  "&lt;script&gt;globalThis.harmed=1&lt;/script&gt;",
];

const unseen = [
  "pay \u202e001$ to eve",
  "zero\u200bwidth",
  "\u2066isolate\u2069 and \u200eleft",
  "p\u0430ypal.com is not paypal.com",
  "tags \u{e0041}\u{e0042}\u{e007f}",
  "bell \u0007 and escape \u001b[31m",
  "مرحبا بالعالم, text from right to left",
];

export const hostileTexts: readonly string[] = [...scripts, ...unseen];
