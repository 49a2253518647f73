import { keepValues } from './keep-values.js'
import {
  type Action,
  actions,
  currencies,
  genericWords,
  groups,
  irregular,
  otherCountries,
  spellings,
  spokenCodes,
  synonyms,
} from './vocabulary.js'

export interface Found<T> {
  readonly value: T
  readonly start: number
  readonly end: number
}

/** Finds the quotations in text, and a passage after a colon and a new line. */
export function findQuotes(text: string): Found<string>[] {
  if (!opensQuote.test(text)) return []
  return findAll(text, quotation, (match) => match.slice(1).find((group) => group !== undefined) ?? '')
}

/** Finds the matches of a pattern, with the value that `read` returns for each. Undefined skips a match. */
export function findAll<T>(text: string, pattern: RegExp, read: (match: RegExpMatchArray) => T | undefined) {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const value = read(match)
    return value === undefined ? [] : [{ value, start: match.index, end: match.index + match[0].length }]
  })
}

/** Masks quotations with marks of the same length, so that positions do not change and no pattern matches inside. */
export function maskQuotes(text: string): string {
  if (!opensQuote.test(text)) return text
  return text.replace(quotation, (match) => quoteMark.repeat(match.length))
}

/** The mark that replaces a quotation. No pattern treats it as a letter. */
export const quoteMark = '\uE000'

// Most texts contain none of these: this test is far cheaper than the search for a quotation.
const opensQuote = /["“«'‘:]/

// An apostrophe inside a word opens no quotation, and a list after a colon is a list of tasks. A quotation
// contains no second opening mark: otherwise each mark would be searched to the end of the text.
const quotation = new RegExp(
  [
    '"([^"]+)"',
    '“([^“”]+)”',
    '«([^«»]+)»',
    "(?<![\\p{L}\\p{N}])['‘]((?:[^'‘’]|['’](?=\\p{L}))+)['’](?!\\p{L})",
    '(?<=:[ \\t]*\\n\\s*)(?=[^\\s*•\\d-])([^]+?)\\s*$',
  ].join('|'),
  'gu',
)

/** Returns the stem of an English word: the same for `variations` and `variation`. */
export function stem(word: string): string {
  return stemOf(word, () => toStem(word))
}

// No English word is longer. Limits the work of the patterns.
const longestWord = 40
const stemOf = keepValues<string>(4000, longestWord)

function toStem(word: string): string {
  const plain = word.toLowerCase().replace(/['’]s?$/, '')
  let rest = regular.get(plain) ?? plain
  if (invariable.has(rest) || rest.length > longestWord) return rest
  if (rest.length > 3)
    rest = rest
      .replace(/ies$/, 'y')
      .replace(/(ss|x|ch|sh)es$/, '$1')
      .replace(/([^su])s$/, '$1')
      // Two spellings of one word: "fertilizer", "colour", "metre".
      .replace(/(?<=\w{3}i)z(?=[aei])/, 's')
      .replace(/(?<=\w{2}o)ur$/, 'r')
      .replace(/tre$/, 'ter')
  if (rest.length > 5) rest = rest.replace(/(at)(?:ions?|ors?|ing|ed)$/, '$1')
  if (rest.length > 5)
    rest = rest.replace(/(\w[aeiouy]\w+?)(?:ing|ed)$/, '$1').replace(/([bdgmnprt])\1$/, '$1')
  return rest.length > 3 ? rest.replace(/e$/, '').replace(/y$/, 'i') : rest
}

// A list in the vocabulary: bars divide its rows.
function rowsOf(list: string): string[][] {
  return list.split('|').map((row) => row.trim().split(/\s+/))
}

const regular = new Map(
  rowsOf(irregular).flatMap(([verb = '', ...forms]) => forms.map((form) => [form, verb])),
)

// Words that end like a plural but are singular.
const invariable = new Set('news series species lens atlas physics gas always goods training'.split(' '))

const known = new Map<string, Set<Action>>()

const canonical = new Map(
  rowsOf(synonyms).flatMap(([first = '', ...others]) => others.map((word) => [stem(word), stem(first)])),
)

const generic = new Set([...genericWords].map(toConcept))

/** Returns the concept of a word: its stem, or the stem that its synonyms share. A phrase is its own concept. */
export function toConcept(word: string): string {
  const own = word.includes('_') ? word : stem(word)
  return canonical.get(own) ?? own
}

/** Whether a set contains a concept, or one that starts with it: "assign" and "assignee". */
export function knows(concepts: ReadonlySet<string>, concept: string): boolean {
  if (concepts.has(concept) || concepts.has(`${concept}ment`)) return true
  const isPart = (whole: string, part: string) => part.length > 4 && whole.startsWith(part)
  return [...concepts].some((one) => isPart(one, concept) || isPart(concept, one))
}

export function groupsOf(concepts: Iterable<string>): ReadonlySet<number> {
  return new Set([...concepts].flatMap((concept) => groupsByConcept().get(concept) ?? []))
}

/** Whether a concept is in one of these thesaurus groups: "jab" is in a group of "vaccination". */
export function isRelated(concept: string, related: ReadonlySet<number>): boolean {
  const own = groupsByConcept().get(concept)
  return own?.some((group) => related.has(group)) ?? false
}

const grouped = new Map<string, number[]>()

function groupsByConcept(): ReadonlyMap<string, readonly number[]> {
  if (grouped.size > 0) return grouped
  for (const [index, row] of rowsOf(groups).entries())
    for (const concept of row.map(toConcept)) grouped.set(concept, [...(grouped.get(concept) ?? []), index])
  return grouped
}

/** Phrases of the thesaurus, by the stem of their first word: "call it off". */
const phrasesByWord = new Map<string, { readonly phrase: string; readonly rest: readonly string[] }[]>()
for (const phrase of new Set(groups.match(/\w+_\w+/g) ?? [])) {
  const [first = '', ...rest] = phrase.split('_')
  phrasesByWord.set(stem(first), [...(phrasesByWord.get(stem(first)) ?? []), { phrase, rest }])
}

/** Finds the phrases of the thesaurus among words. An object of up to three words may be inside. */
export function findPhrases(words: readonly Found<string>[]): ReadonlyMap<number, string> {
  const found = new Map<number, string>()
  for (const [index, { value, start }] of words.entries())
    for (const { phrase, rest } of phrasesByWord.get(stem(value)) ?? []) {
      const near = words.slice(index + 1, index + 2 + 4).map((one) => one.value)
      const at = near.indexOf(rest[0] ?? '')
      // "Check the weather in the port" checks nobody in.
      const isBefore =
        at > 0 && /^(?:the|an?|my|our|your|his|her|their|this|that)$/.test(near[at + rest.length] ?? '')
      const isWhole = !isBefore && rest.every((word, more) => near[at + more] === word)
      const isLonger = phrase.length > (found.get(start)?.length ?? 0)
      if (at >= 0 && isWhole && isLonger) found.set(start, phrase)
    }
  return found
}

export function toConcepts(text: string): ReadonlySet<string> {
  return conceptsOf(text, () => findConcepts(text))
}

const conceptsOf = keepValues<ReadonlySet<string>>(4000, longestWord)

function findConcepts(text: string): ReadonlySet<string> {
  const words =
    withPhrases(splitName(text))
      .toLowerCase()
      .match(/[\p{L}\p{N}'’]+/gu) ?? []
  return new Set(words.filter((word) => !stopWords.has(word) && !/^\d+$/.test(word)).map(toConcept))
}

/** Joins phrases that act as one word: "look up" becomes "lookup". */
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

/** Returns the letters and digits of a name, in lower case: the same for `maxPrice` and `max_price`. */
export function toPlain(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

export function actionsOf(verb: string): ReadonlySet<Action> {
  return known.get(verb.toLowerCase()) ?? none
}

/** Whether the words start a command, as after "and": a verb with an object. */
export function isCommand(words: string, toolVerbs: ReadonlySet<string>): boolean {
  const [, first = '', next = ''] = /^(?:please\s+|also\s+|now\s+)*(\S+)\s+(\S+)/.exec(words) ?? []
  const verb = first.toLowerCase()
  if (/^(?:is|are)$/.test(verb)) return false
  // "Billing and search in staging": a noun.
  if (plainVerbs.has(verb)) return !/^(?:in|at|from|of|and|or)$/.test(next)
  if (toolVerbs.has(`${verb} ${toConcept(next)}`)) return true
  if (nounLikeVerbs.has(verb) || toolVerbs.has(verb)) return object.test(next)
  return first === verb && actionsOf(verb).size > 0 && object.test(next) && !loose.test(next)
}

/** Whether the words after "and" look like a command with an unknown verb: "feed the cat". */
export function isUnforeseenCommand(words: string, before: string): boolean {
  const [, verb = ''] = /^([a-z]{3,20})\s+(?:the|my|our|its|their|me|us|him)\s+\p{L}/u.exec(words) ?? []
  return verb !== '' && !noVerb.test(verb) && !belongsToClause.test(before)
}

// Words that continue the previous words: prepositions, adverbs, and verbs that are not commands.
const noVerb =
  /^(?:with|without|within|from|for|into|onto|over|under|near|around|above|below|behind|beside|besides|between|beyond|before|after|during|through|across|along|against|about|inside|outside|upon|until|than|maybe|perhaps|also|even|only|just|both|all|not|now|then|what|how|who|where|when|why|which|whether|because|while|its|his|her|their)$|(?:[aeiouy][a-z]*ing|[^e]ed|[^s]s)$/
// "A boy who can run and catch the ball", "how to sit and watch the sea", "say good night and hug the kids".
const belongsToClause =
  /\b(?:who|which|that|how|while|when|can|could|will|would|may)\b|\bto\s+\w+$|\b(?:say|saying|says|tell|telling|write|read|remind|text|message|note|translate)\s+(?!(?:it|this|them)\b)/i

const none: ReadonlySet<Action> = new Set()

for (const [action, verbs] of Object.entries(actions) as [Action, string][])
  for (const verb of verbs.split(/\s+/)) known.set(verb, new Set([...(known.get(verb) ?? []), action]))

// Words that are almost always verbs in a request.
const plainVerbs =
  setOf(`draw sketch illustrate generate create render depict read speak say tell give calculate compute convert translate
  transcribe send write find get fetch search look add remove delete edit replace describe summarize summarise turn
  remind explain buy pay sell feed hire solve wash install download upload subtract multiply divide define compare notify tweak erase narrate recite`)

// Words that are as often nouns: verbs only before an object.
const nounLikeVerbs = new Set(
  `paint make set show list check book order plan email mail call text message play schedule mark note open close
  start stop change save share post move rename switch vary cancel put run use convert crop resize reserve shorten
  update count invite do`.split(/\s+/),
)

// The start of an object: an article, pronoun, number, name, quotation or the like.
const object =
  /^(?:a|an|the|me|us|my|our|your|his|her|their|its?|them|this|that|these|those|all|every|some|any|two|three|four|five|on|off)\b|^[^a-z]/

// What follows a noun as well as a verb: "a boat and water all around".
const loose = /^(?:all|every|some|any|on|off)\b/

const phrases: readonly (readonly [RegExp, string])[] = [
  [/\bread\b(?=.*\b(?:aloud|out loud)\b)/gi, ' '],
  [/\bout loud\b/gi, 'aloud'],
  [/\blook(?:ing)?\s+up\b/gi, 'lookup'],
  [/\bto-do\b/gi, 'todo'],
  [/\be-mail/gi, 'email'],
]

export function isVerb(word: string): boolean {
  return isOrdinaryVerb(word) || pastVerb.test(word)
}

export const pastVerb = /^(?:\p{L}{2,}ed|left|spent|sent|bought|sold|paid|ran|took|made|ate|went|saw|gave)$/u

/** Whether a word at the start of a request is not a name: "Play Yesterday". */
export function isOrdinary(word: string): boolean {
  return stopWords.has(word) || isFiller(word) || isOrdinaryVerb(word)
}

function isOrdinaryVerb(word: string): boolean {
  return (
    actionsOf(word).size > 0 ||
    plainVerbs.has(word) ||
    nounLikeVerbs.has(word) ||
    phrasesByWord.has(stem(word))
  )
}

export function isLightVerb(word: string): boolean {
  return /^(?:get|give|put|make|set|do|have|take|let|bring|add|need|want|new|keep|use)$/i.test(word)
}

/** Matches words that take back a part of the same request: "on Monday, no, Tuesday". */
export const ownCorrection =
  /^(?:(?:(?:no|oops|wait|sorry|actually|correction)\b\s*)+[,:.!-]+\s*\S|actually\s+(?!is|are|was)|(?:no|oops|wait|sorry) (?=(?:make (?:it|that)|i meant?)\b)|(?:i meant?|make that|scratch that|or rather)\b)/i

/** Whether a verb names no particular change: "update", "create". */
export function isGeneralVerb(word: string): boolean {
  return (
    isLightVerb(word) ||
    /^(?:create|update|edit|change|modify|adjust|manage|record|log|write|store|save)$/.test(word)
  )
}

/** Whether a word chooses among things: "first", "cheapest". */
export function isSelecting(word: string): boolean {
  return /^(?:first|second|third|fourth|fifth|last|\w{3,}est|best|worst|most|least|expensive|recent|top|results?|matching)$/.test(
    word,
  )
}

/** Whether a word only carries the request: "please", "take", "quickly". */
export function isFiller(word: string): boolean {
  return fillers.has(word) || (/.(?:ally|kly|tly|bly|antly|ently)$/.test(word) && !telling.test(word))
}

// Adverbs that change a request.
const telling =
  /^(?:week|night|fortnight|annual|part|slight|short|quiet|silent|permanent|different|manual|automatical|equal|individual|separate|doub|tripl|perpetual|virtual|digital|partial)ly$/
const fillers =
  setOf(`please thanks thank atleast atmost sorry actually maybe perhaps kindly again asap soon quick just right away
  take takes need needs want wants would like got get gets let know help see give go going goes been put
  pls plz cheers hiya somebody someone anybody anyone everybody everyone nobody something anything nothing everything
  wo ca ai us their theirs his hers ours back down aside together straight away ahead along around soon later already
  ever never always often usually again complete completely whole entire full fully total kind sort bit lot few couple
  moment morning's meantime way able supposed going gonna wanna got gotten coming happening exactly simply quickly
  hand thing things stuff matter case far long too enough else other others same such both either neither
  because since though although however while where there's whether unless until till once upon respectively minus
  done one ones loud out included allowed required needed wanted next maximum minimum max min make sure also still yet really among amongst plus within inside through across along throughout toward towards including every each whether if possible ok okay well instead today tonight
  i've we've he's she's they're we're you're i'll we'll there's here's that's it'll it's what's who's where's`)

/** Whether a word is not a parameter's value: it says who is asking, or is a verb with little meaning. */
export function isCarrier(word: string): boolean {
  return carriers.has(stem(word))
}

const carriers = setOf(
  `take go come put give bring keep let make run start try look call ask say think know see feel happen mention tell ring
  phone write send show find hope wonder guess believe bother mind care talk speak hear plan turn work stand sit stay
  customer client guest patient person people man woman girl boy guy lady gentleman mum dad mother father boss
  colleague team reader visitor user office new old low before after nice good great fine lovely funny fancy
  day`,
  stem,
)

export const stopWords =
  setOf(`a an the of to in on at for with and or but is are was were be been am do does did have has had what which who
  whom whose how when where why can could would should will shall may might must please me my mine i you your we us
  our it its this that these those them they he she him her there here from by as if so about into onto than then
  also via using against versus near around regarding during just some any all much many more most very like now currently only not no want need let's thing things up out
  off over under per between another other one two three four five six seven eight nine ten today tomorrow s t m re
  what's it's i'm i'd don't example number name given current text string value integers numbers values elements units`)

export function languageCode(name: string): string | undefined {
  return languages.get(name.toLowerCase())
}

const letters = [...'abcdefghijklmnopqrstuvwxyz']
const twoLetters = letters.flatMap((one) => letters.map((other) => one + other))
const languages = new Map([['mandarin', 'zh'] as const, ['bengali', 'bn'] as const, ...namedLanguages()])

function namedLanguages(): (readonly [string, string])[] {
  const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
  return twoLetters.flatMap((code) => {
    const name = names.of(code)?.toLowerCase()
    return name && Intl.getCanonicalLocales(code)[0] === code ? [[name, code] as const] : []
  })
}

function setOf(list: string, read = (word: string) => word): ReadonlySet<string> {
  return new Set(list.split(/\s+/).map(read))
}

/**
 * Returns the code of a currency, given its code, name, word or sign, in singular or plural. Undefined for other words.
 */
export function currencyCode(word: string): string | undefined {
  if (namesByCode.has(word) || currencyCodes.has(word)) return word
  const name = word
    .toLowerCase()
    .replace(/krono?r$/, 'krona')
    .replace(/kroner$/, 'krone')
    .replace(/(\p{L}{2})s$/u, '$1')
  return codesByName.get(name)
}

const currencyNames = new Intl.DisplayNames('en', { type: 'currency', fallback: 'none' })
// Current currencies only: the names of others contain their years.
const namesByCode = new Map(
  Intl.supportedValuesOf('currency').flatMap((code) => {
    const name = currencyNames.of(code)?.toLowerCase()
    return name && !name.includes('(') ? [[code, name] as const] : []
  }),
)
const lastWord = (name: string) => name.replace(/^.*\s/, '')
const lastWords = [...namesByCode.values()].map(lastWord)
// "Yen" is a name by itself; "dollar" is not.
const codesByName = new Map([
  ...[...namesByCode].flatMap(([code, name]) => {
    const last = lastWord(name)
    const isAlone = lastWords.filter((one) => one === last).length === 1
    return (isAlone ? [last, name] : [name]).map((one) => [one, code] as const)
  }),
  ...[...currencies.matchAll(/(\S+)\s+([A-Z]{3})/g)].map(
    ([, name = '', code = '']) => [name.replaceAll('-', ' '), code] as const,
  ),
])

export const currencyCodes: ReadonlySet<string> = new Set(spokenCodes.split(' '))

const countries = new Map<string, string>()

export function countryCode(name: string): string | undefined {
  if (countries.size === 0) {
    const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
    for (const code of twoLetters.map((one) => one.toUpperCase()))
      if (new Intl.Locale(`und-${code}`).region === code)
        countries.set(names.of(code)?.toLowerCase() ?? code, code)
    for (const [, other = '', code = ''] of otherCountries.matchAll(/(\S+) ([A-Z]{2})/g))
      countries.set(other.replace('-', ' '), code)
  }
  const lower = name.toLowerCase()
  const [, land = ''] = /^(\p{L}{4,}?)(?:[ei]?an|n|ese|ish|i)$/u.exec(lower) ?? []
  const near = [...countries].filter(
    ([one]) => land !== '' && one.startsWith(land) && one.length < land.length + 4,
  )
  return countries.get(lower) ?? (near.length === 1 ? near[0]?.[1] : undefined)
}

/** Returns other spellings of an enum value: `kilometres` for `km`, `euros` for `EUR`. */
export function aliasesOf(value: string): readonly string[] {
  const own = stem(value)
  return aliases.get(own)?.filter((word) => word !== own) ?? []
}

/** Whether a spelling is a unit only next to a number or after "to": `C`, `in`, `m`. */
export function isShort(word: string): boolean {
  return word.length <= 2 && /^\p{L}+$/u.test(word)
}

const aliases = new Map<string, string[]>()
for (const row of rowsOf(spellings)) addAliases(row)
for (const [names, codes] of [
  [[...codesByName], [...currencyCodes]],
  [[...languages], [...languages.values()]],
] as const)
  for (const code of new Set(codes))
    addAliases([code, ...names.flatMap(([name, its]) => (its === code ? [name] : []))])

// If two groups share a spelling, such as "pound", each value keeps its own.
function addAliases(words: readonly string[]): void {
  const stems = words.map(stem)
  for (const word of stems) aliases.set(word, [...new Set([...(aliases.get(word) ?? []), ...stems])])
}
