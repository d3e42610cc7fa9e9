import { describe, expect, it } from "vitest";
import type { PersonalDataKind } from "../../../src/supervision/rules/personal-data.js";
import { finds, redacting } from "./support.js";

const found = (kind: PersonalDataKind, text: string) => finds({ type: "personalData", kinds: [kind] }, text);

describe("e-mail addresses", () => {
  it.each([
    "jane@example.com",
    "jane.doe+tag@mail.example.co.uk",
    "j_d-1@x-y.io",
    "josé@correo.es",
    "a@xn--bcher-kva.example",
  ])("%s", (address) => {
    expect(found("email", `Write to ${address}, or (${address}).`)).toEqual([address, address]);
  });

  it.each(["@everyone", "jane@localhost", "a @ b.com", "logo@2x.png", "5 apples @ 2.50", "react@18.2.0"])(
    "not %s",
    (text) => {
      expect(found("email", text)).toEqual([]);
    },
  );

  it("are found with full-width and invisible characters", () => {
    expect(found("email", "to ja\u200bne＠example．com now")).toEqual(["ja\u200bne＠example．com"]);
  });
});

describe("payment cards", () => {
  it.each([
    "4111111111111111",
    "4111 1111 1111 1111",
    "4111-1111-1111-1111",
    "5555555555554444",
    "2223003122003222",
    "3782 822463 10005",
    "378282246310005",
    "6011111111111117",
    "30569309025904",
    "3530111333300000",
    "4222222222222",
    "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
    "４１１１１１１１１１１１１１１１",
    "٤١١١ ١١١١ ١١١١ ١١١١",
  ])("%s", (card) => {
    expect(found("card", `card ${card}, thanks`)).toEqual([card]);
    expect(found("card", `${card} 12/27 123`)).toEqual([card]);
  });

  it.each([
    ["a wrong check digit", "4111111111111112"],
    ["one digit more", "41111111111111111"],
    ["no issuer", "1234567812345670"],
    ["digits after a decimal point", "3.4111111111111111"],
    ["a time in milliseconds", "1715000000000"],
    ["part of a word", "ID4111111111111111"],
    ["small numbers", "41 11 11 11 11 11 11 11"],
    ["a version", "4.11.11.111"],
  ])("not %s", (_what, text) => expect(found("card", `see ${text} here`)).toEqual([]));
});

describe("telephone numbers", () => {
  it.each([
    "+44 20 7946 0958",
    "+14155552671",
    "+1 (415) 555-2671",
    "+49 (0)30 1234567",
    "0044 20 7946 0958",
    "(555) 123-4567",
    "555-123-4567",
    "1-800-555-1234",
    "555.123.4567",
    "020 7946 0958",
    "07700 900123",
    "030 / 1234567",
    "(030) 1234567",
    "06 12 34 56 78",
    "0171-1234567",
  ])("%s", (phone) => expect(found("phone", `Call ${phone}, please`)).toEqual([phone]));

  it.each([
    "2024-01-15",
    "01/02/2024",
    "01.02.2024 10:30",
    "2024-01-15 10.30",
    "1.2.3.4",
    "10.0.12.3456",
    "192.168.100.200",
    "order 4821377",
    "123456789012",
    "#555-123-4567",
    "1 000 000 000",
    "100-200",
    "3+10000000",
    "ISBN 978-3-16-148410-0",
    "pages 12-18, 20-25",
  ])("not %s", (text) => expect(found("phone", `see ${text} here`)).toEqual([]));
});

describe("IBANs", () => {
  it.each([
    "DE89370400440532013000",
    "DE89 3704 0044 0532 0130 00",
    "DE 89 3704 0044 0532 0130 00",
    "GB82 WEST 1234 5698 7654 32",
    "FR1420041010050500013M02606",
    "NL91ABNA0417164300",
    "nl91 abna 0417 1643 00",
    "NO9386011117947",
    "MT84MALT011000012345MTLCAST001S",
  ])("%s", (iban) => {
    expect(found("iban", `Pay to ${iban} at once`)).toEqual([iban]);
    expect(found("iban", iban)).toEqual([iban]);
  });

  it.each([
    ["a wrong check", "DE88370400440532013000"],
    ["a wrong length", "DE8937040044053201300"],
    ["one character more", "NL91ABNA04171643001"],
    ["no country", "ZZ89370400440532013000"],
    ["prose", "at 20 degrees it is warm enough to swim"],
  ])("not %s", (_what, text) => expect(found("iban", `see ${text}.`)).toEqual([]));

  it("are found behind something that looks like the start of one", () => {
    expect(found("iban", "ref AT12 DE89 3704 0044 0532 0130 00")).toEqual(["DE89 3704 0044 0532 0130 00"]);
  });
});

describe("national ids", () => {
  it.each([
    ["United States", "123-45-6789"],
    ["United Kingdom", "AB123456C"],
    ["United Kingdom, in groups", "AB 12 34 56 C"],
    ["Spain, DNI", "12345678Z"],
    ["Spain, NIE", "X1234567L"],
    ["France", "1 85 05 78 006 084 91"],
    ["Italy", "RSSMRA85T10A562S"],
    ["Poland", "44051401359"],
    ["Germany", "86 095 742 719"],
    ["Brazil", "529.982.247-25"],
    ["Netherlands", "1112.22.333"],
    ["Belgium", "85.07.30-033.28"],
    ["Sweden", "811228-9874"],
    ["Canada", "130-692-544"],
    ["Switzerland", "756.9217.0769.85"],
  ])("of %s: %s", (_country, id) => expect(found("nationalId", `number ${id} it is`)).toEqual([id]));

  it("of the Netherlands without dots, where it is called so", () => {
    expect(found("nationalId", "my BSN is 111222333.")).toEqual(["111222333"]);
    expect(found("nationalId", "my order is 111222333.")).toEqual([]);
  });

  it.each([
    ["an area never given out", "666-45-6789"],
    ["a group never given out", "123-00-6789"],
    ["a prefix never given out", "BG123456C"],
    ["a wrong letter", "12345678A"],
    ["a wrong check digit", "44051401358"],
    ["another wrong check digit", "529.982.247-26"],
    ["a wrong key", "1 85 05 78 006 084 37"],
    ["a wrong last letter", "RSSMRA85T10A562X"],
    ["a part of a longer number", "9123-45-67890"],
    ["a date", "2024-01-15"],
    ["a plain number", "123456789"],
  ])("not %s", (_what, text) => expect(found("nationalId", `see ${text} here`)).toEqual([]));
});

describe("personal data", () => {
  it("is of every kind unless told otherwise, and masked by its kind", () => {
    const text = "a@b.co, +44 20 7946 0958, 4111 1111 1111 1111, DE89370400440532013000, 123-45-6789";
    const judged = redacting({ type: "personalData" }).judge(text);
    expect(judged.text).toBe("[email], [phone], [card], [iban], [national id]");
    expect(redacting({ type: "personalData", kinds: ["card"] }).judge(text).text).toBe(
      text.replace("4111 1111 1111 1111", "[card]"),
    );
  });

  it("is not seen in ordinary text with numbers", () => {
    const text =
      "Version 10.15.7 of 2024-05-12 fixed 1,234,567 rows in 12.5 s; order 100234567 (no. 12-345) costs $1,299.00, " +
      "EAN 4006381333931, port 8080, 192.168.0.1, #12345, 50% of 3/4, room 101-103, build 20240512.1, 10:30-11:45.";
    expect(redacting({ type: "personalData" }).judge(text).text).toBe(text);
  });
});
