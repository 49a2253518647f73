import { hypothetical, overlaps, type Reading, type Span } from './clauses.js'
import { type Candidate, type FillContext, sideOf } from './fill-context.js'
import { leads as prepositions } from './free-words.js'
import { unusedChoices } from './mentions.js'
import { hasUnit, isQuantity, meansNumber } from './number-candidates.js'
import { isCurrency } from './pairs.js'
import { examplesIn, type PlannerTool, type Slot, speaksOf, tells } from './planner-tool.js'
import { isPronominal } from './references.js'
import {
  isCutShort,
  isForOther,
  isPersonal,
  isWorded,
  mainTextOf,
  takesClauses,
  takesSentences,
} from './text-candidates.js'
import type { Action } from './vocabulary.js'
import {
  actionsOf,
  type Found,
  isCarrier,
  isFiller,
  isGeneralVerb,
  isLightVerb,
  isOrdinary,
  isRelated,
  isSelecting,
  knows,
  pastVerb,
  splitName,
  stem,
  stopWords,
  toConcept,
  toConcepts,
  weightOf,
  withPhrases,
} from './words.js'

/** Returns the words that no value or tool explains, and the values with words that do not belong in them. */
export function unaccountedIn(picks: readonly Candidate[], left: readonly string[], context: FillContext) {
  const spoken = picks.filter(({ spans }) => spans.length > 0)
  // "Cow 17 gave 24 litres and is lame": more than the values.
  const end = Math.max(0, ...spoken.flatMap(({ spans }) => spans.map((span) => span.end)))
  const isAdded = (word: string) =>
    new RegExp(`\\b(?:and|but)\\b.*\\b${word}\\b`, 'iu').test(context.reading.text.slice(end))
  return [
    ...(isTold(context.reading) ? left.filter(isAdded) : left),
    ...verbOf(context),
    ...(isIdle(context) ? [context.reading.text] : []),
    ...limitsOf(spoken, context),
    ...measureOf(context),
    ...objectOf(spoken, context),
    ...furtherVerbOf(context),
    ...unusedChoices(spoken, context),
    ...(isNamed(spoken, context) ? [] : [context.reading.text]),
    ...(isSwapped(spoken, context) || isBackwards(spoken) ? [context.reading.text] : []),
    ...spoken.flatMap((pick) => (isSound(pick, spoken, context) ? [] : [String(pick.value)])),
  ]
}

// "The boiler in room 7 is broken again": a report contains more words than its call. A wish does not.
function isTold(reading: Reading): boolean {
  const isWish = /^(?:i|we)\b.{0,12}\b(?:need|want|like|have to)\b/i.test(reading.masked)
  return moodOf(reading) === 'statement' && !isWish
}

// "Has ORD-1 shipped yet?", "Does M-77 still owe us anything?": a question about a thing that its id names.
function isAsked(word: string, picks: readonly Candidate[], { reading, tool }: FillContext): boolean {
  const { masked } = reading
  if (!tells(tool.actions) || moodOf(reading) !== 'question') return false
  if (picks.length === 0 || picks.some(({ slot, isLoose }) => isLoose || isWorded(slot))) return false
  const before = masked.slice(0, masked.indexOf(word))
  const isState = /^(?:is|are)\b/i.test(before) && speaksOf(tool, toConcept('status'))
  const isPredicate = /^(?:what|which)\s+\p{L}+\s+$|\bhow\s+$|^(?:do|does|did)\s+(?:\S+\s+){1,2}$/iu
  return isState || pastVerb.test(word) || isPredicate.test(before)
}

/** Whether a word leads to a value, or belongs to it: "focusing on", "located in", a unit, "the last 10". */
export function isConnector(word: string, picks: readonly Candidate[], context: FillContext): boolean {
  const all = context.reading.words.filter(({ value }) => value === word.toLowerCase())
  if (isAsked(word, picks, context)) return true
  return all.every((found) => (found.start > 0 || /['’]s$/.test(word)) && leads(found, picks, context))
}

function leads(found: Found<string>, picks: readonly Candidate[], { reading: { text }, tool }: FillContext) {
  const word = found.value
  const isSign = /^[$€£¥]$/.test(word)
  const isBefore = (pattern: RegExp) =>
    picks.some(({ spans }) =>
      spans.some(({ start, end }) =>
        start >= found.end ? pattern.test(text.slice(found.end, start)) : isSign && end === found.start,
      ),
    )
  if (isSign || isSelecting(word)) return isBefore(/^\s*$/) || (tool.worksOn !== undefined && !isSign)
  const isBeside = ({ start, end }: Span, { words }: Slot) =>
    start >= found.end
      ? /^\s*(?:(?:from|in)\s+)?$/.test(text.slice(found.end, start))
      : !isQuantity(words) && /^\s+$/.test(text.slice(end, found.start))
  const number = picks.find(
    ({ slot, score, spans }) =>
      slot.kind === 'number' && score >= 1.5 && spans.some((span) => isBeside(span, slot)),
  )
  // The word before "of 8 characters" is no part of the number.
  const isOther = number?.spans.some(({ start }) => /^(?:of|with|for|by|at)\b/i.test(text.slice(start)))
  if (number && !hasUnit(number.slot) && !isOther) return true
  const [concept, own] = [toConcept(word), stem(word)]
  const isSort = ({ spans }: Candidate) =>
    sorts.test(word) && spans.some(({ end }) => /^\s+$/.test(text.slice(end, found.start)))
  const isPart = ({ concepts, aliases }: Slot['choices'][number]) =>
    concepts.has(concept) || aliases.includes(own)
  const isOfChoice = (pick: Candidate) =>
    pick.slot.choices.some((one) => one.value === pick.value && (isPart(one) || isSort(pick)))
  if (picks.some(isOfChoice) || (tool.worksOn && /^attached$/i.test(word))) return true
  if (!participle.test(word) || negative.test(word)) return false
  return isBefore(/^\s*(?:(?!and|or)\p{Ll}{2,4}\s+)?$/u)
}

// "Business class", "eco mode".
const sorts = /^(?:class|type|mode|style|version|variant|option|format|setting)$/
// "Born in 2021", "owned by Bob".
const participleOf = /^(?:born|\p{Ll}{3,}ed) (?:in|on|at|by|from)\b/u
const participle = /(?:ing|ed)$|^(?:born|built|held|heard|kept|made|sold|sent|taken|written|given)$/i
const takesObject = /^\p{L}+ (?:the|an?|my|our|every)\b/iu
const negative = /^(?:except|exclud|avoid|omit|skip|miss|lack)/i

/** Names of tools that take a run's answer. Such a tool does nothing else, so any verb may request it. */
export const answerName = /^(?:final|submit)_?(?:answer|result|output|response)$/i

// "Reopen ticket 4" does not mean to close it: a command's verb is a word of the tool, or says little.
function verbOf({ reading, tool, follows, elsewhere }: FillContext): string[] {
  const [first, second] = reading.words
  if (first?.value === 'show' && tool.nameConcepts.has(toConcept('hide'))) return [first.value]
  const isLight = isLightVerb(first?.value ?? '') && !actionsOf(reading.phrases.get(0) ?? '').has('remove')
  if (!first || first.start > 0 || follows || isLight || answerName.test(tool.name)) return []
  // "Open the gate" asks for no list of open ones, "book a table" for no book.
  const isThing = takesObject.test(reading.masked) || /^\p{L}+ \S*\d/u.test(reading.masked)
  const isAct = isThing && actionsOf(first.value).has('create')
  const isMade = speaksOf(tool, toConcept(first.value)) || /^open an?\b/i.test(reading.masked)
  if (isAct && isMade && [...tool.actions].join() === 'read') return [first.value]
  if (elsewhere || reading.masked.includes(tool.name)) return []
  if (isFiller(first.value) && /^(?:up|off|out|down|over)$/.test(second?.value ?? '')) return [first.value]
  if (!withPhrases(reading.masked).toLowerCase().startsWith(first.value)) return []
  const phrase = reading.phrases.get(first.start)
  const concept = phrase ?? toConcept(first.value)
  const actions = actionsOf(concept).size > 0 ? actionsOf(concept) : actionsOf(first.value)
  const isVerb = actions.size > 0 || phrase || (isOrdinary(first.value) && !isFiller(first.value))
  if (!isVerb || stopWords.has(first.value) || weightOf(concept) < 1) return []
  const [, undone = ''] = /^(?:un|dis|re)(\p{L}{3,})$/u.exec(first.value) ?? []
  const isReverse = tool.nameConcepts.has(toConcept(undone)) && !tool.textConcepts.has(concept)
  // "Raise the salary" may mean a tool "update", but "paint" does not mean "record".
  const isNear = (action: Action) =>
    action !== 'interpret' && (action !== 'create' || isGeneralVerb(first.value))
  // "Pay the bill" does not ask for a "payment reminder".
  const isNoun = tool.textConcepts.has(`${concept}ment`) && !knows(tool.nameConcepts, concept)
  const isOpposite = actions.has('remove') && !tool.actions.has('remove') && !tool.worksOn
  const isOfKind = !isOpposite && [...actions].some((action) => tool.actions.has(action) && isNear(action))
  const isFree = (tool.actions.size === 0 && !isOpposite) || (actions.has('read') && tells(tool.actions))
  return !isReverse && ((speaksOf(tool, concept) && !isNoun) || isFree || (isOfKind && tool.isGeneral))
    ? []
    : [first.value]
}

// "Create a quote" does not ask for an invoice: the object of a command is a word of the tool, or a value.
function objectOf(picks: readonly Candidate[], { reading, tool, follows, elsewhere }: FillContext): string[] {
  const [head = ''] =
    /^\p{L}+ (?:me |us )?(?:an?|another) (?:\p{Ll}+[ ,.-]?){1,2}/u.exec(reading.masked) ?? []
  const isThing = ({ value, end }: Found<string>) =>
    end <= head.length && !stopWords.has(value) && !isFiller(value) && !isSelecting(value)
  const objects = reading.words.slice(2).filter(isThing)
  const isTitle = ({ words }: Slot) => /^(?:create|open)$/i.test(reading.verb) && takesSentences.test(words)
  const isKnown = (one: Found<string>) =>
    speaksOf(tool, reading.phrases.get(one.start) ?? toConcept(one.value)) ||
    picks.some(({ slot, spans }) => !isTitle(slot) && spans.some((span) => overlaps(one, span)))
  const isOpen = follows || elsewhere || tool.makes || tool.worksOn || objects.length === 0
  return isOpen || objects.some(isKnown) ? [] : objects.map(({ value }) => value)
}

// "How long is the flight?" does not ask for its price.
function measureOf({ reading: { masked }, tool }: FillContext): string[] {
  const [head, word = ''] = /^how (long|old|often|fast|tall|deep|much(?= do.*\bcost))\b/i.exec(masked) ?? []
  const names = /long/i.test(word)
    ? ['long', 'time', 'until', 'hours', 'days', 'minutes']
    : [/much/i.test(word) ? 'cost' : word]
  return !head || names.some((one) => speaksOf(tool, toConcept(one))) ? [] : [head]
}

// "Cancel it if nobody came", "all but room 3": words that limit the request, outside a value. Answers may have an "if".
function limitsOf(picks: readonly Candidate[], { reading, tool }: FillContext): string[] {
  const isUsed = (word: string, at: number) =>
    picks.some(
      ({ slot, value, spans }) =>
        spans.some(
          ({ start, end }) =>
            at >= Math.max(start, reading.text.slice(0, end).lastIndexOf(String(value))) && at < end,
        ) &&
        (!isWorded(slot) ||
          ((word === 'without' || takesSentences.test(slot.words)) && String(value).includes(word))),
    )
  const returns = picks.some(({ slot }) => /\b(?:return|back)\b/.test(slot.words))
  const kinds = tool.actions.size > 0 ? tool.actions : actionsOf(reading.verb)
  const isHarmless = tells(kinds) || moodOf(reading) === 'question'
  const found = [...reading.masked.matchAll(isHarmless ? exception : limit)]
  return found.flatMap(({ 0: word, index }) =>
    isUsed(word, index) || (returns && /back$/i.test(word)) ? [] : word,
  )
}

const exception =
  /\b(?:every|each) (?:other |second |single )?(?:\d+ )?(?:day|night|morning|afternoon|evening|week|month|year|hour|minute|\p{L}+day)s?\b|\b(?:not(?! \p{L}+ yet\b)|never|neither|nor|without|except|cannot|no(?! (?:later|longer|more|less|fewer|earlier|matter|problem|rush|hurry|need)\b)|(?:do|should|must|ca|wo)n['’]t)\b|(?:other|rather) than|a(?:part|side) from|(?:^|\band )back\b|(?<=\b(?:all|each|no one|nothing|nobody|(?:any|every)(?:thing|one|body|where)?)\b.{0,40}\s)(?:but|besides)\b/giu
const limit = new RegExp(
  `${exception.source}|\\b(?:out of|away from|of which|against|if(?! (?:possible|you can|needed)\\b)|unless|provided|in case|(?:when|once|until|while|as (?:long|soon) as)(?= (?:i|it|he|she|they|we|you|the|some\\w+|every\\w+|nobody)\\b))\\b`,
  'giu',
)

// "Is the door locked?", "Why did it restart?", "What if I lock it?" do not request a change.
function isIdle({ reading: { masked }, tool }: FillContext): boolean {
  const isAsked =
    /^(?:is|are|was|were|has|does|did|(?:do|have) (?:you|we|they|i|the)|(?:am|should|shall|must) (?:i|we|he|she|it|they|the)|(why|how|who|what|when|which))\b/i.exec(
      masked,
    )
  const changes = [...tool.actions].some((action) => !tells(new Set([action])))
  const isImagined = hypothetical.test(masked) && !tells(tool.actions) && !tool.makes
  // "I already refunded it" asks for no refund, only for a record.
  const [, done = '', did = ''] =
    /^(?:(?:i|we)(?:['’]ve| have)?|\S+ (?:is|are|was|were|has|have)) ((?:already|just) )?(?:been )?(\p{L}+)\b/iu.exec(
      masked,
    ) ?? []
  const isOwn = splitName(tool.name)
    .split(' ')
    .some((word) => word.length > 3 && did.startsWith(word))
  const isDone =
    pastVerb.test(did.toLowerCase()) && (done !== '' || isOwn || knows(tool.nameConcepts, toConcept(did)))
  if (isDone && changes && !keeping.test(splitName(tool.name))) return true
  const isIdle = isAsked ? changes || (tool.isUnforeseen && isAsked[1] === undefined) : false
  return (isImagined || isIdle) && !tool.nameConcepts.has(toConcept('quote'))
}

const keeping =
  /\b(?:add|log|record|report|track|note|enter|register|save|file|submit|write|mark|set|update)\b/i

// "Divide 50 by 4 and round it": a second verb.
function furtherVerbOf({ reading, tool }: FillContext): string[] {
  const [, verb = ''] = /\band\s+(\p{L}+(?:-\p{L}+)?)\s+(?:it|them)\b/u.exec(reading.masked) ?? []
  const isOwn = knows(tool.nameConcepts, toConcept(verb)) || knows(tool.textConcepts, toConcept(verb))
  return verb === '' || isOwn || isLightVerb(verb) || tool.makes || tool.worksOn ? [] : [verb]
}

// Free words and numbers fit any tool, so the clause must also contain a word of this one.
function isNamed(
  picks: readonly Candidate[],
  { reading, tool, follows, selects, topic, bound, elsewhere }: FillContext,
): boolean {
  if (tool.worksOn || tool.makes || follows || selects || topic || elsewhere || (bound?.size ?? 0) > 0)
    return true
  // "K-19" is hardly a value of ids such as "U-305".
  const isForeign = ({ slot: { prefixes }, value }: Candidate) =>
    prefixes.length > 0 && !prefixes.some((prefix) => String(value).toUpperCase().startsWith(prefix))
  const isFree = ({ slot: { kind, inner }, score }: Candidate) =>
    (kind === 'number' && score < 4) ||
    /^(?:date|time|moment)$/.test(kind) ||
    (kind === 'list' && inner[0]?.kind !== 'object')
  if (!picks.every((pick) => isWorded(pick.slot) || isForeign(pick) || isFree(pick))) return true
  if ([...tool.nameConcepts].every((concept) => reading.concepts.has(concept))) return true
  const own = [tool.nameConcepts, tool.textConcepts, ...tool.slots.map(({ nameConcepts }) => nameConcepts)]
  // Of an id, "how many are left" tells enough.
  const isId =
    moodOf(reading) !== 'statement' && picks.some((pick) => !isWorded(pick.slot) && isForeign(pick))
  const verbs = splitName(tool.name).split(' ').map(stem)
  return reading.words.some(({ value, start, end }) => {
    const concept = reading.phrases.get(start) ?? toConcept(value)
    const isWithin = (pick: Candidate) =>
      pick.spans.some((span) => overlaps({ start, end }, span)) &&
      String(pick.value).toLowerCase().includes(value)
    if (!tool.nameConcepts.has(concept) && picks.some(isWithin)) return false
    if (!knows(tool.nameConcepts, concept) && actionsOf(value).size > 0) return false
    const isWeak = stopWords.has(value) || weightOf(concept) < 1
    if (!isId && (isWeak || (pastVerb.test(value) && !verbs.includes(stem(value))))) return false
    return own.some((concepts) => knows(concepts, concept)) || isRelated(concept, tool.nameGroups)
  })
}

// "LeBron James at the Lakers": names in another order than their parameters, and nothing tells which is which.
function isSwapped(picks: readonly Candidate[], context: FillContext): boolean {
  const { text, quotes } = context.reading
  const at = picks.flatMap(({ slot, value, spans: [span] }) => {
    if (!span || slot.kind !== 'text' || !slot.required || slot.role !== undefined || isPersonal(slot))
      return []
    const around = text.slice(span.start, span.end + 15).replace(String(value), '')
    const isTold = [...around.matchAll(/\p{L}+/gu)].some(([word]) => slot.core.has(toConcept(word)))
    if (isTold || quotes.some((one) => overlaps(one, span))) return []
    return [[span.start, context.tool.slots.findIndex(({ name }) => name === slot.name)] as const]
  })
  return at.some(([start, rank]) => at.some(([other, next]) => start < other && rank > next))
}

// A range ends after it begins.
function isBackwards(picks: readonly Candidate[]): boolean {
  const daysAt = (side: 'from' | 'to') =>
    picks.flatMap(({ slot, value }) => (slot.kind === 'date' && sideOf(slot) === side ? [String(value)] : []))
  return daysAt('from').some((from) => /^\d{4}-/.test(from) && daysAt('to').some((to) => from > to))
}

/** Whether the words of a value can be a value. */
function isSound(pick: Candidate, picks: readonly Candidate[], context: FillContext): boolean {
  const { slot, value, spans, score, alternatives, isLoose } = pick
  const { reading, tool, follows } = context
  if (alternatives && isApposition(pick, context)) return false
  if (slot.kind === 'number') return spans.slice(0, 1).every((span) => meansNumber(slot, span, context))
  const isPast = ['past', 'historic', 'historical'].some((word) => knows(tool.textConcepts, toConcept(word)))
  if (isPast && slot.kind === 'date' && String(value) > reading.today) return false
  if (!isWorded(slot)) return true
  const from = spans[0]?.start ?? 0
  const before = reading.text.slice(0, Math.max(from, reading.text.indexOf(String(value), from)))
  // "Compare Spain, Italy and Peru" gives two countries no third.
  const isCut = picks.some((one) => one.spans.some(({ end }) => /^\s*,\s*$/.test(before.slice(end))))
  if (alternatives && (isCut || tool.slots.some(({ kind }) => kind === 'list'))) return false
  const isWithinSpans = (one: Span) => spans.some((span) => overlaps(one, span))
  const isCued = [...before.slice(from).matchAll(/\p{L}+/gu)].some(([word]) => slot.core.has(toConcept(word)))
  // "'Buy milk' and 'call Bob'", "Ann and Bob" are of one kind.
  const isJoined = picks.some(({ spans }) =>
    spans.some(({ end }) => !/\bbetween\b/i.test(before) && /^\s*and\s+["'“«]?$/.test(before.slice(end))),
  )
  if (reading.quotes.some(isWithinSpans)) return !isJoined || isCued
  const isOtherDay = picks.some(({ slot: { kind } }) => kind === 'date' || kind === 'moment') && score < 2.6
  if ((isOtherDay && reading.dates.some(isWithinSpans)) || isCutShort(pick, picks, reading.text)) return false
  const isName = reading.names.some((name) => ` ${name.value}`.endsWith(` ${value}`))
  if (!follows && !isPlaced(pick, picks, isName, context)) return false
  // "A case against Bob" is hardly for him, and "the author of Beloved" is somebody else.
  const isAgainst = /\b(?:against|versus|unlike|like)\s+$/i.test(before) && !takesSentences.test(slot.words)
  if (isAgainst && !prepositions.against?.test(slot.words) && !slot.leads.includes('against')) return false
  const isOwner = isPersonal(slot) || (isName && /^\s+to\s/i.test(reading.text.slice(spans[0]?.end)))
  if (isCued && isOwner && /\bof\s+$/i.test(before)) return false
  // "Where Bob was born" is a place.
  if (isName && slot.role === undefined && (isJoined || /\b(?:where|whose)\s*$/i.test(before))) return false
  // "Cancel yoga and pottery": two things that exist.
  const isOfExisting = [...tool.actions].every((action) => /^(?:remove|change)$/.test(action))
  const sides = picks.flatMap((one) => (one.slot.role === undefined ? [] : [String(one.value)]))
  const items = (Array.isArray(value) ? value : (alternatives ?? [value])).map(String)
  return items.every((item) => {
    if (slot.role !== undefined && sides.every(isCurrency)) return true
    const said = [...toConcepts(item)]
    if (!isCued && said.length > 0 && said.every((concept) => tool.nameConcepts.has(concept))) return false
    // "Rate Luigi": the verb is not part of the name.
    if (said.length > 1 && tool.nameConcepts.has(said[0] ?? '') && before === '') return false
    const isThing = /\bthe\s+$/i.test(before.slice(from)) || /\s\p{Lu}\p{Ll}/u.test(reading.text)
    if (!isName && ((places.test(slot.words) && isThing) || (isLoose && /\w name$/.test(slot.words))))
      return false
    const behind = reading.text.slice(reading.text.indexOf(item, from) + item.length)
    if (isCrossed(item, behind) || (!isCued && isForOther(item, slot, tool, isName))) return false
    if (reading.names.some((name) => name.value === item) || takesClauses.test(slot.words)) return true
    if (!takesSentences.test(slot.words) && exceedsExample(item, slot)) return false
    if (asking.test(before) || participleOf.test(item + reading.text.slice(spans[0]?.end))) return false
    if (relative.test(item) || /\b(?:that|which|who)\s*$/i.test(before)) return false
    if (/\s(?:and|from)\s/.test(item) && isOfExisting) return false
    if (isDescribed(item, slot, { before, from, behind }, tool)) return false
    if (takesSentences.test(slot.words)) return true
    if (joint.test(item) || (!isCued && /\d\s|\s\d/.test(item))) return false
    const own = [...item.toLowerCase().matchAll(/\p{L}+/gu)].map(([word]) => toConcept(word))
    const others = tool.slots.filter(({ name }) => name !== slot.name)
    const isForeign = (one: string) => tool.nameConcepts.has(one) || others.some(({ core }) => core.has(one))
    return own.every((concept) => slot.core.has(concept) || !isForeign(concept))
  })
}

// "Hurt by Cash and Jolene" before "by Parton": two of a kind.
function isCrossed(item: string, behind: string): boolean {
  const [, link] = /\s(as|at|by|for|from|in|into|of|on|to|with)\s.+\sand\s/i.exec(item) ?? []
  return link !== undefined && new RegExp(`^\\W+${link}\\s`, 'i').test(behind)
}

// "My wife", "a vet", "the cast of Hamlet", "the slow one" and "Ann's mother" only describe what is meant.
function isDescribed(
  item: string,
  { kind, words, description }: Slot,
  { before, from, behind }: { before: string; from: number; behind: string },
  tool: PlannerTool,
): boolean {
  const [, owner, next = ''] = /^(['’]s)?\s+(\p{L}+)/u.exec(behind) ?? []
  // "Ham and a coke" are of two kinds.
  const isOther = kind === 'list' && /^(?:an?|half)\s/i.test(item) && !/\b(?:an?|half)\s+$/i.test(before)
  if (isOther || /^ones?$/i.test(next) || dangling.test(item)) return true
  if (takesSentences.test(words)) return false
  const isCommon = /\bname\b/.test(`${words} ${description}`) && common.test(before.slice(from) + item)
  const isPart = isCommon || (owner && isCarrier(next))
  return (isPart && !speaksOf(tool, toConcept(next))) || /^\p{Ll}+\sof\s\p{Lu}/u.test(item)
}

// Of "e.g. vegetarian", a "vegetarian soup" is more than the value.
function exceedsExample(item: string, { description }: Slot): boolean {
  const words = examplesIn(description)
    .split(/,| or /)
    .map((one) => one.replaceAll(/[^\p{L}-]/gu, ''))
  return words.includes(/^(\S+)\s/.exec(item.toLowerCase())?.[1] ?? 'none')
}

// Words without a preposition or a cue are the subject of the clause. Others may be anything.
function isPlaced(
  { slot, score, isLoose, spans: [span] }: Candidate,
  picks: readonly Candidate[],
  isName: boolean,
  { tool, reading, topic }: FillContext,
): boolean {
  if (isLoose && isPronominal(reading.masked) && !topic) return false
  if (slot.name === mainTextOf(tool)?.name) return true
  const before = reading.text.slice(0, span?.start ?? 0)
  if (isLoose) {
    const [, next = ''] = /^\s+(\p{L}+)/u.exec(reading.text.slice(span?.end)) ?? []
    const isOfTool =
      tool.nameConcepts.has(toConcept(next)) || (isPersonal(slot) && reading.names.length === 1)
    return isName && slot.required && (isOfTool || /\bbetween\b/i.test(before))
  }
  if (slot.required || slot.kind === 'list' || score >= 0.5) return true
  const others = tool.slots.filter((one) => one.name !== slot.name && isWorded(one))
  const isOnly = others.every(({ name }) => picks.some((one) => one.slot.name === name && one.score >= 1.5))
  return isName && (isPersonal(slot) || isOnly) && !(span && reading.text[span.start] === ',')
}

// "Denver, Colorado" and "Friday, June 30th" are one thing. "Ann or Bob" is one to be chosen.
function isApposition({ alternatives, spans: [span], slot }: Candidate, context: FillContext): boolean {
  const text = context.reading.text.slice(span?.start, span?.end)
  if (/\bor\b/i.test(text)) return !tells(context.tool.actions)
  if (/^with\b/i.test(text) || /\bbetween\s+$/i.test(context.reading.text.slice(0, span?.start))) return true
  return (
    alternatives?.length === 2 && /^(?:place|person|text|date)$/.test(slot.kind) && !/\band\b|&/i.test(text)
  )
}

// Their values are written as names, unless the request is all in lower case.
const places = /\b(?:city|country|state|town|location|origin|destination|region)\b/

const asking = /\b(?:do|does|did|can|could|will|would|should|shall|must|may)\s+(?:you|we|they|i|he|she)\s+$/i
const dangling = /\s(?:outside|inside|beyond|above|below|behind|beside|past|without|except|unlike)$/i
const common = /\b(?:an?|my|our|your|his|her|their)\s+\p{Ll}[^\p{Lu}]*$/u
const relative = /\s(?:which|who|whose|whom)\s|^(?:having|being|made|used)\b/i

// Words that start something else.
const joint =
  /[$€£¥]|\s(?:for|in|on|at|with|within|from|to|into|by|that|where|when|and|or|but|not|than|about|also|only|as|if|the|an?)\s|,|\b(?:next|last|this) (?:week|month|year|weekend|night)\b/

export function moodOf({ masked, verb }: Reading): 'question' | 'statement' | 'other' {
  if (question.test(masked)) return 'question'
  return actionsOf(verb).size === 0 && statement.test(masked) ? 'statement' : 'other'
}

const question =
  /^(?:who|whose|what|when|where|which|how|why|is|are|was|were|does|did|has|any|(?:do|have) (?:we|you|they|i|the)|i['’]?m looking|we['’]re looking|i am looking|i(?:['’]d like| want| need) to (?:know|see))\b/i
// A sentence with a subject and a verb: it reports something to record or to do.
const statement =
  /^(?!(?:please|can|could|would)\b)\S.*?(?:['’]s(?=\s(?:here|back|ready|gone|in|out|not|been)\b)|\s(?:is|are|was|were|has|have|had|will|won['’]t|wants?|needs?|would|['’]?d like|gets?|got|should|must|can|takes?|took|paid|came|comes|arrived|goes|went|just|doesn['’]t|isn['’]t|puts?|likes?|\p{Ll}{3,}ed))(?:\s|,|$)/iu
