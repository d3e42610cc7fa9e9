/**
 * The closed word classes of English that the tokenizer needs: function words that say nothing about what a text is
 * about, and irregular inflections that no suffix rule can join. Lists of the language, not of any data set.
 */

function words(list: string): string[] {
  return list.trim().split(/\s+/);
}

/**
 * Function words: articles, pronouns, auxiliaries, prepositions, conjunctions, question words, fillers.
 * Left out of the index and of queries; contractions are listed without their apostrophe.
 */
export const stopWords: ReadonlySet<string> = new Set(
  words(`
    a an the this that these those such
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves one ones someone anyone everyone
    am is are was were be been being do does did doing done have has had having
    can could may might must shall should will would ought
    isnt arent wasnt werent dont doesnt didnt havent hasnt hadnt cant couldnt wont wouldnt shouldnt mustnt aint
    im ive ill id youre youve youll youd hes shes theyre theyve theyll theyd weve wed thats theres whats lets
    and or but nor so yet if then else than as because while although though unless until since
    of at by for with about against between into through during before after above below to from up down in out on off
    over under again further toward towards upon within without across along around onto
    here there when where why how what which who whom whose whether
    all any both each few more most other some no not only same too very just also even still ever
    much many lot lots bit really quite rather
    oh hey hi hello yeah yes yep ok okay um uh gonna wanna gotta
    etc eg ie vs via per
  `),
);

/** Words by which people ask or say that something is so: left out where a request is compared with what may answer it. */
export const requestWords: ReadonlySet<string> = new Set(
  words(`
    anything everything something thing things few every cannot know like please tell use want
    get give now happen happens happened mean means meant
    don doesn didn isn aren wasn weren haven hasn hadn couldn wouldn shouldn ll re ve
  `),
);

/**
 * Irregular forms → the base form, one group a line: the base first. Applied before stemming, so that "taught" meets
 * "teaches" and "children" meets "child". Forms that are as common in another sense ("left", "saw" as nouns) are kept
 * where the verb is the usual reading.
 */
const irregularGroups = `
  become became | begin began begun | bite bit bitten | blow blew blown | break broke broken | bring brought
  build built | burn burnt | buy bought | catch caught | choose chose chosen | come came | deal dealt | dig dug
  draw drew drawn | dream dreamt | drink drank drunk | drive drove driven | eat ate eaten | fall fell fallen | feed fed
  feel felt | fight fought | find found | fly flew flown | forget forgot forgotten | forgive forgave forgiven
  freeze froze frozen | get got gotten | give gave given | go went gone goes | grow grew grown | hang hung | hear heard
  hide hid hidden | hold held | keep kept | know knew known | lead led | learn learnt | leave left | lend lent
  lose lost | make made | mean meant | meet met | pay paid | ride rode ridden | ring rang rung | rise rose risen
  run ran | say said | see saw seen | seek sought | sell sold | send sent | shake shook shaken | shine shone
  shoot shot | show shown | shrink shrank | sing sang sung | sit sat | sleep slept | speak spoke spoken
  spend spent | stand stood | steal stole stolen | stick stuck | swear swore sworn | sweep swept | swim swam swum
  take took taken | teach taught | tear tore torn | tell told | think thought | throw threw thrown
  understand understood | wake woke woken | wear wore worn | win won | write wrote written
  child children | man men | woman women | person people | foot feet | tooth teeth | mouse mice | goose geese
  wife wives | life lives | knife knives | leaf leaves | half halves | shelf shelves | self selves
  good better best | bad worse worst
`;

/** Irregular form → base form, lower case. */
export const irregularForms: ReadonlyMap<string, string> = new Map(
  irregularGroups.split(/[|\n]/).flatMap((group) => {
    const [base, ...forms] = words(group);
    return base === undefined ? [] : forms.map((form): [string, string] => [form, base]);
  }),
);

/** Small number words → digits, so that "five years" and "5 years" meet. "one" is a stop word. */
export const numberWords: ReadonlyMap<string, string> = new Map(
  words(`two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty`).map((word, index): [string, string] => [word, String(index + 2)]),
);

/** Latin letters that Unicode does not decompose into a base letter and an accent. */
export const letterFolding: ReadonlyMap<string, string> = new Map([
  ["ß", "ss"],
  ["æ", "ae"],
  ["œ", "oe"],
  ["ø", "o"],
  ["đ", "d"],
  ["ð", "d"],
  ["ł", "l"],
  ["þ", "th"],
  ["ı", "i"],
]);
