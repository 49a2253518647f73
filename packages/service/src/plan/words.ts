import type { Found } from './spans.js'
import { groups } from './thesaurus.js'

/**
 * Returns the stem of one English word: `variations` and `variation` match, `calculator` and `calculate` too.
 */
export function stem(word: string): string {
  const known = stems.get(word)
  if (known !== undefined) return known
  // Words repeat in every request. The limit keeps words of clients from filling the memory.
  if (stems.size >= mostStems) stems.clear()
  const found = toStem(word)
  if (word.length <= longestWord) stems.set(word, found)
  return found
}

const irregular: Readonly<Record<string, string>> = {
  gave: 'give',
  given: 'give',
  brought: 'bring',
  took: 'take',
  taken: 'take',
  went: 'go',
  gone: 'go',
  got: 'get',
  paid: 'pay',
  sent: 'send',
  kept: 'keep',
  held: 'hold',
  wrote: 'write',
  written: 'write',
  made: 'make',
  repaid: 'repay',
  forgot: 'forget',
  forgotten: 'forget',
  rang: 'ring',
  sang: 'sing',
  ate: 'eat',
  spent: 'spend',
  caught: 'catch',
  taught: 'teach',
  met: 'meet',
  grew: 'grow',
  sown: 'sow',
  hurt: 'hurt',
  worn: 'wear',
  withdrew: 'withdraw',
  withdrawn: 'withdraw',
  leaving: 'leave',
  dying: 'die',
  broke: 'break',
  broken: 'break',
  sold: 'sell',
  bought: 'buy',
  lent: 'lend',
  came: 'come',
  ran: 'run',
  said: 'say',
  told: 'tell',
  chose: 'choose',
  drove: 'drive',
  driven: 'drive',
  fed: 'feed',
}

const stems = new Map<string, string>()
const mostStems = 4000

function toStem(word: string): string {
  const plain = word.toLowerCase().replace(/['’]s?$/, '')
  let rest = Object.hasOwn(irregular, plain) ? (irregular[plain] ?? plain) : plain
  if (invariable.has(rest) || rest.length > longestWord) return rest
  if (rest.length > 3)
    rest = rest
      .replace(/ies$/, 'y')
      .replace(/(ss|x|ch|sh)es$/, '$1')
      .replace(/([^su])s$/, '$1')
  if (rest.length > 5) rest = rest.replace(/(at)(?:ions?|ors?|ing|ed)$/, '$1')
  if (rest.length > 5)
    rest = rest.replace(/(\w[aeiouy]\w+?)(?:ing|ed)$/, '$1').replace(/([bdgmnprt])\1$/, '$1')
  return rest.length > 3 ? rest.replace(/e$/, '').replace(/y$/, 'i') : rest
}

// No English word is longer. Limits the work of the patterns.
const longestWord = 40

// Words that end like a plural and are singular.
const invariable = new Set([
  'news',
  'series',
  'species',
  'lens',
  'atlas',
  'physics',
  'gas',
  'always',
  'goods',
])

// The English vocabulary of the planner. Words are compared by their stems.

/** Synonyms. The first of a group stands for all. */
const synonyms: readonly (readonly string[])[] = [
  ['image', 'picture', 'drawing', 'draw', 'paint', 'painting', 'sketch', 'illustration', 'illustrate'],
  ['image', 'photo', 'photograph', 'depict', 'portrait', 'artwork'],
  ['audio', 'recording', 'sound', 'clip'],
  ['speak', 'say', 'speech', 'spoken', 'aloud', 'voice', 'narrate', 'pronounce', 'recite', 'tts'],
  ['transcribe', 'transcription', 'transcript'],
  ['vary', 'variation', 'variant', 'alternative'],
  ['edit', 'modify', 'change', 'alter', 'adjust', 'update', 'retouch'],
  ['find', 'search', 'lookup', 'query'],
  ['weather', 'forecast', 'rain', 'snow', 'sunny', 'warm', 'cold', 'windy', 'cloudy', 'umbrella'],
  ['currency', 'money', 'dollar', 'euro', 'yen', 'pound', 'usd', 'eur', 'gbp', 'jpy', 'exchange'],
  ['convert', 'conversion'],
  ['price', 'cost', 'quote'],
  ['email', 'mail'],
  ['event', 'meeting', 'appointment', 'calendar'],
  ['task', 'todo', 'chore'],
  ['remind', 'reminder'],
  ['light', 'lamp', 'bulb'],
  ['calculate', 'calculator', 'compute', 'arithmetic', 'evaluate', 'math'],
  ['define', 'definition', 'meaning'],
  ['book', 'reserve', 'reservation', 'booking'],
  ['delete', 'remove', 'erase', 'cancel'],
  ['news', 'headline', 'article'],
  ['flight', 'fly'],
  ['drive', 'car', 'driving'],
  ['walk', 'foot'],
  ['cycle', 'bike', 'bicycle'],
  ['transit', 'train', 'bus', 'subway', 'metro'],
  ['alarm', 'wake'],
  ['route', 'direction', 'directions'],
  ['invoice', 'bill'],
  ['shop', 'store', 'product'],
  ['balance', 'left'],
  ['summarize', 'summary', 'summarise'],
  ['describe', 'description', 'caption'],
  ['weight', 'weigh', 'weighed'],
  ['elevation', 'high', 'height', 'altitude', 'tall'],
]

const known = new Map<string, Set<Action>>()

const canonical = new Map(
  synonyms.flatMap(([first = '', ...others]) => others.map((word) => [stem(word), stem(first)])),
)

/** Verbs and nouns so common in tool names and requests that they weigh little. */
const genericWords = new Set(
  `get find show list give tell fetch make create set add put run do check send generate new start use return
  latest best work data information info item result tool user`.split(/\s+/),
)

const generic = new Set([...genericWords].map(toConcept))

/** Returns the concept of one word: its stem, or the stem that its synonyms share. */
export function toConcept(word: string): string {
  const own = stem(word)
  return canonical.get(own) ?? own
}

/** Returns the groups of the thesaurus that some concepts are in. */
export function groupsOf(concepts: Iterable<string>): ReadonlySet<number> {
  return new Set([...concepts].flatMap((concept) => groupsByConcept().get(concept) ?? []))
}

/** Whether a concept is in one of some groups of the thesaurus: "jab" and those of "vaccination". */
export function isRelated(concept: string, related: ReadonlySet<number>): boolean {
  return (
    groupsByConcept()
      .get(concept)
      ?.some((group) => related.has(group)) ?? false
  )
}

let grouped: Map<string, number[]> | undefined

function groupsByConcept(): ReadonlyMap<string, readonly number[]> {
  if (grouped) return grouped
  const found = new Map<string, number[]>()
  for (const [index, line] of groups.trim().split(/[\n|]/).entries())
    for (const word of line.trim().split(/\s+/)) {
      const concept = word.includes('_') ? word : toConcept(word)
      found.set(concept, [...(found.get(concept) ?? []), index])
    }
  grouped = found
  return found
}

/** Phrases of the thesaurus, by the stem of their first word: "call it off". */
const phrasesByWord = new Map<string, { readonly phrase: string; readonly rest: readonly string[] }[]>()
for (const phrase of new Set(groups.match(/\w+_\w+/g) ?? [])) {
  const [first = '', ...rest] = phrase.split('_')
  phrasesByWord.set(stem(first), [...(phrasesByWord.get(stem(first)) ?? []), { phrase, rest }])
}

/** Finds the phrases of the thesaurus among words. An object of up to three words may stand inside. */
export function findPhrases(words: readonly Found<string>[]): ReadonlyMap<number, string> {
  const found = new Map<number, string>()
  for (const [index, { value, start }] of words.entries())
    for (const { phrase, rest } of phrasesByWord.get(stem(value)) ?? []) {
      const near = words.slice(index + 1, index + 2 + 4).map((one) => one.value)
      const at = near.indexOf(rest[0] ?? '')
      const isWhole = rest.every((word, more) => near[at + more] === word)
      if (at >= 0 && isWhole && (at === 0 || rest.length === 1)) found.set(start, phrase)
    }
  return found
}

/** Returns the concepts of a text, without stop words. */
export function toConcepts(text: string): ReadonlySet<string> {
  const known = conceptsByText.get(text)
  if (known) return known
  if (conceptsByText.size >= mostStems) conceptsByText.clear()
  const found = findConcepts(text)
  if (text.length <= longestWord) conceptsByText.set(text, found)
  return found
}

const conceptsByText = new Map<string, ReadonlySet<string>>()

function findConcepts(text: string): ReadonlySet<string> {
  const words =
    withPhrases(splitName(text))
      .toLowerCase()
      .match(/[\p{L}\p{N}'’]+/gu) ?? []
  return new Set(words.filter((word) => !stopWords.has(word) && !/^\d+$/.test(word)).map(toConcept))
}

/** Joins phrases that act as one word: "look up" to "lookup". */
export function withPhrases(text: string): string {
  return phrases.reduce((current, [pattern, word]) => current.replace(pattern, word), text).trim()
}

/** Returns the weight of a concept in a match: everyday verbs such as "get" weigh little. */
export function weightOf(concept: string): number {
  return generic.has(concept) || (concept.includes('_') && actionsOf(concept).has('read')) ? 0.4 : 1
}

/** Splits `maxPrice`, `max_price` and `max-price` into the words "max price". */
export function splitName(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[_\-.]+/g, ' ')
}

/** The kind of action of a verb. A tool and a request with different actions rarely match. */
export type Action = 'read' | 'create' | 'change' | 'remove' | 'send' | 'interpret'

const actions: Readonly<Record<Action, string>> = {
  read: `get find search show list fetch look lookup query read check tell retrieve view see what what's where who
    when which how is are open track give display locate verify browse compare calculate compute estimate look_up
    look_for look_at pull_up bring_up`,
  create: `create add make generate draw paint sketch illustrate render write new book reserve schedule put set start
    save register compose design depict speak say plan remind order
    invoice log record file wake rent hire buy grant enroll enrol register issue admit lend borrow place raise submit
    report arrange request apply donate bid deposit upload launch deploy plant bake prescribe vaccinate get
    note enter purchase reorder put_down write_down sign_up set_up pencil_in take_on check_in write_up set_aside
    keep_aside put_aside hold open subscribe quote bill charge prepare`,
  change: `edit change modify update adjust alter set add remove rename move replace make vary turn switch put
    retouch erase crop resize paint recolor fix assign allocate give extend renew prolong raise lower increase
    decrease reduce close reopen resolve complete finish mark approve accept confirm merge swap exchange freeze
    pause resume suspend restart reboot reset restore promote escalate transfer shift reschedule postpone push_back
    put_off bring_forward hand_over put_on turn_on turn_off turn_down turn_up lock unlock enable disable activate
    deactivate extend keep return excuse tag flag label tick_off check_out check_off irrigate water`,
  remove: `delete remove cancel erase clear drop revoke withdraw unsubscribe terminate reject call_off get_rid_of
    scrap void annul decline discharge evict block stop refund reimburse give_back pay_back take_off write_off
    throw_away archive dismiss waive dispose money_back`,
  send: `send email mail message text notify post share forward invite tell transfer pay wire give grant
    deliver dispatch publish announce ask call ring inform ping submit pass_on let_know drop_a_line remind chase
    settle ship`,
  interpret:
    'transcribe translate describe caption classify detect recognize analyze summarize count compare explain identify',
}

/** Returns the possible actions of a verb. Empty for an unknown verb. */
export function actionsOf(verb: string): ReadonlySet<Action> {
  return known.get(verb.toLowerCase()) ?? none
}

/** Whether the words begin a command, as after "and": a verb with an object. */
export function isCommand(words: string, toolVerbs: ReadonlySet<string>): boolean {
  const [, first = '', next = ''] = /^(?:please\s+|also\s+|now\s+)*(\S+)\s+(\S+)/.exec(words) ?? []
  const verb = first.toLowerCase()
  if (plainVerbs.has(verb)) return true
  if (nounLikeVerbs.has(verb) || toolVerbs.has(verb)) return object.test(next)
  return first === verb && actionsOf(verb).size > 0 && object.test(next) && !loose.test(next)
}

/** Whether the words after "and" look like a command with an unknown verb: "feed the cat". */
export function isUnforeseenCommand(words: string, before: string): boolean {
  const [, verb = ''] = /^([a-z]{3,20})\s+(?:the|my|our|me|us|him)\s+\p{L}/u.exec(words) ?? []
  return verb !== '' && !noVerb.test(verb) && !belongsToClause.test(before)
}

// Words that continue the previous words: prepositions, adverbs, and verbs that are not commands.
const noVerb =
  /^(?:with|without|within|from|for|into|onto|over|under|near|around|above|below|behind|beside|besides|between|beyond|before|after|during|through|across|along|against|about|inside|outside|upon|until|than|maybe|perhaps|also|even|only|just|both|all|not|now|then|what|how|who|where|when|why|which|whether|because|while|its|his|her|their)$|(?:[aeiouy][a-z]*ing|[^e]ed|[^s]s)$/
// "A boy who can run and catch the ball", "how to sit and watch the sea", "say good night and hug the kids".
const belongsToClause =
  /\b(?:who|which|that|how|while|when|can|could|will|would|may)\b|\bto\s+\w+$|\b(?:say|saying|says|tell|telling|write|read|remind|text|message|note|translate)\s+(?!(?:it|this|them)\b)/i

const none: ReadonlySet<Action> = new Set()

for (const [action, verbs] of Object.entries(actions) as [Action, string][]) {
  for (const verb of verbs.split(/\s+/)) known.set(verb, new Set([...(known.get(verb) ?? []), action]))
}

// Words that are almost always verbs in a request.
const plainVerbs = new Set(
  `draw sketch illustrate generate create render depict read speak say tell give calculate compute convert translate
  transcribe send write find get fetch search look add remove delete edit replace describe summarize summarise turn
  remind explain buy pay sell feed hire solve wash install download upload subtract multiply divide define compare notify tweak erase narrate recite`.split(
    /\s+/,
  ),
)

// Words that are as often nouns: verbs only before an object.
const nounLikeVerbs = new Set(
  `paint make set show list check book order plan email mail call text message play schedule mark note open close
  start stop change save share post move rename switch vary cancel put run use convert crop resize reserve shorten
  update count invite do`.split(/\s+/),
)

// The start of an object: an article, pronoun, number, name, quotation or the like.
const object =
  /^(?:a|an|the|me|us|my|our|your|his|her|their|it|them|this|that|these|those|all|every|some|any|two|three|four|five|on|off)\b|^[^a-z]/

// What follows a noun as well as a verb: "a boat and water all around".
const loose = /^(?:all|every|some|any|on|off)\b/

/** Phrases that act as one word. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/\bread\b(?=.*\b(?:aloud|out loud)\b)/gi, ' '],
  [/\bout loud\b/gi, 'aloud'],
  [/\blook(?:ing)?\s+up\b/gi, 'lookup'],
  [/\bto-do\b/gi, 'todo'],
  [/\be-mail/gi, 'email'],
]

/** Whether a word usually begins a command. */
export function isVerb(word: string): boolean {
  return isOrdinaryVerb(word) || pastVerb.test(word)
}

const pastVerb = /^(?:\p{L}{2,}ed|spent|sent|bought|sold|paid|ran|took|made|ate|went|saw|gave)$/u

/** Whether a word at the start of a request is no name: "Play Yesterday". */
export function isOrdinary(word: string): boolean {
  return stopWords.has(word) || isOrdinaryVerb(word)
}

function isOrdinaryVerb(word: string): boolean {
  return (
    actionsOf(word).size > 0 ||
    plainVerbs.has(word) ||
    nounLikeVerbs.has(word) ||
    phrasesByWord.has(stem(word))
  )
}

/** Whether a word chooses among things: "first", "cheapest". */
export function isSelecting(word: string): boolean {
  return selecting.test(word)
}

const selecting =
  /^(?:first|second|third|fourth|fifth|last|\w{3,}est|best|worst|most|least|expensive|recent|top|results?|matching)$/

/** Whether a word only carries the request: "please", "take", "quickly". */
export function isFiller(word: string): boolean {
  return fillers.has(word) || (word.length > 5 && /(?:ally|kly|tly|bly|antly|ently)$/.test(word))
}

const fillers = new Set(
  `please thanks thank sorry actually maybe perhaps kindly again asap soon quick just right away
  take takes need needs want wants would like got get gets let know help see give go going goes been put
  pls plz cheers hiya somebody someone anybody anyone everybody everyone nobody something anything nothing everything
  wo ca ai us their theirs his hers ours back down aside together straight away ahead along around soon later already
  ever never always often usually again complete completely whole entire full fully total kind sort bit lot few couple
  moment morning's meantime way able supposed going gonna wanna got gotten coming happening exactly simply quickly
  hand thing things stuff matter case far long too enough else other others same such both either neither
  because since though although however while where there's whether unless until till once upon
  done one ones loud out included allowed required needed wanted next maximum minimum max min make sure also still yet really every each whether if possible ok okay well instead today tonight
  i've we've he's she's they're we're you're i'll we'll there's here's that's it'll it's what's who's where's`.split(
    /\s+/,
  ),
)

/** Whether a word is no value of a parameter: it tells who asks, or is a verb that says little. */
export function isCarrier(word: string): boolean {
  return carriers.has(stem(word))
}

const carriers = new Set(
  `take go come put give bring keep let make run start try look call ask say think know see feel happen mention tell ring
  phone write send show find hope wonder guess believe bother mind care talk speak hear plan turn work stand sit stay
  customer client guest patient person people man woman girl boy guy lady gentleman mum dad mother father boss
  colleague team reader visitor user office new old low before after nice good great fine lovely funny fancy
  morning evening afternoon night week day`
    .split(/\s+/)
    .map(stem),
)

/** Words that do not distinguish tools. */
export const stopWords = new Set(
  `a an the of to in on at for with and or but is are was were be been am do does did have has had what which who
  whom whose how when where why can could would should will shall may might must please me my mine i you your we us
  our it its this that these those them they he she him her there here from by as if so about into onto than then
  also via using against versus near around regarding during just some any all much many more most very like now currently only not no want need let's thing things up out
  off over under per between another other one two three four five six seven eight nine ten today tomorrow s t m re
  what's it's i'm i'd don't example number name given current text string value`.split(/\s+/),
)
