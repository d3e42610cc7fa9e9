import { describe, expect, it } from "vitest";
import { finds, redacting } from "./support.js";

const found = (text: string) => finds({ type: "secrets" }, text);
/** Put together here, so that no scanner takes this file for a leak. */
const filler = (length: number) => "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1cD2".repeat(6).slice(0, length);

describe("secrets", () => {
  it.each([
    `sk-${filler(48)}`,
    `sk-proj-${filler(60)}`,
    `sk-ant-api03-${filler(80)}`,
    "AKIAIOSFODNN7ABCDEFG",
    `ghp_${filler(36)}`,
    `github_pat_${filler(40)}`,
    `glpat-${filler(20)}`,
    `xoxb-123456789012-${filler(24)}`,
    `sk_live_${filler(24)}`,
    `AIza${filler(35)}`,
    `cfut_${filler(40)}`,
    `cnk_${filler(32)}`,
    `cno_${filler(16)}.${filler(200)}.${filler(8)}`,
    `cnr_${filler(16)}.${filler(200)}.${filler(8)}`,
    `hf_${filler(34)}`,
    `npm_${filler(36)}`,
    `SG.${filler(22)}.${filler(43)}`,
    `123456789:AA${filler(33)}`,
    `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${filler(43)}`,
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAabcdef0123456789\nAbC=\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\\nMIIEpAIBAAKCAQEAabcdef0123456789\\n-----END PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAE",
  ])("%s", (key) => {
    expect(found(`Use ${key}`)).toEqual([key]);
    expect(found(`"${key}"`)).toEqual([key]);
  });

  it.each([
    ["password: hunter22!", "hunter22!"],
    ['PASSWORD="Tr0ub4dor&3"', "Tr0ub4dor&3"],
    ["export DB_PASSWORD=s3cr3tvalue", "s3cr3tvalue"],
    ['{"api_key": "a1b2c3d4e5f6"}', "a1b2c3d4e5f6"],
    ["aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCY"],
    ["my password is hunter22", "hunter22"],
    ["das Passwort lautet Geheim123", "Geheim123"],
    ["mot de passe : Secret123", "Secret123"],
    ["contraseña: Clave1234", "Clave1234"],
    ["Authorization: Bearer abcdef1234567890", "abcdef1234567890"],
    ["authorization: basic dXNlcjpwYXNzd29yZDE=", "dXNlcjpwYXNzd29yZDE="],
    ["postgres://app:p4ssw0rd@db.internal/app", "p4ssw0rd"],
  ])("the value alone in: %s", (text, value) => expect(found(text)).toEqual([value]));

  it.each([
    "Your password is incorrect.",
    "password: required",
    "How do I reset my password?",
    "password = process.env.DB_PASSWORD1",
    "password: $DB_PASSWORD_1",
    "api_key: <your-api-key-1>",
    "api_key: YOUR_API_KEY_123",
    "token: string; secret: boolean",
    "Authorization: Bearer <token>",
    "Authorization: Bearer YOUR_TOKEN_HERE1",
    "the bearer understands this",
    "basic understanding of the tokens",
    "sk-your-key-goes-here-00000",
    "sk-learn-is-a-machine-learning-library",
    "task-force-for-the-new-project-2024",
    "ghp_short",
    "AKIA is the prefix of an access key",
    "https://example.com:8080/path@home",
    "eyJ is how tokens start",
    "-----BEGIN CERTIFICATE-----",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
  ])("not %s", (text) => expect(found(text)).toEqual([]));

  it("are found in what looks like the start of another", () => {
    const key = `sk-ant-${filler(40)}`;
    expect(found(`bearer of a token: ${key}`)).toEqual([key]);
  });

  it("are masked", () => {
    expect(redacting({ type: "secrets" }).judge("password=hunter22, ok").text).toBe("password=[secret], ok");
  });
});

describe("passwords in commands", () => {
  it.each([
    ["CREATE USER 'bob'@'%' IDENTIFIED BY 'Sommer2024x';", "Sommer2024x"],
    ["create user bob identified by 'tiger'", "tiger"],
    ["ALTER USER bob WITH PASSWORD 'hunter2hunter';", "hunter2hunter"],
    ["CREATE ROLE app LOGIN PASSWORD 's3cr3tPw!'", "s3cr3tPw!"],
    ["SET PASSWORD FOR 'bob' = PASSWORD('tiger123');", "tiger123"],
    ["curl -u admin:tiger https://shop.example/api", "tiger"],
    ["curl --user bob:hunter2 https://shop.example", "hunter2"],
    ["curl -s -u 'jane:correct:horse' https://shop.example", "correct:horse"],
  ])("%s", (text, password) => {
    expect(finds({ type: "secrets" }, text)).toEqual([password]);
  });

  it.each([
    "CREATE USER bob IDENTIFIED BY '$PASSWORD';",
    "CREATE USER bob IDENTIFIED BY '<password>';",
    "ALTER USER bob PASSWORD EXPIRE;",
    "He was identified by the police.",
    "SELECT password FROM users WHERE name = 'bob';",
    "curl -u $USER:$PASS https://shop.example",
    "curl -u bob https://shop.example",
    "Use curl and sort -u a:b",
    "docker run -u 1000:1000 node",
  ])("not %s", (text) => {
    expect(finds({ type: "secrets" }, text)).toEqual([]);
  });
});
