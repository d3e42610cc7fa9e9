import { describe, expect, it } from "vitest";
import { keyFrom } from "./made-up-keys.js";
import { finds } from "./support.js";

const found = (text: string) => finds({ type: "secrets" }, text);
const value = (recipe: string) => keyFrom(recipe, 7);

describe("announced secrets", () => {
  it.each([
    ["pw: Xk29!mmQ", "Xk29!mmQ"],
    ["client_secret=8Fk29dkf02kFKd0", "8Fk29dkf02kFKd0"],
    [`AccountKey=${value("{86}")}==;EndpointSuffix=core.windows.net`, `${value("{86}")}==`],
    [`https://x.blob.core.windows.net/a?sv=2020&sig=${value("{43}")}%3D&se=1`, `${value("{43}")}%3D`],
    [`https://example.com/reset?token=${value("{24}")}&x=1`, value("{24}")],
    ["password for the staging server is Gx7$kk29", "Gx7$kk29"],
    ["密码是Abc12345。谢谢", "Abc12345"],
    ["пароль от почты — Zima2024!", "Zima2024!"],
    [`datadog_api = ${value("{h40}")}`, value("{h40}")],
    [`My API key is ${value("{40}")}`, value("{40}")],
    ["ssh root password Welcome123!", "Welcome123!"],
  ])("the value of %s", (text, secret) => expect(found(text)).toEqual([secret]));

  it.each([
    "Your password must be at least 12 characters long.",
    "The password policy requires 8-16 characters.",
    "Please reset your password at https://example.com/reset/2024",
    "The token expires in 30min.",
    "API key rotation happens every 90days.",
    'password = os.environ["DB_PASS1"]',
    "token: str = None",
    "secretName: my-secret-v2",
    "The secret is stored in /etc/secrets/db1.txt",
    "password=$PASSWORD1",
    "password: user=jane1",
    "My password is not working!!",
    "password: ********",
    "Passwort: siehe E-Mail vom 12.03.2024",
    "Das Passwort läuft am 01.02.2024 ab.",
    "El token caduca en 3600s",
    "密码错误，请在2024-05-01前重试",
    "Пароль устарел 12.05.2024",
    "max_tokens: 128000",
    "Use SHA256 for the key: HMAC-SHA256",
    "The key is to use Python3.",
    "The secret of success is hard-work and co-operation.",
    "password hash algorithm: bcrypt12",
    "access token url: https://auth.example.com/oauth2/token",
    "Token: ERC-20 or BEP20",
    "Credentials: user@example.com",
    "private key: id_rsa.pub",
    "Our passwords are hashed with PBKDF2-SHA256.",
    "The API key is in config/settings.v2.json",
    "monkey: Banana2024",
  ])("none in: %s", (text) => expect(found(text)).toEqual([]));
});
