/** Names that announce a secret, what links them to the value, and vendors: in lower case and JavaScript syntax. */
import { lazily } from "../../../text/lazily.js";
import { readTable } from "../../../text/table.js";

/** By what they are for and by language. */
export const announcingWords = lazily(() =>
  readTable(table, (use, language, words) => ({ use, language, words: words.split(", ") })),
);

/** The words for one use, of all languages. */
export const wordsFor = (wanted: "secret" | "weak" | "account" | "vendor" | "link" | "harmless"): readonly string[] =>
  announcingWords().flatMap(({ use, words }) => (use === wanted ? words : []));

const table = String.raw`
# secret: what follows is one if it looks made up at all. weak: too common as words; only a long value without any word in it counts.
# account: announce a user's name and, after it, a password. vendor: services whose keys have no form of their own; source: gitleaks
# (MIT), config/gitleaks.toml. link: stands between a name and a value. harmless: hold the words above and announce no secret.
# use | language | words, parted by a comma and a space
secret | en | pass(?:word|wd|phrase|code|key)s?, pwd, (?<![a-z])pw, (?<![a-z])pass, (?:client|app|consumer|shared|webhook|signing|jwt)?[_ -]?secret(?:[_ -]?(?:access[_ -]?)?key)?, (?:api|access|account|auth|bearer|private|secret|refresh|encryption|signing|master|service|storage|license|subscription|sharedaccess|ssh|app)[_ -]?(?:key|token|secret)s?, tokens?, credentials?, (?<![a-z])creds?, (?<![a-z])apikey, (?<![a-z])sig, sharedaccesssignature, connection ?string
secret | de | pass(?:wort|wörter), kennwort, zugangs(?:code|daten|schlüssel), geheimnis, (?:api|geheim)[_ -]?schlüssel, geheimer schlüssel
secret | fr | mots? de passe, (?<![a-z])mdp, cl[ée][_ ](?:d['’]?)?(?:api|acc[èe]s|secr[èe]te|priv[ée]e), jeton, code secret
secret | es | contrase(?:ñ|ñ|n)as?, (?<![a-z])clave(?: (?:api|secreta|privada|de acceso|de api))?, palabra de paso
secret | pt | senhas?, palavra[ -]?passe, chave (?:de api|api|secreta|privada|de acesso), segredo
secret | it | parola d['’]ordine, chiave (?:api|segreta|privata|di accesso), segreto
secret | nl | wachtwoord(?:en)?, (?:api|geheime?|toegangs)[_ -]?sleutel, toegangscode
secret | pl | hasł[oa], klucz (?:api|prywatny)
secret | sv | lösenord(?:et)?, api[_ -]?nyckel
secret | ru | парол[ьяеи]м?, (?:api|секретный|приватный|закрытый)[ -]?ключ, ключ (?:api|доступа), токен, секрет
secret | zh | 密码, 密碼, 口令, 密钥, 密鑰, 秘钥, 令牌
secret | ja | パスワード, 暗証番号, 秘密鍵, apiキー, アクセスキー, トークン, シークレット, 合言葉
secret | ko | 비밀번호, 암호, 비밀 ?키, api ?키, 토큰
secret | ar | كلمة (?:المرور|السر), كلمات المرور, الرقم السري, الرمز السري, (?:المفتاح|مفتاح) (?:السري|api|الواجهة), رمز الوصول
secret | hi | पासवर्ड, कूटशब्द, पासकोड, (?:एपीआई|api|गुप्त) कुंजी, टोकन
secret | tr | parola(?:m|sı|nız|n)?, (?:ş|s)ifre(?:m|si|niz|n)?, (?:api|gizli|erişim) anahtarı?
weak | any | (?<![a-z])keys?, schlüssel, cl[ée], chave, chiave, llave, sleutel, ключ, auth(?:orization)?, anahtar, مفتاح, कुंजी, キー, 키, webhook, dsn, login
account | any | (?<![a-z])log[ -]?in(?: (?:details|data|info))?, (?<![a-z])user(?:[ _-]?name)?(?:s? ?(?:/|and|&|\+) ?pass(?:word)?)?, credentials?, (?<![a-z])creds?, (?<![a-z])(?:account|acct), sign[ -]?in, benutzer(?:name)?, zugang(?:sdaten)?, anmelde(?:daten|name), identifiants?, utilisateur, usuario, credenciales, acceso, usuário, acesso, utente, credenziali, accesso, gebruiker(?:snaam)?, inloggegevens, логин, учётная запись, учетные данные, доступ, 账号, 帐号, 用户名?, ユーザー(?:名|id)?, ログイン(?:情報)?, 아이디, 계정, اسم المستخدم, بيانات الدخول, यूज़र(?:नेम)?, लॉगिन, kullanıcı(?: adı)?, giriş bilgileri
vendor | any | adafruit, adobe, airtable, algolia, alibaba, asana, atlassian, beamer, bitbucket, bittrex, cloudflare, codecov, cohere, coinbase, confluence, confluent, contentful, datadog, discord, droneci, dropbox, etsy, facebook, fastly, finicity, finnhub, flickr, freshbooks, gitter, gocardless, heroku, hubspot, instagram, intercom, jfrog, artifactory, jira, kraken, kucoin, launchdarkly, linkedin, mailchimp, mailgun, mapbox, mattermost, meraki, messagebird, netlify, new[_-]?relic, nytimes, okta, opsgenie, pagerduty, plaid, rapidapi, sendbird, sentry, shodan, snyk, sonar, squarespace, sumo(?:logic)?, travis, trello, twilio, twitch, twitter, yandex, zendesk
link | any | =>, :=, ={1,3}, \|\|, :{1,2}, [–—-]{1,2}, (?:is|was|are|to|as|lautet|heißt|ist|war|est|étais|es|era|é|è|era|jest|är|это|был|равен|olarak|dir|है|هو|هي|is:|ist:)(?=\s|$), 是, 为, 為, は, が, 는, 은, 이
harmless | any | (?:key|token|secret|pass(?:word|phrase|code|wd)|pwd|credential)s?[_ .-]?(?:ids?|names?|urls?|uris?|endpoint|types?|size|length|len|count|limit|path|file\w*|field|policy|expir\w*|ttl|version|format|alias|algorithm|class|label|hint|manager|min|max|usage|used|budget|price|strength|rotation|arn|store|vault|ring|board|word|code|frame|press|map|page|izer|ization)
harmless | any | (?:public|pub|foreign|primary|partition|sort|cache|translation|object|idempotency|page|next\w{0,5}|continuation|routing|ordering|row|hash|hot|short)[_ -]?(?:key|token)
harmless | any | (?:max|min|num|total|prompt|completion|input|output|context)[_ -]?tokens?
harmless | any | (?:hash|algorithm|policy|length|count)s?(?:\s|$)
harmless | any | monkey|turkey|donkey|hockey|jockey|keyboard|keynote|keyword|tokeni[sz]|passenger|passport|passive|passage|compass|bypass|secretar|passed|passes|passing
`;
