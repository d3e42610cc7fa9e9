/** Secrets that are known by their form: the prefixes that vendors document and public scanners list. */
import { lazily } from "../../../text/lazily.js";
import { readTable } from "../../../text/table.js";
import type { Evidence } from "../personal/context.js";

export interface KeyForm extends Evidence {
  readonly kind: string;
  /** JavaScript syntax, without groups that capture. Stands at the start of a word or after an underscore. */
  readonly form: string;
}

/** In the order in which they are tried. */
export const keyForms = lazily(() =>
  readTable(table, (kind, form, source, example, counterExample): KeyForm => {
    return { kind, form, source, example, counterExample };
  }),
);

const table = String.raw`
# Sources: gitleaks (MIT), config/gitleaks.toml; vendor: its documentation of its keys; trufflehog, pkg/detectors;
# github: its supported secret scanning patterns.
# Examples are recipes, put together only when a test runs, so that no scanner takes this file for a leak: {36} stands for 36 letters and
# digits, {h64} for hexadecimal ones, {U} for capitals, {l} for small letters, {d} for digits, {u} for a UUID.
# kind | form | source | example | counter-example
jwt | ey[IJ][A-Za-z0-9_-]{10,3000}\.ey[IJ][A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]* | RFC 7519 | eyJhbGciOiJIUzI1NiJ9.eyJzdWIi{40}.{43} | eyJ is how tokens start
openai | sk-(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{20,} | gitleaks | sk-proj-{48} | sk-proj-short
anthropic | sk-ant-[a-z0-9]{3,10}-[A-Za-z0-9_-]{20,} | gitleaks | sk-ant-api03-{80} | sk-ant-api03-short
openrouter | sk-or-v1-[A-Za-z0-9]{20,} | vendor | sk-or-v1-{h64} | sk-or-v1-short
aws-access-key-id | (?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9]) | gitleaks | AKIA{U16} | AKIAshort
aws-bedrock | ABSK[A-Za-z0-9+/]{90,}={0,2} | gitleaks | ABSK{100} | ABSKshort
github | gh[pousr]_[A-Za-z0-9]{30,} | gitleaks | ghp_{36} | ghp_short
github-fine-grained | github_pat_[A-Za-z0-9_]{22,} | gitleaks | github_pat_{40} | github_pat_short
gitlab | gl(?:pat|dt|rt|ptt|ft|imt|agent|oas|soat|cbt|ffct|rtr)-[A-Za-z0-9_-]{20,} | gitleaks | glpat-{20} | glpat-short
gitlab-runner-registration | GR1348941[A-Za-z0-9_-]{20,} | vendor | GR1348941{20} | GR1348941short
slack | xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,} | gitleaks | xoxb-123456789012-{24} | xoxb-short
slack-app | xapp-[0-9]-[A-Za-z0-9-]{10,} | gitleaks | xapp-1-{30} | xapp-1-short
slack-webhook | hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/_-]{20,} | gitleaks | hooks.slack.com/services/T{U8}/B{U8}/{24} | hooks.slack.com/services/Tshort
stripe | [sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,} | gitleaks | sk_live_{24} | sk_live_short
webhook-signing | whsec_[A-Za-z0-9+/]{16,}={0,2} | vendor | whsec_{32} | whsec_short
google-api | AIza[A-Za-z0-9_-]{35} | gitleaks | AIza{35} | AIzashort
google-oauth-secret | GOCSPX-[A-Za-z0-9_-]{20,} | vendor | GOCSPX-{28} | GOCSPX-short
google-oauth-access | ya29\.[A-Za-z0-9_-]{20,} | vendor | ya29.{40} | ya29.short
google-oauth-refresh | 1//0[A-Za-z0-9_-]{30,} | vendor | 1//0{40} | 1//0short
cloudflare | cf(?:k|ut|at)_[A-Za-z0-9]{30,} | vendor | cfut_{40} | cfut_short
cloudflare-origin-ca | v1\.0-[a-f0-9]{24}-[a-f0-9]{100,} | gitleaks | v1.0-{h24}-{h146} | v1.0-short
conclave | cnk_[A-Za-z0-9_-]{16,} | vendor | cnk_{32} | cnk_short
conclave-oauth | cn[or]_[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]{40,}(?:\.[A-Za-z0-9_-]+)? | vendor | cno_{16}.{200}.{8} | cno_short
hugging-face | (?:hf|api_org)_[A-Za-z0-9]{30,} | gitleaks | hf_{34} | hf_short
npm | npm_[A-Za-z0-9]{36} | gitleaks | npm_{36} | npm_short
pypi | pypi-[A-Za-z0-9_-]{50,} | gitleaks | pypi-{80} | pypi-short
rubygems | rubygems_[a-f0-9]{48} | gitleaks | rubygems_{h48} | rubygems_short
docker | dckr_(?:pat|oat)_[A-Za-z0-9_-]{24,} | vendor | dckr_pat_{27} | dckr_pat_short
sendgrid | SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{32,} | gitleaks | SG.{22}.{43} | SG.short
twilio | (?:SK|AC)[0-9a-fA-F]{32}(?![A-Za-z0-9]) | gitleaks | SK{h32} | SKshort
telegram-bot | [0-9]{5,16}:A[A-Za-z0-9_-]{33,} | gitleaks | 123456789:AA{33} | 123456789:AAshort
discord-bot | [MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,} | vendor | M{24}.{6}.{38} | Mshort
discord-webhook | discord(?:app)?\.com/api/webhooks/[0-9]{15,20}/[A-Za-z0-9_-]{60,} | vendor | discord.com/api/webhooks/{d18}/{68} | discord.com/api/webhooks/short
mailgun | (?:pub)?key-[a-f0-9]{32}(?![A-Za-z0-9]) | gitleaks | key-{h32} | key-short
mailgun-signing | [a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}(?![A-Za-z0-9-]) | gitleaks | {h32}-{h8}-{h8} | token-short
mailchimp | [a-f0-9]{32}-us[0-9]{1,2}(?![A-Za-z0-9]) | gitleaks | {h32}-us12 | token-short
brevo | xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16} | gitleaks | xkeysib-{h64}-{16} | xkeysib-short
groq | gsk_[A-Za-z0-9]{30,} | vendor | gsk_{52} | gsk_short
xai | xai-[A-Za-z0-9]{30,} | vendor | xai-{80} | xai-short
replicate | r8_[A-Za-z0-9]{30,} | vendor | r8_{37} | r8_short
perplexity | pplx-[A-Za-z0-9]{32,} | gitleaks | pplx-{48} | pplx-short
linear | lin_(?:api|oauth)_[A-Za-z0-9]{30,} | gitleaks | lin_api_{40} | lin_api_short
digitalocean | do[opr]_v1_[a-f0-9]{64} | gitleaks | dop_v1_{h64} | dop_v1_short
heroku | HRKU-[A-Za-z0-9_-]{30,} | gitleaks | HRKU-AA{58} | HRKU-AAshort
shopify | shp(?:at|ca|pa|ss|ua|tka)_[A-Fa-f0-9]{32} | gitleaks | shpat_{h32} | shpat_short
square | sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,} | gitleaks | sq0atp-{22} | sq0atp-short
square-access | EAAA[A-Za-z0-9_-]{50,} | gitleaks | EAAA{60} | EAAAshort
facebook-page | EAA[MC][A-Za-z0-9]{80,} | gitleaks | EAAC{110} | EAACshort
facebook-app | [0-9]{15,16}(?:\||%7C)[A-Za-z0-9_-]{27,40} | gitleaks | {d15}|{27} | token-short
databricks | dapi[a-f0-9]{32}(?:-[0-9])?(?![A-Za-z0-9]) | gitleaks | dapi{h32} | dapishort
doppler | dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44} | gitleaks | dp.pt.{43} | dp.pt.short
notion | ntn_[A-Za-z0-9]{40,} | gitleaks | ntn_{d11}{35} | ntn_short
notion-integration | secret_[A-Za-z0-9]{43}(?![A-Za-z0-9]) | vendor | secret_{43} | secret_short
airtable | pat[A-Za-z0-9]{14}\.[a-f0-9]{64} | gitleaks | pat{14}.{h64} | patshort
airtable-key | key(?!(?:[A-Z][a-z]{2,13}){1,4}(?![A-Za-z0-9]))[A-Za-z0-9]{14}(?![A-Za-z0-9]) | vendor | key{14} | keyshort
atlassian | AT(?:ATT3|BB|CTT3|SCTT3)[A-Za-z0-9_=-]{24,} | gitleaks | ATATT3{186} | ATATT3short
bitbucket-app-password | ATBB[A-Za-z0-9]{28,} | vendor | ATBB{32} | ATBBshort
okta | 00[A-Za-z0-9_-]{40}(?![A-Za-z0-9_-]) | gitleaks | 00{40} | 00short
planetscale | pscale_(?:tkn|oauth|pw)_[A-Za-z0-9=._-]{32,} | gitleaks | pscale_tkn_{43} | pscale_tkn_short
pulumi | pul-[a-f0-9]{40} | gitleaks | pul-{h40} | pul-short
grafana-cloud | glc_[A-Za-z0-9+/]{32,}={0,3} | gitleaks | glc_{60} | glc_short
grafana-service-account | glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8} | gitleaks | glsa_{32}_{h8} | glsa_short
grafana-key | eyJrIjoi[A-Za-z0-9]{30,}={0,3} | gitleaks | eyJrIjoi{70} | eyJrIjoishort
new-relic | NR(?:AK|II|RA|JS|AA|SP)-[A-Za-z0-9-]{19,} | gitleaks | NRAK-{U27} | NRAK-short
sentry | sntry[su]_[A-Za-z0-9+/=_-]{40,} | gitleaks | sntryu_{h64} | sntryu_short
vault | hv[sbr]\.[A-Za-z0-9_-]{24,} | gitleaks | hvs.{90} | hvs.short
vault-old | [sb]\.[A-Za-z0-9]{24}(?![A-Za-z0-9]) | vendor | s.{24} | s.short
terraform-cloud | [A-Za-z0-9]{14}\.(?:atlasv1)\.[A-Za-z0-9_=-]{60,} | gitleaks | {14}.atlasv1.{67} | token-short
1password-secret-key | A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5} | gitleaks | A3-{U6}-{U6}-{U5}-{U5}-{U5}-{U5} | A3-short
1password-service-account | ops_eyJ[A-Za-z0-9+/]{100,}={0,3} | gitleaks | ops_eyJ{260} | ops_eyJshort
age | AGE-SECRET-KEY-1[A-Z0-9]{58} | gitleaks | AGE-SECRET-KEY-1{U58} | AGE-SECRET-KEY-1short
adobe | p8e-[a-z0-9]{32} | gitleaks | p8e-{h32} | p8e-short
alibaba | LTAI[A-Za-z0-9]{12,20}(?![A-Za-z0-9]) | gitleaks | LTAI{20} | LTAIshort
artifactory | AKCp[A-Za-z0-9]{60,} | gitleaks | AKCp{69} | AKCpshort
artifactory-reference | cmVmd[A-Za-z0-9]{59} | gitleaks | cmVmd{59} | cmVmdshort
authress | (?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,120} | gitleaks | sc_{10}.{5}.acc-{12}.{40} | sc_short
azure-client-secret | [A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34} | gitleaks | abc8Q~{34} | abc8Q~short
azure-storage-key | [A-Za-z0-9+/]{76}(?:AZEW|ACDbX?|ASt)[A-Za-z0-9+/=]{5,10} | vendor | {76}ACDb{6}== | token-short
clickhouse | 4b1d[A-Za-z0-9]{38}(?![A-Za-z0-9]) | gitleaks | 4b1d{38} | 4b1dshort
clojars | CLOJARS_[A-Za-z0-9]{60} | gitleaks | CLOJARS_{h60} | CLOJARS_short
contentful | CFPAT-[A-Za-z0-9_-]{43} | vendor | CFPAT-{43} | CFPAT-short
defined-networking | dnkey-[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52} | gitleaks | dnkey-{26}-{52} | dnkey-short
dropbox | sl\.[A-Za-z0-9_=-]{100,} | gitleaks | sl.{135} | sl.short
duffel | duffel_(?:test|live)_[A-Za-z0-9_=-]{43} | gitleaks | duffel_live_{43} | duffel_live_short
dynatrace | dt0[a-z][0-9]{2}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64} | gitleaks | dt0c01.{U24}.{U64} | dt0c01.short
easypost | EZ[AT]K[A-Za-z0-9]{54} | gitleaks | EZAK{54} | EZAKshort
flutterwave | FLW(?:SECK|PUBK)(?:_TEST|_LIVE)?-[A-Za-z0-9]{12,}(?:-X)? | gitleaks | FLWSECK_TEST-{h32}-X | FLWSECK_TEST-short
fly | fo1_[A-Za-z0-9_-]{43} | gitleaks | fo1_{43} | fo1_short
fly-macaroon | fm[12][ar]?_[A-Za-z0-9+/]{100,}={0,3} | gitleaks | fm2_{120} | fm2_short
frameio | fio-u-[A-Za-z0-9_=-]{64} | gitleaks | fio-u-{64} | fio-u-short
harness | (?:pat|sat)\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20} | gitleaks | pat.{22}.{h24}.{20} | pat.short
infracost | ico-[A-Za-z0-9]{32} | gitleaks | ico-{32} | ico-short
intra42 | s-s4t2(?:ud|af)-[a-f0-9]{64} | gitleaks | s-s4t2ud-{h64} | s-s4t2ud-short
lob | (?:live|test)_(?:pub_)?[a-f0-9]{31,35}(?![A-Za-z0-9]) | gitleaks | live_{h35} | live_short
mapbox | [ps]k\.eyJ[A-Za-z0-9_-]{50,}\.[A-Za-z0-9_-]{20,} | gitleaks | sk.eyJ{70}.{22} | sk.eyJshort
maxmind | [A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk | gitleaks | {6}_{29}_mmk | token-short
teams-webhook | webhook\.office\.com/webhookb2/[A-Za-z0-9@-]{36,}/IncomingWebhook/[A-Za-z0-9/-]{32,} | gitleaks | acme.webhook.office.com/webhookb2/{u}@{u}/IncomingWebhook/{h32}/{u} | acme.webhook.office.com/webhookb2/short
netlify | nf[pcoub]_[A-Za-z0-9_-]{36,} | vendor | nfp_{36} | nfp_short
octopus | API-[A-Z0-9]{25,30}(?![A-Za-z0-9]) | gitleaks | API-{U26} | API-short
openshift | sha256~[A-Za-z0-9_-]{43} | gitleaks | sha256~{43} | sha256~short
plaid | access-(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f-]{27} | gitleaks | access-production-{u} | access-production-short
postman | PMAK-[a-f0-9]{24}-[a-f0-9]{34} | gitleaks | PMAK-{h24}-{h34} | PMAK-short
prefect | pn[bu]_[A-Za-z0-9]{36} | gitleaks | pnu_{36} | pnu_short
readme | rdme_[a-z0-9]{70} | gitleaks | rdme_{h70} | rdme_short
scalingo | tk-us-[A-Za-z0-9_-]{48} | gitleaks | tk-us-{48} | tk-us-short
settlemint | sm_[aps]at_[A-Za-z0-9]{16} | gitleaks | sm_pat_{16} | sm_pat_short
shippo | shippo_(?:live|test)_[A-Fa-f0-9]{40} | gitleaks | shippo_live_{h40} | shippo_live_short
sourcegraph | sgp_(?:[A-Fa-f0-9]{16}_|local_)?[A-Fa-f0-9]{40} | gitleaks | sgp_{h40} | sgp_short
supabase | sb(?:p|_secret)_[A-Za-z0-9_-]{30,} | vendor | sbp_{h40} | sbp_short
tailscale | tskey-[a-z]{2,10}-[A-Za-z0-9-]{16,} | vendor | tskey-auth-{12}-{32} | tskey-auth-short
typeform | tfp_[A-Za-z0-9_.=-]{44,59} | gitleaks | tfp_{44}_{14} | tfp_short
vercel | vc[aikprs]_[A-Za-z0-9]{24,} | vendor | vcp_{40} | vcp_short
yandex | AQVN[A-Za-z0-9_-]{35,38} | gitleaks | AQVN{36} | AQVNshort
yandex-oauth | y[0-3]_[A-Za-z0-9_-]{50,} | vendor | y0_{55} | y0_short
yandex-iam | t1\.[A-Z0-9a-z_-]{20,}={0,2}\.[A-Za-z0-9_-]{86}={0,2} | gitleaks | t1.{40}.{86} | t1.short
langsmith | lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10} | vendor | lsv2_pt_{h32}_{h10} | lsv2_pt_short
langfuse | [sp]k-lf-[0-9a-f]{8}-[0-9a-f-]{27} | vendor | sk-lf-{u} | sk-lf-short
nvidia | nvapi-[A-Za-z0-9_-]{60,} | vendor | nvapi-{64} | nvapi-short
elevenlabs | sk_[a-f0-9]{48}(?![A-Za-z0-9]) | vendor | sk_{h48} | sk_short
figma | fig[dour]_[A-Za-z0-9_-]{36,} | vendor | figd_{40} | figd_short
posthog | ph[cx]_[A-Za-z0-9]{40,} | vendor | phx_{43} | phx_short
render | rnd_[A-Za-z0-9]{28,} | vendor | rnd_{32} | rnd_short
resend | re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,} | vendor | re_{8}_{24} | re_short
razorpay | rzp_(?:live|test)_[A-Za-z0-9]{14,} | vendor | rzp_live_{14} | rzp_live_short
paystack | sk_(?:live|test)_[a-f0-9]{40} | vendor | sk_live_{h40} | sk_live_short
braintree | access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32} | vendor | access_token$production$a{h15}$b{h31} | access_token$production$short
crates-io | cio[A-Za-z0-9]{32}(?![A-Za-z0-9]) | vendor | cio{32} | cioshort
nuget | oy2[a-z0-9]{43}(?![A-Za-z0-9]) | vendor | oy2{l43} | oy2short
snyk | snyk_(?:uat|sat)\.[a-f0-9]{8}\.[A-Za-z0-9._-]{30,} | vendor | snyk_uat.{h8}.{40} | snyk_uat.short
sonar | sq[uap]_[a-f0-9]{40} | vendor | squ_{h40} | squ_short
circleci | CCIPAT_[A-Za-z0-9]{22}_[a-f0-9]{40} | vendor | CCIPAT_{22}_{h40} | CCIPAT_short
buildkite | bk(?:ua|ct|aj)_[a-f0-9]{40} | vendor | bkua_{h40} | bkua_short
asana | [0-9]{1,2}/[0-9]{15,17}(?:/[0-9]{15,17})?:[a-f0-9]{32} | vendor | 1/{d16}:{h32} | 1/short
clickup | pk_[0-9]{6,10}_[A-Z0-9]{32} | vendor | pk_{d8}_{U32} | pk_short
hubspot | pat-(?:na|eu)[0-9]-[0-9a-f]{8}-[0-9a-f-]{27} | gitleaks | pat-na1-{u} | pat-na1-short
stytch | secret-(?:test|live)-[A-Za-z0-9_-]{30,}={0,2} | vendor | secret-live-{36} | secret-live-short
cerebras | csk-[a-z0-9]{40,} | vendor | csk-{l48} | csk-short
together | tgp_v1_[A-Za-z0-9_-]{40,} | vendor | tgp_v1_{43} | tgp_v1_short
fireworks | fw_[A-Za-z0-9]{22,} | vendor | fw_{24} | fw_short
tavily | tvly-(?:dev-|prod-)?[A-Za-z0-9]{30,} | vendor | tvly-{32} | tvly-short
e2b | e2b_[a-f0-9]{40} | vendor | e2b_{h40} | e2b_short
wandb | wandb_v1_[A-Za-z0-9_]{40,} | vendor | wandb_v1_{77} | wandb_v1_short
pinecone | pcsk_[A-Za-z0-9]{5,8}_[A-Za-z0-9]{50,} | vendor | pcsk_{6}_{63} | pcsk_short
adafruit | aio_[A-Za-z0-9]{28}(?![A-Za-z0-9]) | vendor | aio_{28} | aio_short
launchdarkly | (?:api|sdk)-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12} | vendor | sdk-{h8}-{h4}-4{h3}-a{h3}-{h12} | sdk-12345678
tencent | AKID[A-Za-z0-9]{32}(?![A-Za-z0-9]) | vendor | AKID{32} | AKIDshort
zapier-webhook | hooks\.zapier\.com/hooks/catch/[0-9]{4,12}/[a-z0-9]{5,12} | vendor | hooks.zapier.com/hooks/catch/{d7}/{l7} | hooks.zapier.com/docs
apify | apify_api_[A-Za-z0-9]{34,40} | trufflehog | apify_api_{36} | apify_api_short
alchemy | alcht_[A-Za-z0-9]{30} | trufflehog | alcht_{30} | alcht_short
linear-webhook | lin_wh_[A-Za-z0-9]{30,} | vendor | lin_wh_{40} | lin_wh_short
cockroach | CCDB1_[A-Za-z0-9]{22}_[A-Za-z0-9]{40} | github | CCDB1_{22}_{40} | CCDB1_short
rootly | rootly_[a-f0-9]{64} | trufflehog | rootly_{h64} | rootly_short
aiven | AVNS_[A-Za-z0-9_-]{19,} | github | AVNS_{19} | AVNS_short
deno | dd[pw]_[A-Za-z0-9]{36} | github | ddp_{36} | ddp_short
neon | napi_[a-z0-9]{60,} | github | napi_{l64} | napi_short
samsara | samsara_api_[A-Za-z0-9]{30} | github | samsara_api_{30} | samsara_api_short
zuplo | zpka_[a-z0-9]{32}_[a-z0-9]{8} | github | zpka_{l32}_{l8} | zpka_short
paddle | pdl_(?:live|sdbx)_apikey_[a-z0-9]{26}_[A-Za-z0-9]{22}_[A-Za-z0-9]{3} | github | pdl_live_apikey_{l26}_{22}_{3} | pdl_live_apikey_short
jina | jina_[A-Za-z0-9_-]{50,} | vendor | jina_{h32}{28} | jina_short
wakatime | waka_[0-9a-f]{8}-[0-9a-f-]{27} | vendor | waka_{u} | waka_short
telnyx | KEY0[A-Za-z0-9]{16,48}_[A-Za-z0-9]{10,} | github | KEY0{40}_{14} | KEY0short
open-vsx | ovsxat_[0-9a-f]{8}-[0-9a-f-]{27} | github | ovsxat_{u} | ovsxat_short
sindri | sindri_[A-Za-z0-9]{32} | github | sindri_{32} | sindri_short
stackhawk | hawk\.[A-Za-z0-9_-]{20}\.[A-Za-z0-9_-]{20} | trufflehog | hawk.{20}.{20} | hawk.short
firecrawl | fc-[a-f0-9]{32} | github | fc-{h32} | fc-short
trigger-dev | tr_(?:dev|prod|stg|preview)_[A-Za-z0-9]{20,} | vendor | tr_prod_{20} | tr_prod_short
inngest | signkey-[a-z]{2,10}-[a-f0-9]{32,} | vendor | signkey-prod-{h64} | signkey-prod-short
browserbase | bb_(?:live|test)_[A-Za-z0-9_-]{24,} | vendor | bb_live_{27} | bb_live_short
firebase-messaging | AAAA[A-Za-z0-9_-]{7}:[A-Za-z0-9_-]{140} | trufflehog | AAAA{7}:{140} | AAAA is how some begin
runpod | rpa_[A-Z0-9]{40,} | github | rpa_{U42} | rpa_short
ionic | ion_[A-Za-z0-9]{42} | github | ion_{42} | ion_short
polar | polar_[a-z]{2,4}_[A-Za-z0-9]{36,} | github | polar_oat_{40} | polar_oat_short
persona | persona_(?:production|sandbox)_[A-Za-z0-9-]{36} | github | persona_production_{u} | persona_production_short
unkey | unkey_[A-Za-z0-9]{20,} | vendor | unkey_{24} | unkey_short
braintrust | bt-st-[A-Za-z0-9]{40,} | vendor | bt-st-{40} | bt-st-short
onfido | api_(?:live|sandbox)(?:_(?:us|ca|eu))?\.[A-Za-z0-9_-]{11}\.[A-Za-z0-9_-]{32} | github | api_live.{11}.{32} | api_live.short
`;
