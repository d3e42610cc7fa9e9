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

describe("numbers beside letters of scripts without spaces", () => {
  it("are found like any other", () => {
    expect(found("card", "信用卡4111111111111111已被拒绝")).toEqual(["4111111111111111"]);
    expect(found("phone", "電話は090-1234-5678です")).toEqual(["090-1234-5678"]);
    expect(found("phone", "제 번호는 010-1234-5678로")).toEqual(["010-1234-5678"]);
    expect(found("iban", "账号DE89370400440532013000，")).toEqual(["DE89370400440532013000"]);
    expect(found("nationalId", "身份证11010519491231002X号")).toEqual(["11010519491231002X"]);
    expect(found("email", "邮箱jane@example.com谢谢")).toEqual(["jane@example.com"]);
    expect(found("ip", "来自81.2.69.142的登录")).toEqual(["81.2.69.142"]);
  });
});

describe("internet addresses", () => {
  it.each([
    "81.2.69.142",
    "8.8.8.8",
    "2001:db8::1",
    "2a02:8071:b6a0:1c00::5",
    "2001:0db8:85a3:0000:0000:8a2e:0370:7334",
    "::ffff:81.2.69.142",
  ])("%s", (address) => {
    expect(found("ip", `from ${address}.`)).toEqual([address]);
    expect(found("ip", `(${address})`)).toEqual([address]);
  });

  it("are found before a port and a mask", () => {
    expect(found("ip", "http://81.2.69.142:8080/x and 81.2.69.0/24")).toEqual(["81.2.69.142", "81.2.69.0"]);
  });

  it.each([
    "version 1.2.3.4",
    "v8.2.69.142",
    "Chrome/120.0.60.109",
    "1.2.3.4.5",
    "256.1.1.1",
    "10:30:45",
    "std::vector",
    "00:1A:2B:3C:4D:5E",
    "section 4.2.1.7",
    "1.2.3",
  ])("not %s", (text) => expect(found("ip", `see ${text} here`)).toEqual([]));

  it("of private networks count if told so", () => {
    const text = "10.0.0.1 192.168.1.1 172.16.5.4 127.0.0.1 ::1 fe80::1ff:fe23:4567:890a";
    expect(found("ip", text)).toEqual([]);
    expect(finds({ type: "personalData", kinds: ["ip"], privateIps: true }, text)).toEqual(text.split(" "));
  });
});

describe("telephone numbers in sentences", () => {
  it.each([
    ["en", "call me on 5551234567 tonight", "5551234567"],
    ["en", "my cell: 415-555-2671 ext. 12, thanks", "415-555-2671 ext. 12"],
    ["en", "reach us at (987)654-3210x123", "(987)654-3210x123"],
    ["de", "Tel. 030 123456, Durchwahl", "030 123456"],
    ["nl", "bel me op 0612345678", "0612345678"],
    ["nl", "mijn nummer is 06-12345678", "06-12345678"],
    ["hi", "मेरा मोबाइल 9876543210 है", "9876543210"],
    ["hi", "कॉल करें 98765 43210", "98765 43210"],
    ["tr", "cep telefonum 0532 123 45 67", "0532 123 45 67"],
    ["tr", "beni 5321234567 numarasından arayın, tel 5321234567", "5321234567"],
    ["ar", "رقم الجوال ٠٥٠١٢٣٤٥٦٧", "٠٥٠١٢٣٤٥٦٧"],
    ["ru", "звоните 89161234567", "89161234567"],
  ])("in %s: %s", (_language, text, phone) => expect(found("phone", text)).toContain(phone));

  it("are no dates, and dates no part of them", () => {
    expect(found("phone", "call on 12.05.2024 or 2024-05-12, 12/05/2024")).toEqual([]);
    expect(found("phone", "call 030 1234567 12.05.2024")).toEqual(["030 1234567"]);
  });

  it("are not what another word before them says", () => {
    expect(found("phone", "order 0815 471122, Kundennummer 0301234567, 订单号13812345678, $555-123-4567")).toEqual([]);
  });
});

describe("cards of fewer digits", () => {
  it.each(["213112345678901", "676100000006"])("%s of JCB or Maestro by Luhn's check", (digits) => {
    const withCheck = Array.from({ length: 10 }, (_, check) => `${digits.slice(0, -1)}${check}`);
    expect(withCheck.flatMap((card) => found("card", `card ${card}.`))).toHaveLength(1);
  });
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

describe("numbers that are announced as something else, or are none", () => {
  const phones = (text: string) => finds({ type: "personalData", kinds: ["phone"] }, text);
  it.each([
    "my order number is 4155552671",
    "the account number is 07911123456",
    "total text: 1314.64",
    "57104 86982 53428 41286",
    "001 1001 001001 0110",
  ])("%s", (text) => expect(phones(text)).toEqual([]));

  it.each([
    ["my number is 4155552671", "4155552671"],
    ["nomor saya 081234567890", "081234567890"],
  ])("but %s", (text, phone) => expect(phones(text)).toEqual([phone]));
});
