/**
 * Topics: what people ask by one word and tell by others. "Which pets does Ana have?" is answered by "my cat Tom hates the
 * stairs", which shares no word with it. A list of the language, kept short enough to be read; each line is a topic's name,
 * the words that ask for it, and the words that speak of it.
 */
import { lazily } from "../../text/lazily.js";
import { wordTerm } from "../../text/tokenizer.js";

const topicTable = `
family | family relative | family relative parent mom mum mother dad father brother sister sibling kid child son daughter husband wife spouse grandma grandmother grandpa grandfather grandparent aunt uncle cousin niece nephew baby twin
children | kid child son daughter | kid child son daughter baby toddler teen teenager
parents | parent | parent mom mum mother dad father
siblings | sibling | sibling brother sister twin
partner | partner spouse relationship dating marriage married status | partner husband wife boyfriend girlfriend fiance fiancee spouse single married marry wedding divorce engaged engagement date breakup bride groom
friends | friend | friend buddy pal roommate
pets | pet animal | pet dog puppy pup cat kitten kitty hamster rabbit bunny bird parrot fish turtle tortoise snake horse pony lizard
work | job career work profession occupation employment employer | job career work office company boss coworker colleague hire promotion interview salary business startup internship manager resign quit
studies | study education school degree | study school college university degree class course student teacher exam graduate graduation major thesis professor diploma certificate
hobbies | hobby activity pastime leisure fun outdoor | hike camp swim run jog paint draw pottery cook bake dance sing yoga garden fish surf ski climb cycle bike kayak photography knit sew chess game puzzle read write guitar piano skate tennis basketball soccer volunteer museum park picnic beach
sport | sport exercise workout fitness training athlete | sport basketball football soccer baseball tennis golf hockey volleyball swim run jog gym yoga boxing karate cycle bike ski surf climb hike skate marathon workout train weight
music | music instrument musician band song | music guitar piano violin drum flute clarinet saxophone cello trumpet ukulele sing song band concert album lyric melody musician
events | event concert festival | concert festival parade party conference workshop fair exhibition gala ceremony fundraiser meetup competition tournament event
books | book author novel read | book novel author series read story chapter fantasy memoir biography library writer
films | movie film | movie film cinema series trilogy actor director watch
games | game videogame | game console playstation xbox nintendo chess gamer
art | art craft artwork | art craft paint draw sketch sculpture pottery clay canvas gallery photo watercolor
food | food dish meal eat cuisine snack recipe diet cook | food meal cook bake recipe dinner lunch breakfast soup salad pasta pizza cake cookie dessert bread chicken fish rice vegetable fruit chocolate cheese curry roast grill taste delicious snack smoothie
drinks | drink beverage | drink coffee tea wine beer juice smoothie cocktail soda water
travel | travel trip place visit location vacation holiday country city state abroad geographical | trip travel visit vacation flight beach mountain hotel tour roadtrip abroad city country europe paris london tokyo italy spain france canada japan
home | move live home hometown | move apartment flat house home neighborhood city country born hometown rent
vehicles | car vehicle | car truck van bike motorcycle suv sedan vehicle
health | health illness injury medical ailment condition sick | health doctor hospital pain injury injure hurt sick ill surgery diagnose diagnosis medicine allergy allergic ankle knee therapy flu cold fever checkup
calm | stress relax destress cope escape calm | stress relax calm yoga meditation therapy unwind soothe peace peaceful escape comfort walk
feelings | feel feeling emotion mood | happy sad excite proud grateful nervous anxious scare afraid upset frustrate thrilled lonely angry
goals | goal dream plan aspiration ambition | goal dream plan hope aim want wish future aspire
success | achievement award accomplishment success win | win award prize trophy medal achieve champion record title
trouble | problem challenge setback difficulty obstacle issue struggle | problem challenge struggle hard tough difficult setback issue lose fail broke accident
gifts | gift present | gift present surprise birthday
shopping | buy purchase item shopping own | buy order shop store purchase
collections | collect collection | collect collection collector
taste | favorite favourite prefer like enjoy | favorite favourite love enjoy fan adore prefer
advice | advice suggest suggestion recommend recommendation tip | suggest suggestion recommend recommendation advice advise tip
charity | help support volunteer charity | help support volunteer donate charity shelter community fundraiser
groups | community organization group club | group community club organization team
nature | nature outdoors outdoor | nature forest mountain lake beach hike camp trail park river ocean sunset waterfall sky tree
clothes | clothes clothing wear outfit | shirt dress shoe jacket hat jeans sneaker jersey costume coat
devices | technology device gadget electronic | phone laptop computer tablet smartwatch camera headphone app software
money | money financial cost | money pay salary saving budget loan debt afford
accidents | accident crash | accident crash hit broke
age | birthday age old | birthday age old turn born
religion | religion religious faith spiritual | church faith god pray prayer religion temple
writing | write writing | write poem poetry story novel blog journal screenplay script article
celebrations | weekend holiday celebrate celebration | christmas thanksgiving halloween easter birthday party wedding anniversary celebrate
`;

/** Term → names of topics, for the words of questions and for those of the texts that answer them. */
const indexes = lazily(() => {
  const ofQuestions = new Map<string, string[]>();
  const ofTexts = new Map<string, string[]>();
  for (const line of topicTable.trim().split("\n")) {
    const [name = "", asks = "", tells = ""] = line.split("|").map((part) => part.trim());
    for (const [index, words] of [
      [ofQuestions, asks],
      [ofTexts, tells],
    ] as const) {
      for (const term of new Set(words.split(" ").map(wordTerm))) index.set(term, [...(index.get(term) ?? []), name]);
    }
  }
  return { ofQuestions, ofTexts };
});

/** The topics that a word of a question asks for. */
export function topicsOfQuery(term: string): readonly string[] {
  return indexes().ofQuestions.get(term) ?? [];
}

/** The topics that a text of these terms speaks of. */
export function topicsOfEntry(terms: readonly string[]): readonly string[] {
  return [...new Set(terms.flatMap((term) => indexes().ofTexts.get(term) ?? []))];
}
