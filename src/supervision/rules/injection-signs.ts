/**
 * Signs of prompt injection: text that speaks to the model as if it came from those who instruct it. After the attacks
 * collected in OWASP LLM01 "Prompt Injection" and in the public jailbreak corpora. Lexical, so a hurdle and no proof.
 *
 * Written in the common subset of RE2 and JavaScript syntax, in lower case, on normalised text; a space stands for any
 * white space. Every repetition is bounded.
 */

/** How much a sign says by itself. 3: hardly ever innocent. 2: seldom. 1: often, so only worth a look when one is strict. */
export type SignWeight = 1 | 2 | 3;

export interface InjectionSign {
  weight: SignWeight;
  source: string;
}

/** Up to three words in between, such as "all of your". */
const FEW = "(?:[\\w'-]{1,20} ){0,3}";
const EARLIER =
  "(?:previous|prior|preceding|above|earlier|foregoing|existing|initial|original|former|past|system|developer)";
const ORDERS =
  "(?:instructions?|directions?|directives?|prompts?|rules|guidelines|guardrails|constraints|restrictions|commands|programming|training)";
const DROP = "(?:ignore|disregard|forget|override|bypass|overlook|dismiss|discard|neglect)";
const TELL =
  "(?:reveal|print|show|display|output|repeat|recite|leak|dump|disclose|expose|write out|tell me|give me|return|echo)";
const HIDDEN_PROMPT =
  "(?:system prompt|(?:hidden|secret|internal|developer) (?:prompt|instructions?|directives?)|(?:initial|original|base) prompt)";
const LIMITS =
  "(?:rules|restrictions|guidelines|filters?|limits|limitations|guardrails|ethic|moral|safety|content polic)";
const ENTITY =
  "(?:ai|a\\.i\\.|assistant|chatbot|bot|model|llm|dan|hacker|terminal|interpreter|shell|persona|simulator|jailbroken|unrestricted|unfiltered|uncensored|evil|free from)";
const TRAINED = "(?:ai|a\\.i\\.|assistant|model|chatbot|llm|language model)";

/** A letter of another script among Latin ones, which only looks like one of them: written so as not to be found. */
const DISGUISE: InjectionSign[] = [{ weight: 2, source: "[a-z][а-џ]{1,3}[a-z]" }];

const ENGLISH: InjectionSign[] = [
  // Setting the instructions aside.
  {
    weight: 3,
    source: `${DROP} (?:all|any|each|every)(?: of)?(?: the| your| these| those)? (?:${EARLIER} )?(?:instructions?|directives?|guidelines|prompts?|guardrails|programming)\\b`,
  },
  { weight: 3, source: `${DROP} (?:all |any )?(?:of )?(?:the |your |these |those )?${EARLIER} ${FEW}${ORDERS}` },
  {
    weight: 3,
    source: `${DROP} (?:everything|anything|all)(?: of the| that)? (?:above|before this|you (?:were|have been|know|was)|previously)`,
  },
  { weight: 2, source: `${DROP} (?:all )?(?:of )?(?:your|these|those) ${FEW}${ORDERS}` },
  { weight: 1, source: `${DROP} (?:my |the |what i )${FEW}(?:${ORDERS}|said)\\b` },
  {
    weight: 2,
    source: `(?:do not|don't|never|stop) (?:follow|following|obey|obeying|listen to|listening to|comply with|complying with) (?:your|any|all) ${FEW}${ORDERS}`,
  },
  // Asking for what is hidden.
  {
    weight: 3,
    source: `${TELL} (?:me |us |back )?(?:all (?:of )?)?(?:your|the) (?:full |entire |exact |complete |whole )?${HIDDEN_PROMPT}`,
  },
  {
    weight: 3,
    source: `${TELL} (?:me |us |back )?(?:all (?:of )?)?your (?:full |entire |exact |complete |whole )?(?:system|initial) (?:instructions?|message|directives?)`,
  },
  { weight: 2, source: `what (?:is|are|was|were|does) your (?:full |exact |entire )?${HIDDEN_PROMPT}` },
  {
    weight: 3,
    source: `(?:repeat|print|output|recite) (?:everything|(?:all )?(?:of )?(?:the )?(?:text|words|lines)) above`,
  },
  // Another role.
  { weight: 3, source: `you are (?:now|henceforth|from now on) (?:a |an |the |in )?(?:[\\w-]{1,20} )?${ENTITY}\\b` },
  {
    weight: 3,
    source: `you are no longer (?:bound|restricted|limited|constrained|required to follow|(?:a |an )?(?:[\\w-]{1,20} )?${TRAINED}\\b)`,
  },
  {
    weight: 3,
    source: `(?:from now on|starting now|henceforth),? you (?:are|will be|will act as|must act as) (?:a |an )?(?:[\\w-]{1,20} )?${ENTITY}\\b`,
  },
  { weight: 1, source: `you are now |(?:from now on|starting now|henceforth),? you (?:are|will|must|shall|should) ` },
  { weight: 3, source: `(?:unrestricted|unfiltered|uncensored|jailbroken|amoral) ${TRAINED}\\b` },
  { weight: 3, source: `do anything now|dan mode\\b|stay in dan\\b` },
  {
    weight: 3,
    source: `(?:developer|debug|god|sudo|admin|jailbreak|maintenance|root|unrestricted) mode (?:output|response|and (?:ignore|output|reveal|answer|print|respond)|with(?:out| no) (?:any )?(?:restrictions|filters?|rules|limits))`,
  },
  { weight: 2, source: `(?:enable|enter|activate|switch to|unlock) (?:god|sudo|jailbreak|unrestricted) mode` },
  { weight: 1, source: `(?:developer|debug|god|sudo|jailbreak) mode\\b|jailbreak` },
  {
    weight: 3,
    source: `(?:pretend|act|behave|respond|answer|imagine|roleplay|role-play) (?:as |as if |as though |like |that )?(?:you |you're |an? \\w{1,20} )?(?:have |had |are |were |is |with )?(?:no|free of|free from|not bound by|without|zero) (?:any )?${LIMITS}`,
  },
  {
    weight: 1,
    source: `(?:pretend|act) (?:to be|you are|you're|as if you are|as if you were) |as an? (?:ai|language model)\\b|hypothetically`,
  },
  // Hiding from the people.
  {
    weight: 3,
    source: `(?:do not|don't|never|without) (?:tell|inform|mention (?:this|it) to|reveal (?:this|it) to|telling|informing|alerting|notifying|alert|notify) (?:the )?(?:user|users|human|operator|supervisor|moderator)\\b`,
  },
  // False authority.
  {
    weight: 3,
    source: `(?:new|updated|real|actual|true) (?:system (?:instructions?|directives?|prompt|message)|instructions? from (?:the )?(?:developer|admin|system|openai|anthropic)\\w{0,12}) ?:`,
  },
  { weight: 2, source: `new instructions? ?:` },
  {
    weight: 2,
    source: `(?:dear|attention|note to|message (?:for|to)|important,?) (?:the )?(?:ai|a\\.i\\.|llm|language model|chatbot|ai (?:assistant|agent|model))(?: ?[:,!]| reading | processing )`,
  },
  { weight: 1, source: `if you are (?:an? )?(?:ai|llm|language model|ai (?:assistant|agent|model|system))\\b` },
  // Switching safety off.
  {
    weight: 3,
    source: `(?:disable|turn off|remove|bypass|circumvent|evade) (?:all |any )?(?:of )?your (?:safety|content|ethical|moderation|security) (?:filters?|guidelines|guardrails|restrictions|protocols|polic(?:y|ies)|checks|measures)`,
  },
  {
    weight: 1,
    source: `(?:disable|turn off|bypass|circumvent|evade) (?:all |any |the )?(?:of the )?(?:safety|content|ethical|moderation) (?:filters?|guidelines|guardrails|restrictions)`,
  },
  // Payloads.
  {
    weight: 3,
    source: `(?:decode|decrypt|deobfuscate|base64-decode|unscramble) (?:this|the following|it|the text|the string)(?: [\\w-]{1,20}){0,6},? and (?:then )?(?:follow|execute|run|obey|do what|carry out|comply)`,
  },
  {
    weight: 2,
    source: `(?:execute|follow|obey|carry out) (?:the )?(?:instructions?|commands?|orders?) (?:hidden|encoded|embedded|in the (?:following )?(?:base64|rot13|hex))`,
  },
  {
    weight: 2,
    source: `(?:answer|respond|reply|encode your (?:answer|response|reply)) (?:only )?(?:in|using|with|as) (?:base64|rot13|leetspeak)\\b`,
  },
];

/** Markers of roles and turns, of our own delimiters and of the chat templates of well-known models. */
const MARKUP: InjectionSign[] = [
  {
    weight: 3,
    source: `<\\|(?:im_start|im_end|im_sep|endoftext|system|user|assistant|end|start_header_id|end_header_id|eot_id|begin_of_text|channel|message|start|return)\\|>`,
  },
  { weight: 3, source: `\\[/?inst\\]|<</?sys>>|<start_of_turn>|<end_of_turn>` },
  {
    weight: 3,
    source: `</? ?(?:system_prompt|system-prompt|user_input|untrusted|untrusted_data|user_message|supervised) ?>`,
  },
  { weight: 2, source: `</? ?(?:system|instructions) ?>` },
  {
    weight: 1,
    source: `</ ?(?:assistant|developer|context|data|document|user) ?>|\\[(?:system|developer|admin)\\]|\\nassistant ?: `,
  },
  {
    weight: 2,
    source: `(?:#{2,6}|\\*\\*|={3,10}|-{3,10}) ?(?:system|developer|new instructions?)(?: (?:prompt|message|override|note))? ?(?::|\\*\\*|#{2}|={3}|-{3})`,
  },
  { weight: 2, source: `\\[(?:system|developer|admin) (?:message|prompt|note|override|instructions?)\\]` },
  {
    weight: 2,
    source: `(?:begin|end) (?:of )?(?:system|user|untrusted|developer) (?:prompt|input|message|data|instructions?)\\b`,
  },
  { weight: 2, source: `(?:^|\\n)system ?: ` },
];

const GERMAN: InjectionSign[] = [
  {
    weight: 3,
    source: `(?:ignorier|missacht|vergiss|übergeh|umgeh|vergesse)\\w{0,3} (?:bitte )?(?:sie )?(?:alle |alles |sämtliche |jegliche |jede )?(?:deine |ihre |die |der |meine )?(?:bisherigen?|vorherigen?|vorigen?|obigen?|früheren?|vorangegangenen?|vorhergehenden?|ursprünglichen?) (?:\\w{1,20} )?(?:anweisung|instruktion|befehl|vorgabe|regel|prompt|richtlinie)`,
  },
  {
    weight: 2,
    source: `(?:ignorier|missacht|vergiss|übergeh|umgeh)\\w{0,3} (?:bitte )?(?:alle )?(?:deine|ihre) (?:\\w{1,20} )?(?:anweisung|instruktion|befehl|vorgabe|regel|richtlinie)`,
  },
  {
    weight: 3,
    source: `(?:zeig|verrat|nenn|gib|wiederhol|druck)\\w{0,3} (?:mir |uns )?(?:bitte )?(?:deinen?|den|ihren|deine) (?:\\w{1,20} )?(?:system-?prompt|systemanweisung|systemnachricht)`,
  },
  { weight: 3, source: `du bist (?:jetzt|nun|ab sofort) (?:ein|eine|kein|nicht mehr|frei|dan\\b)` },
  {
    weight: 3,
    source: `(?:sag|verrat|erzähl)\\w{0,3} (?:es |das |davon )?(?:dem|der) (?:nutzer|benutzer|anwender)\\w{0,3} (?:nicht|nichts)`,
  },
];

const FRENCH: InjectionSign[] = [
  {
    weight: 3,
    source: `(?:ignore|ignorez|ignorer|oublie|oubliez|oublier)(?: toutes| tous)?(?: les| tes| vos| mes| ces)? (?:instructions|consignes|directives|règles|ordres) (?:précédentes?|précédents?|antérieure?s|ci-dessus|initiales|d'origine|système)`,
  },
  {
    weight: 2,
    source: `(?:ignore|ignorez|oublie|oubliez) (?:toutes )?(?:tes|vos) (?:instructions|consignes|directives|règles)`,
  },
  {
    weight: 3,
    source: `(?:révèle|révélez|affiche|affichez|montre|montrez|donne|donnez|répète|répétez)(?:-moi)? (?:ton|votre|le|tes|vos|les) (?:prompt|invite|message|instructions) (?:du )?système`,
  },
  { weight: 3, source: `(?:tu es|vous êtes) (?:maintenant|désormais|à présent) (?:un|une|libre|dan\\b)` },
  {
    weight: 3,
    source: `ne (?:le )?(?:dis|dites|révèle|révélez) (?:pas|rien) (?:cela )?(?:à l'utilisateur|aux utilisateurs)`,
  },
];

const SPANISH: InjectionSign[] = [
  {
    weight: 3,
    source: `(?:ignora|ignore|ignorad|olvida|olvide|olvidad|omite)(?: todas| todos)?(?: las| los| tus| sus| mis)? (?:instrucciones|indicaciones|órdenes|reglas|directrices) (?:anteriores|previas|previos|de arriba|iniciales|originales|del sistema)`,
  },
  {
    weight: 2,
    source: `(?:ignora|ignore|olvida|olvide) (?:todas )?(?:tus|sus) (?:instrucciones|indicaciones|reglas|directrices)`,
  },
  {
    weight: 3,
    source: `(?:revela|muestra|muéstrame|revélame|dime|imprime|repite) (?:tu|el|su|tus|las) (?:prompt|mensaje|instrucciones) (?:del |de )?sistema`,
  },
  { weight: 3, source: `(?:ahora eres|a partir de ahora eres|ya no eres) (?:un|una|dan\\b|libre)` },
  {
    weight: 3,
    source: `no (?:se )?(?:le )?(?:digas|diga|reveles|menciones) (?:esto |nada )?(?:al usuario|a los usuarios)`,
  },
];

/** English signs start with a whole word. RE2 knows no word boundary for the letters of the other languages. */
const WHOLE_WORDS = ENGLISH.map(({ weight, source }) => ({ weight, source: `\\b(?:${source})` }));

export const INJECTION_SIGNS: readonly InjectionSign[] = [
  ...WHOLE_WORDS,
  ...DISGUISE,
  ...MARKUP,
  ...GERMAN,
  ...FRENCH,
  ...SPANISH,
];
