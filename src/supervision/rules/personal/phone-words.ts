/** The words before a number that say what it is, by language. */
import { lazily } from "../../../text/lazily.js";
import { readTable } from "../../../text/table.js";

interface WordsOfLanguage {
  readonly language: string;
  /** In lower case. A `*` stands for an ending, a space for white space, a dash, an underscore or nothing. */
  readonly words: readonly string[];
}

const wordsOfLanguage = (language: string, words: string): WordsOfLanguage => ({ language, words: words.split(", ") });

/** Say that a telephone number follows. */
export const phoneWords = lazily(() => readTable(phoneTable, wordsOfLanguage));

/** Say that some other number follows. */
export const otherNumberWords = lazily(() => readTable(otherTable, wordsOfLanguage));

/** Between a number and its extension, without regard to case. */
export const extensionWords =
  "x|ext|extn|extension|durchwahl|dw|poste|ramal|interno|int|toestel|доб|dahili|内线|内線|分机|分機|转|轉|내선";

const phoneTable = String.raw`
# language | words
en | phone*, telephone*, tel, mobile, mob, cell, cellphone*, cellular, landline, fax*, whatsapp, viber, telegram, signal, sms, text, texted, call, calls, called, calling, callback, dial, dialing, ring, reach, reached, reachable, contact, contacts, hotline, helpline, voicemail, pager, extension, my number, your number, his number, her number, our number, their number, number is, contact no, contact number, ph, toll free
de | telefon*, tel, handy*, mobil*, mobiltelefon*, festnetz*, rufnummer*, rückruf*, anruf*, anrufen, ruf, rufe, rufen, angerufen, erreichbar, erreichen, erreiche, durchwahl, fax*, whatsapp*, meine nummer, ihre nummer, deine nummer, seine nummer, nummer lautet, hotline, fon
fr | téléphon*, telephon*, tél, tel, portable*, mobile*, fixe, appel*, rappel*, joindre, joignable, contact*, numéro est, mon numéro, votre numéro, son numéro, fax, télécopie, gsm, whatsapp
es | teléfono*, telefono*, telef, tel, tfno, tlf, móvil*, movil*, cel, celular*, llam*, llám*, fijo, contact*, mi número, su número, tu número, número es, marque, marca, whatsapp, fax
pt | telefon*, tel, telemóvel*, telemovel*, cel, celular*, lig*, contat*, contact*, fixo, meu número, seu número, número é, whatsapp, zap, fax
it | telefon*, tel, cellulare*, cell, mobile, fisso, chiam*, richiam*, contatt*, mio numero, suo numero, tuo numero, numero è, recapito*, whatsapp, fax
nl | telefoon*, tel, mobiel*, gsm, bel, belt, bellen, gebeld, terugbellen, bereik*, mijn nummer, uw nummer, je nummer, nummer is, whatsapp, fax, vaste lijn
pl | telefon*, tel, kom, komórk*, zadzwoń*, dzwoni*, numer to, mój numer, kontakt*
id | telepon*, telp, nomor saya, nomor hp, hubungi*
sv | telefon*, tel, mobil*, ring*, nummer är, mitt nummer, nå, kontakt*
ru | телефон*, тел, моб, мобильн*, сотов*, звон*, позвон*, перезвон*, набер*, номер телефона, мой номер, ваш номер, его номер, её номер, связаться, контакт*, факс, вотсап*, whatsapp
zh | 电话, 電話, 手机, 手機, 联系方式, 联系, 聯絡, 聯繫, 致电, 致電, 拨打, 撥打, 打给, 号码是, 號碼是, 座机, 热线, 熱線, 传真, 傳真, 来电
ja | 電話*, でんわ, 携帯, ケータイ, 連絡先, 連絡, ファックス, ファクス, fax, tel, お問い合わせ, 番号は
ko | 전화*, 휴대폰*, 핸드폰*, 연락처*, 연락*, 번호는, 팩스
ar | هاتف*, الهاتف*, هاتفي, تلفون*, التلفون, جوال*, الجوال*, موبايل*, الموبايل, محمول, المحمول, اتصل*, الاتصال, للاتصال, رقمي, رقمه, رقمها, واتساب, الواتساب, فاكس, التواصل
hi | फ़ोन*, फोन*, मोबाइल*, टेलीफोन*, टेलीफ़ोन*, दूरभाष, कॉल, संपर्क, सम्पर्क, व्हाट्सएप, मेरा नंबर, नंबर है, फैक्स
tr | telefon*, tel, cep*, gsm, mobil*, ara, aray*, arayın*, arama*, ulaş*, iletişim*, numaram*, numaranız*, whatsapp, faks, hat
`;

const otherTable = String.raw`
# language | words
en | order*, invoice*, bill, account*, acct, isbn*, issn, ean, upc, sku, ref, reference*, ticket*, case, id, ids, uid, imei, serial*, tracking*, parcel, shipment, booking*, reservation*, policy, contract*, customer*, member*, membership, employee*, student, license*, licence*, passport*, ssn, social security, social, tax*, tin, vat, nif, nino, national insurance, swift, iban, bic, routing*, sort code, card, cards, credit, debit, cvv, zip, postal*, postcode, version*, build, release, port, pin, otp, code, model, part, item*, product*, batch, lot, transaction*, payment, amount, total, price*, cost*, usd, eur, gbp, population, coordinates, latitude, longitude, timestamp*, unix, epoch, row, rows, commit, hash, vin, plate, vehicle, medical record, mrn, patient, npi, bitcoin, wallet, flight, aadhaar, pan, mac, ip, file*, document*, dated, date, born
de | bestell*, auftrag*, rechnung*, konto*, kontonummer*, kunden*, isbn, artikel*, referenz*, ticket*, vorgang*, aktenzeichen, ausweis*, reisepass*, personalausweis*, steuer*, sozialversicherung*, versicherung*, vertrag*, mitglied*, serien*, sendung*, paket*, plz, postleitzahl, betrag, summe, preis*, karte*, kartennummer*, version*, blz, buchung*
fr | commande*, facture*, compte*, client*, isbn, article*, référence*, réf, dossier*, carte*, passeport*, siret, siren, sécurité sociale, fiscal*, contrat*, colis, suivi, montant, prix, code, série, réservation*
es | pedido*, factura*, cuenta*, cliente*, isbn, referencia*, ref, expediente*, tarjeta*, pasaporte*, dni, nie, nif, cif, seguridad social, contrato*, envío*, seguimiento, importe, precio*, código*, serie, reserva*, artículo*
pt | pedido*, encomenda*, fatura*, factura*, conta*, cliente*, isbn, referência*, cartão*, passaporte*, cpf, cnpj, nif, rg, contribuinte, contrato*, rastreio, rastreamento, valor, preço*, código*, série, reserva*, protocolo*
it | ordine*, ordini, fattura*, conto, cliente*, isbn, riferimento*, pratica*, carta, carte, passaporto*, partita iva, codice*, contratto*, spedizione*, tracciamento, importo, prezzo, serie, seriale, prenotazione*, articolo*
nl | bestelling*, bestelnummer*, ordernummer*, factuur*, rekening*, klant*, klantnummer*, isbn, referentie*, kenmerk, kaart*, paspoort*, bsn, burgerservicenummer, sofinummer, btw, contract*, zending*, pakket*, bedrag, prijs, serie*, boeking*, artikel*
pl | zamówieni*, faktur*, kont*, klient*, pesel, nip, regon, paczk*, kwot*, umow*
ru | заказ*, счёт*, счет*, клиент*, артикул*, договор*, инн, снилс, паспорт*, карт*, сумм*, цен*, код*, версия, серийн*, трек*, накладн*, бронь, бронирован*, заявк*, огрн, кпп, бик
zh | 订单, 訂單, 发票, 發票, 账号, 账户, 帳號, 帳戶, 客户, 客戶, 编号, 編號, 身份证, 身分證, 护照, 護照, 卡号, 卡號, 银行卡, 信用卡, 快递, 单号, 單號, 金额, 价格, 版本, 验证码, 序列号
ja | 注文, 請求, 口座, 顧客, 会員, お客様番号, 管理番号, 追跡, 伝票, マイナンバー, 個人番号, パスポート, カード, 金額, 価格, バージョン, 予約, 製造番号, 郵便番号, isbn
ko | 주문, 송장, 계좌, 고객번호, 주민등록, 여권, 카드, 금액, 가격, 버전, 예약
ar | طلب, الطلب, طلبي, فاتورة, الفاتورة, حساب, الحساب, عميل, العميل, مرجع, المرجع, هوية, الهوية, جواز*, بطاقة, البطاقة, مبلغ, المبلغ, سعر, السعر, رمز, شحنة, الشحنة, إصدار
hi | ऑर्डर, आर्डर, बिल, खाता, खाते, ग्राहक, संदर्भ, आधार, पैन, पासपोर्ट, कार्ड, राशि, कीमत, कोड, बुकिंग, चालान
tr | sipariş*, fatura*, hesap*, müşteri*, referans*, kimlik*, tckn, pasaport*, kart*, tutar*, fiyat*, kod*, sürüm*, seri*, kargo*, takip*, rezervasyon*, vergi*, poliçe*, abone*
`;
