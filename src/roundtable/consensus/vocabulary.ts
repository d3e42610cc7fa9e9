/**
 * Words by which statements of one subject differ or are the same, in ten languages: negations, opposites, months, number words and small
 * words. Lists of the languages (German, French, Spanish, Italian, Portuguese, Dutch, Polish after English; then Japanese and Chinese),
 * of no data set. `abc-` is the beginning of a word, `abc` all of it.
 */

/**
 * What says yes or no to the whole of a statement: "a mistake" denies it, "right" doesn't.
 * One line a side: what affirms, then what denies.
 */
export const approval = String.raw`
right correct- good sensible wise support- approv- agree agrees agreed accept- favor favour endors- recommend- reasonable prudent richtig- sinnvoll- klug- gut gute befürwort- zustimm- unterstütz- vernünftig- empfehl- empfiehlt juste raison raisonnable- bon bonne judicieu- souten- soutien- approuv- sage recommand- favorable- correcto correcta acertad- buen buena buenas sensat- apoyar apoyamos apoyo aprobar aprueb- acept- recomend- favor razonabl- giusto giusta corrett- buona buono sensat- sagg- approv- sosten- accett- consigl- favorevol- ragionevol- correto correta certo certa bom boa boas apoiar apoiamos apoio aprov- aceit- razoáve- juist- terecht- goed goede verstandig- accepteer- goedkeur- redelijk- słuszn- dobry dobra dobrze rozsądn- popier- popar- akcept- mądr- 正し 賛成 支持 賢明 適切 妥当 正确 支持 赞成 同意 赞同 明智 合理
wrong- mistake- error false bad reject- oppos- against disagree- disapprov- refus- avoid- stop stops unwise foolish falsch- fehler- schlecht- abgelehnt ablehn- lehnen lehne gegen dagegen irrtum- vermeid- verkehrt unklug erreur- faute- faux fausse mauvais- rejet- refus- contre désapprouv- évit- oppos- tort equivoc- mal mala malo rechaz- contra oponer- oponemos incorrect- desacert- errore errori errato errata sbagli- cattiv- rifiut- contro contrari- oppon- respin- erro erros errado errada equívoco- má mau rejeit- fout fouten foute verkeerd- vergiss- slecht- verwerp- weiger- tegen vermij- afwijz- afwijs- onjuist- błęd- błąd zły złe zła odrzuc- przeciw- unik- sprzeciw- pomył- niesłuszn- 間違 誤り 誤っ 反対 拒否 避け 过错 错误 错 反对 拒绝 避免 失误 不当`;

/**
 * What can't both be: a line for each, first the one, then behind `/` the other. Without `/`: words for the same. A line with `~` says
 * nothing of what a statement is about, only which side it takes.
 */
export const opposites = String.raw`
increas- rais- rise rises rising grow- expand- more higher erhöh- steig- wachs- mehr ausbau- augment- hauss- accroî- plus aument- subir sube suben crec- increment- más cresc- più verhog- verhoog- stijg- meer groei- zwiększ- podwyż- podnie- wzro- więcej 増 引き上げ 上昇 拡大 増加 增加 增 提高 提升 上升 增长 扩大 上涨 / decreas- reduc- lower- cut cuts cutting shrink- fewer less declin- senk- verring- reduzier- weniger kürz- sink- réduir- rédui- diminu- baiss- moins dismin- bajar rebaj- fall falls falling menos ridu- diminu- abbass- meno reduz- baix- verlag- verlaag- verminder- minder daal- krimp- zmniejsz- obniż- mniej spad- redukc- 減 引き下げ 低下 縮小 削減 减少 减 降低 下降 缩减 削减 缩小 下调
keep- retain- preserv- beibehalt- behalt- erhalt- gard- conserv- manten- manter tenere behoud- behouden zachow- utrzym- 維持 残す 継続 保持 保留 维持 继续 / remov- abolish- drop scrap- delet- eliminat- abandon- abschaff- entfern- streich- lösch- aufgeb- supprim- abandon- elimin- suprim- abol- afschaff- schrap- verwijder- usun- usuw- zniesi- likwid- porzuc- 廃止 削除 撤廃 中止 取消 废除 删除 放弃 撤销
allow- permit- erlaub- zulass- gestatt- autoris- permett- permet- autoriz- autorizz- consent- toesta- toelat- pozwol- zezwol- dozwol- 許可 認め 允许 准许 许可 / forbid- ban bans prohibit- verbiet- verbot- untersag- interdi- prohib- vietar- vietat- proib- verbied- verbod- zakaz- zabron- 禁止 禁じ
buy buys buying purchas- kauf- einkauf- achet- achat- compr- acquist- kopen koop- kup- zakup- 購入 买 购买 买入 / sell sells selling sale verkauf- vend- vente ventes venta verkop- verkoop- sprzeda- 売却 売 出售 卖 卖掉
open- öffn- geöffn- eröffn- ouvr- ouvert- abrir abre abren abra abiert- aprir- apert- apre abert- geopend otwar- otwier- otwor- 開 开放 打开 开设 / close- clos- shut- schließ- geschloss- ferm- cerr- cierr- chius- chiud- fech- encerr- sluit- gesloten dicht zamkn- zamyk- 閉 关闭 关门
~ before vor bevor vorher avant antes prima voor przed 前に 以前 之前 以前 / after afterwards once nach nachdem danach après depois después tras dopo na nadat po 後に 以後 之后 以后
~ necessar- need needs needed require- brauch- benötig- besoin necesit- servono bisogn- precisa precisam precisamos precisos precisas potrzebuj- nötig- notwendig- erforder- nécess- neces- nodig noodzakelijk- potrzebn- konieczn- niezbędn- 必要 需要 / superfluous unnecess- redundant- unneeded überflüssig- unnötig- superflu- inutil- innecesar- desnecess- overbodig- onnodig- zbędn- niepotrzebn- 多余 不必要
start- begin- begins launch- introduc- beginn- start- einführ- eingeführt commenc- lanc- introdui- empez- empiez- comenz- comienz- inici- lanz- inizi- parte partono avvi- começ- invoer- ingevoerd zaczn- zaczyn- rozpocz- wprowadz- 開始 始ま 始め 導入 开始 启动 引入 推出 / end ends ending finish- discontinu- terminat- beend- endet enden cess- termin- finaliz- interromp- beëindig- eindig- zakończ- kończ- zatrzym- wstrzym- 終了 停止 终止 结束
use uses using adopt- employ- choos- chose pick- select- nutz- verwend- einsetz- wähl- nehm- utilis- emplo- chois- prend- usar uso usamos utiliz- eleg- elij- escog- usare usiamo scegl- scelt- escolh- adott- adot- gebruik- kies- kiez- neem nemen uży- wykorzyst- wybra- wybier- 使 利用 選 使用 采用 选择
mov- migrat- migrier- transfer- relocat- shift- verleg- umzieh- umzug- verlager- umzustell- umstell- déplac- migr- transfér- déménag- traslad- mudar muda mudad- spost- trasfer- verhui- verplaats- przen- 移行 移転 迁移 搬迁 转移
~ cost- kost- coût- cuest- coste custo custa custar custará custam koszt- 費用 かかる 费用 花费
~ hold held takes place happen- findet stattfind- tiendra aura celebr- terrà terremo realiz- acontec- plaats odbędzi- odbyw- 行う 実施 举行 安排
~ remain- stay- bleib- weiter rest- rester perman- queda- restare ficar blijv- pozosta- 残`;

/** Small words that deny what follows them in their clause, or, where nothing does, what stands before. In a clause they count once. */
export const negations = String.raw`
not no never nor neither without cannot none nobody nothing hardly unlikely
nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne weder kaum nirgends keinesfalls
ne pas jamais rien aucun aucune sans ni nullement guère
nunca jamás sin tampoco ningún ninguna ninguno nadie nada
non senza né nessuno nessuna niente
não sem nem nenhum nenhuma ninguém
niet geen nooit zonder noch niemand niets evenmin
nie nigdy bez ani żaden żadna żadnych
inte aldrig utan ikke ingen нет не нельзя без`;

/** What stands behind these is what isn't wanted; where nothing does, they deny nothing ("findet statt"). */
export const replacements = "instead statt anstatt lieu invece zamiast";

/** What stands behind these is where something comes from, or what something is measured by. */
export const origins = "from than von als du des dal dalla desde del dan z ze niż od";

/** Letters and endings that deny, in scripts without spaces: of Japanese what stands before them, of Chinese what follows. */
export const deniesBefore: readonly string[] = ["ない", "なかっ", "なく", "ません", "ぬ", "ず", "まい", "ないで"];
export const deniesAfter = "不没沒无無未别勿莫非";
/** What holds such letters and denies nothing. */
export const noDenials: readonly string[] = [
  "なければならない なければなりません なければいけない なければいけません なくてはならない なくてはなりません ないといけない ないといけません",
  "かもしれない かもしれません ざるを得ない ざるを得ません に違いない にほかならない しかない しかありません 間違いない",
  "不得不 不能不 不仅 不但 不断 无疑 非常 不错 特别 分别 个别 未来 必ず まず はず いず 少なく なくとも わずか",
].flatMap((line) => line.split(" "));

/** From January on; then from Monday on. */
export const months = String.raw`
january jan januar janvier enero ene gennaio gen janeiro januari stycz-
february feb februar février febrero febbraio fevereiro februari luty lutego lutym
march mar märz mars marzo março maart marca marzec
april apr avril abril aprile abr kwie-
may mai mayo maggio maio mei maj maju maja
june jun juni juin junio giugno junho czerw-
july jul juli juillet julio luglio julho lipiec lipca lipcu
august aug août agosto augustus sierp-
september sep sept septembre septiembre settembre setembro wrze-
october oct oktober okt octobre octubre ottobre outubro paździer-
november nov novembre noviembre novembro listopad-
december dec dezember décembre diciembre dicembre dezembro grud-`;
export const weekdays = String.raw`
monday montag- lundi lunes lunedì segunda maandag- poniedział-
tuesday dienstag- mardi martes martedì terça dinsdag- wtor-
wednesday mittwoch- mercredi miércoles mercoledì quarta woensdag- środa środy środę
thursday donnerstag- jeudi jueves giovedì quinta donderdag- czwart-
friday freitag- vendredi viernes venerdì sexta vrijdag- piąt-
saturday samstag- sonnabend- samedi sábado- sabato zaterdag- sobot-
sunday sonntag- dimanche domingo- domenica domeniche zondag- niedziel-`;

/** Number words: from one on, then 20, 30 … 90. "One" is an article in most of the languages, so it isn't there. */
export const numberWords = String.raw`
2 two zwei deux dois duas twee dwa dwie dwóch
3 three drei trois tres tre três drie trzy trzech
4 four vier quatre cuatro quattro quatro cztery czterech
5 five fünf cinq cinco cinque vijf pięć pięciu
6 six sechs seis zes sześć sześciu
7 seven sieben sept siete sette sete zeven siedem siedmiu
8 eight acht huit ocho otto oito osiem ośmiu
9 nine neun neuf nueve nove negen dziewięć dziewięciu
10 ten zehn dix diez dieci dez tien dziesięć dziesięciu
11 eleven elf onze undici jedenaście jedenastu
12 twelve zwölf douze doce dodici doze twaalf dwanaście dwunastu
15 fifteen fünfzehn quinze quince quindici vijftien piętnaście piętnastu
20 twenty zwanzig vingt veinte venti vinte twintig dwadzieścia dwudziestu
30 thirty dreißig trente treinta trenta trinta dertig trzydzieści trzydziestu
40 forty vierzig quarante cuarenta quaranta quarenta veertig czterdzieści czterdziestu
50 fifty fünfzig cinquante cincuenta cinquanta cinquenta vijftig pięćdziesiąt pięćdziesięciu
60 sixty sechzig soixante sesenta sessanta sessenta zestig sześćdziesiąt sześćdziesięciu
70 seventy siebzig septante setenta settanta zeventig siedemdziesiąt siedemdziesięciu
80 eighty achtzig ochenta ottanta oitenta tachtig osiemdziesiąt osiemdziesięciu
90 ninety neunzig noventa novanta negentig dziewięćdziesiąt dziewięćdziesięciu
100 hundred hundert cent cien cento cem honderd sto stu
every every each jede jeden jedem jeder jedes chaque cada ogni elke iedere ieder każdy każda każde każdego każdej`;
export const multipliers = String.raw`
1000 k thousand tausend mille mil mila duizend tysiąc tysiące tysięcy
1000000 million millions millionen mio mln millón millones milione milioni milhão milhões miljoen milion miliony milionów`;

/** Small words that say nothing of what a statement is about; English ones are left out by search's list. */
export const smallWords = String.raw`
der die das den dem des ein eine einen einem einer eines und oder wir ich sie er es ist sind war wäre wird werden wurde soll sollte sollten sollen muss müssen darf dürfen kann können hat haben zu zum zur im in am an auf für von vom mit bei aus um als auch so dass daran ab bis es sich auf fall denn unser unsere unseren etwa rund rechnen
le la les l un une des du de d et ou nous on il elle est sont serait sera devrait devons doit doivent faut y en à au aux dans sur pour par avec ce cette ces qui que qu se s notre nos sa son plus
el los las uno unos unas y o nosotros es son sería será hay que debe deben debemos debería deberían deberíamos se al del con por para en lo su sus nuestro nuestra conviene será
il lo gli i uno una e o noi è sono sarebbe sarà va vanno deve devono dobbiamo dovrebbe dovremmo essere si al allo alla ai del dello della dei delle di da in con per su a un che ci l
o os as um uma e ou nós é são seria será deve devem devemos deveria deveriam devíamos devia ao à aos do da dos das de em no na nos nas com por para se que vai
de het een en of we wij is zijn zou zouden wordt worden moet moeten mag mogen kan er van voor met op in te tot aan naar om dat deze die bij 's s ons onze
i a w z ze do na o od dla się jest są był byłby byłaby będzie powinien powinna powinno powinniśmy należy trzeba wolno być zostać to ten ta że oraz lub nam nasz nasza`;

/** Chinese letters of the same kind. */
export const smallLetters =
  "的了在是我们應应该當当要把会會就都和与與于对對个個这這那有其而且也将將可以需从從进進行被给給很最再还還着所之由到上";
