import { type FillContext, widen, withTopic } from './fill-context.js'
import { kindAmong, type PlannerTool } from './planner-tool.js'
import { overlaps, type Reading, type Span } from './read-clause.js'
import type { Slot } from './slots.js'
import type { Task } from './task.js'
import { actionsOf, stopWords, toConcept, toConcepts, weightOf } from './words.js'

/**
 * Whether a clause refers to an available artifact: "it", "the drawing", "that image", "the attached
 * picture", an id.
 */
export function refersToArtifact({ masked, artifacts }: Reading): boolean {
  const { length } = artifacts
  return (
    length > 0 ||
    isPronominal(masked) ||
    artifactNoun.test(masked) ||
    attached.test(masked) ||
    ordinal.test(masked)
  )
}

/** Returns the index that "the second one" means, counted from 0, with -1 for the last, or undefined. */
export function ordinalOf(masked: string): number | undefined {
  const [, word = ''] = ordinal.exec(masked) ?? []
  if (word === '') return undefined
  return /^last$/i.test(word) ? -1 : ordinals.findIndex((names) => names.includes(word.toLowerCase()))
}

/**
 * Returns the index of the earlier task whose product a clause uses, or undefined when it is independent or
 * means an attachment.
 */
export function toSource(tool: PlannerTool, reading: Reading, earlier: readonly Task[]): number | undefined {
  const { masked } = reading
  const all = earlier.map((task, index) => ({ task, index }))
  const makers = all.filter(({ task }) => task.tool.makes)
  if (tool.worksOn) {
    if (reading.artifacts.length > 0 || attached.test(masked)) return undefined
    const source =
      named(masked, tool, makers) ?? makers.at(-1) ?? (refersToArtifact(reading) ? all.at(-1) : undefined)
    return source?.index
  }
  const spoken = named(masked, tool, all)
  if (spoken) return spoken.index
  const maker = all.findLast(({ task }) => makesFor(task.tool, tool))
  const refers = choosing.test(masked) || isPronominal(masked) || personal.test(masked)
  if (maker && (refers || definite.test(masked))) return maker.index
  if (!isPronominal(masked) && !resultNoun.test(masked) && !choosing.test(masked)) return undefined
  return (all.findLast(({ task }) => !task.tool.makes) ?? all.at(-1))?.index
}

/** Whether a clause chooses among the things of an earlier task whose id a tool needs. */
export function choosesFor(tool: PlannerTool, { masked }: Reading, earlier: readonly Task[]): boolean {
  const refers = choosing.test(masked) || isPronominal(masked) || personal.test(masked)
  return refers && earlier.some((task) => makesFor(task.tool, tool))
}

/** Whether an earlier tool is about the thing whose id a later one needs. */
export function makesFor(
  { nameConcepts, textConcepts }: PlannerTool,
  { slots }: Pick<PlannerTool, 'slots'>,
): boolean {
  return slots
    .filter(needsId)
    .some(
      ({ core, textConcepts: told }) =>
        [...core].some((concept) => nameConcepts.has(concept) || textConcepts.has(concept)) ||
        [...told].some((concept) => weightOf(concept) === 1 && nameConcepts.has(concept)),
    )
}

/** Whether a parameter requires the id of a thing. */
export function needsId({ required, words, kind, description }: Slot): boolean {
  return (
    required &&
    (kind === 'code' ||
      /\b(?:id|number|no|code|reference|ref)$/.test(words) ||
      (kind === 'number' && /\bnumber$/.test(description)))
  )
}

const choosing =
  /\bthe\s+(?:first|second|third|fourth|fifth|last|latest|newest|oldest|earliest|best|worst|most|least|next|top|\w{3,}est)\b/i
const personal = /\b(?:her|his|him|their|she|he|they)\b/i
const definite = /\b(?:the|that|this|those|these)\s+\p{L}/iu

/** Whether a clause contains an "it" with a referent. "Is it raining" has none. */
export function isPronominal(masked: string): boolean {
  return pronoun.test(masked.replace(expletive, ' '))
}

/** Whether words only refer to something, as "it", "that one" and "a note of this" do. They are no value. */
export function isReference(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}'’]+/gu) ?? []
  const isMere =
    words.every((word) => referring.test(word) || joining.test(word)) &&
    words.some((word) => referring.test(word))
  return isMere || [leading, trailing, told].some((pattern) => pattern.test(text))
}

const referring =
  /^(?:it|its|this|that|these|those|them|they|he|she|him|her|me|us|myself|yourself|itself|themselves|one|ones|both|each|either|all|everything|something|anything|same|above|below|following|previous|again|there|here)$/
const joining =
  /^(?:the|a|an|of|and|or|for|to|now|too|down|up|out|else|please|aloud|loud|texts?|results?|answers?|output|once|more|twice|last|first|next|whole|entire|thing|stuff)$/
// "It in blue", and not "it is late".
const leading =
  /^(?:it|them|ones?|(?:this|that|these|those)(?: ones?)?)\s+(?:in|with|on|at|to|into|as|for|from|by|using|again|aloud|now)\b/i
const told = /^(?:the|that|this|its)\s+(?:texts?|results?|answers?|output)$/i
const trailing = /\s(?:of|about|on|for|with|to)\s+(?:it|this|that|them|these|those)$/i

/** Returns the concepts that a clause treats as known: "the weather", "that house". */
export function toDefiniteNouns(masked: string): string[] {
  return [...masked.matchAll(/\b(?:the|that|this|those|these)\s+(\p{L}+)/giu)].map(([, noun = '']) =>
    toConcept(noun),
  )
}

/** Whether a clause refers to an attachment of the request. */
export function isAboutAttachment({ masked }: Reading): boolean {
  return attached.test(masked)
}

const ordinals = [
  ['first', '1st'],
  ['second', '2nd'],
  ['third', '3rd'],
  ['fourth', '4th'],
  ['fifth', '5th'],
]
const ordinal = new RegExp(
  `\\bthe (${ordinals.flat().join('|')}|last) (?:one|image|picture|drawing|photo|painting|sketch|variation|version|recording|clip|file)\\b`,
  'i',
)
const pronoun =
  /\b(?:it|its|them)\b|\b(?:this|that|these|those|each|both|all of them)(?=\s*[.,:;!?]|\s*$|\s+(?:as|in|with|to|into|aloud|out)\b)/i
const expletive = /\b(?:is|was|does|will|has|did) it\b|\bit(?:['’]s| is| was| will| has)\b/gi
const artifactNoun =
  /\b(?:the|this|that|these|those|my|its)\s+(?:\p{L}+\s+)?(?:images?|pictures?|drawings?|photos?|paintings?|sketch(?:es)?|illustrations?|recordings?|audio|clips?|files?|sound|mask)\b|\bmasked\b/iu
const attached = /\b(?:attached|uploaded|enclosed)\b/i
const resultNoun =
  /\b(?:the|that|this|its)\s+(?:results?|answers?|output|numbers?|total|transcript|translation|text|forecast|findings)\b/i

interface Placed {
  readonly task: Task
  readonly index: number
}

// "Read the weather aloud": a noun that is not the tool's own subject and occurred before.
function named(masked: string, tool: PlannerTool, among: readonly Placed[]): Placed | undefined {
  const nouns = toDefiniteNouns(masked)
  const foreign = nouns.filter((noun) => !tool.nameConcepts.has(noun) && !tool.textConcepts.has(noun))
  return among.findLast(({ task }) => {
    return foreign.some((noun) => task.reading.concepts.has(noun) || task.tool.nameConcepts.has(noun))
  })
}

/** Returns the subject of a clause: its words without the question or command around them. */
export function toSubject(text: string, tool: PlannerTool): string {
  // "Find out what the weather is in Oslo" is about the weather in Oslo.
  const asked = withoutCommand(text, tool).replace(
    /^(?:what|who|where|how|which)\s+(.+?)\s+(?:is|are)\b/i,
    '$1',
  )
  return trim(asked)
}

/**
 * Returns the text that a tool for images or recordings takes from a clause: a quotation, or all words but the
 * command. Undefined for other tools.
 */
export function toRemainderText({ kind }: Slot, context: FillContext): string | undefined {
  const { tool, reading, taken, topic } = context
  if (kind !== 'text' || (!tool.makes && !tool.worksOn)) return undefined
  const quote = reading.quotes.find((one) => !taken.some((span) => overlaps(one, span)))
  if (quote) return quote.value
  const left = toRemainder(context)
  const text = topic ? withTopic(left, topic, tool) : left
  return text === '' ? undefined : text
}

/**
 * Chooses an artifact id: one in the clause, else the newest available of the right kind. Never invents one.
 */
export function pickArtifact(slot: Slot, context: FillContext): { value: unknown; spans: Span[] }[] {
  const { reading } = context
  const wanted = artifactPrefixes(slot, context.tool)
  const written = reading.artifacts.filter(({ value }) => wanted.some((prefix) => value.startsWith(prefix)))
  const isMask = /\bmask\b/.test(slot.words)
  const masks = written.filter(({ start }) => /\bmask\s*$/i.test(reading.masked.slice(0, start)))
  const explicit = isMask ? masks[0] : written.find((one) => !masks.includes(one))
  if (explicit) return [{ value: explicit.value, spans: [widen(explicit, reading.text)] }]
  const fitting = context.artifacts.filter((id) => wanted.some((prefix) => id.startsWith(prefix)))
  const speaksOfMask = /\bmask(?:ed)?\b/i.test(reading.masked)
  const isTwo = speaksOfMask && fitting.length > 1
  const hasMask = context.tool.slots.some(({ kind, words }) => kind === 'artifact' && /\bmask\b/.test(words))
  const atHand = isMask ? (isTwo ? fitting.at(-1) : undefined) : fitting.at(isTwo && hasMask ? -2 : -1)
  if (atHand) return [{ value: atHand, spans: [] }]
  const [file] = /\bartifact\b/.test(slot.description) ? [] : reading.files
  return file ? [{ value: file.value, spans: [widen(file, reading.text)] }] : []
}

/** Returns the id prefixes that a slot accepts, by its name, its description or else its tool. */
export function artifactPrefixes(slot: Slot, tool: PlannerTool): readonly string[] {
  const kind = kindAmong([...slot.nameConcepts, ...slot.textConcepts]) ?? kindAmong(tool.nameConcepts)
  return kind === 'image' ? ['img_'] : kind === 'audio' ? ['aud_'] : ['img_', 'aud_', 'txt_', 'file_']
}

/**
 * Returns the remainder of a clause for a free text: without the command, the parts of other slots, and words
 * about the tool.
 */
function toRemainder({ reading, taken, tool }: FillContext): string {
  const left = cutOut(reading.text, taken)
  const [, afterColon] = /^[^:]*[\p{L}]:\s+(\S.*)$/u.exec(left) ?? []
  const edits = tool.worksOn !== undefined
  const body = afterColon ?? (edits ? keptCommand(left, tool) : withoutCommand(left, tool))
  return trim(withoutAsked(left, withoutTail(edits ? body : withoutHead(body, tool), tool), tool))
}

// "What does ubiquitous mean?": the verb after the subject belongs to the tool.
function withoutAsked(question: string, text: string, tool: PlannerTool): string {
  if (!/^(?:what|how)\s+(?:do|does|did)\b/i.test(question)) return text
  const [, before = '', verb = ''] = /^(.+)\s(\p{L}+)$/u.exec(text) ?? []
  return verb !== '' && isAboutTool(verb, tool) ? before : text
}

function cutOut(text: string, taken: readonly Span[]): string {
  const ordered = [...taken].sort((one, other) => one.start - other.start)
  let rest = ''
  let at = 0
  for (const { start, end } of ordered) {
    if (start > at) rest += `${text.slice(at, start)} `
    at = Math.max(at, end)
  }
  return (rest + text.slice(at))
    .replace(/\s+/g, ' ')
    .replace(/\s+([,.!?])/g, '$1')
    .trim()
}

const questionHead =
  /^(?:what|who|where|which|how|when)(?:['’]s|\s+(?:is|are|was|were|does|do|did|will|would|can|much|many|about|far|long)(?:\s+(?:is|are|does|do))?)?\s+(?:it\s+)?/i
const wishHead =
  /^i(?:(?:['’]d like|\s+(?:need|want|would like))\s+(?:to\s+)?|(?:['’]ve|\s+have)?\s+(?:just\s+)?(?:had|ate|eaten|drank|bought|did|made)\s+)/i

function withoutCommand(text: string, tool: PlannerTool): string {
  const asked = text.replace(questionHead, '').replace(wishHead, '')
  if (asked !== text && !startsWithVerb(asked, tool)) return asked
  return startsWithVerb(asked, tool)
    ? asked.replace(/^\S+\s*/, '').replace(/^(?:(?:up|for|out|off|on)\s+)?(?:(?:me|us)\s+)?(?:for\s+)?/i, '')
    : asked
}

// "Add a balloon" instructs an editing tool; only its own name ("edit ...") adds nothing.
function keptCommand(text: string, tool: PlannerTool): string {
  const [first = ''] = text.split(/\s/, 1)
  if (tool.nameConcepts.has(toConcept(first))) return withoutHead(withoutCommand(text, tool), tool)
  return actionsOf(first).size > 0 ? first.toLowerCase() + text.slice(first.length) : text
}

function startsWithVerb(text: string, tool: PlannerTool): boolean {
  const [first = ''] = /^[\p{L}]+/u.exec(text) ?? []
  return (
    actionsOf(first).size > 0 ||
    (!stopWords.has(first.toLowerCase()) && tool.nameConcepts.has(toConcept(first)))
  )
}

// "a picture of", "the web for", "a task to": names the tool's own product before the subject.
function withoutHead(text: string, tool: PlannerTool): string {
  for (const match of text.matchAll(tool.makes ? aboutPicture : aboutAnything)) {
    const head = text.slice(0, match.index).match(/[\p{L}'’-]+/gu) ?? []
    if (head.length > 6) break
    if (isAboutTool(head.at(-1) ?? '', tool)) return text.slice(match.index + match[0].length)
  }
  return text
}

// A picture is of something; "on" and "by" belong to the subject: "a painting by the sea".
const aboutPicture = /\b(?:of|showing|about|so that|such that)\s+/gi
const aboutAnything = /\b(?:of|for|about|to|on|regarding|showing|saying|that says)\s+/gi

const tail =
  /\s+(?:in|on|to|from|into|of|with|using|by)\s+(?:(?:the|my|this|that|our|a|an|its)\s+)?([^,.:;]{1,40})$/i
const courtesyTail = /(?:[\s,]+(?:aloud|out loud|please|for me|to me|right now))+$/i

// "to the drawing", "in my calendar": names the tool's own product after the subject.
function withoutTail(text: string, tool: PlannerTool): string {
  const polite = text.replace(/[\s.!?]+$/, '').replace(courtesyTail, '')
  const lastPreposition = [...polite.matchAll(/\s(?=(?:in|on|to|from|into|of|with|using|by)\s)/gi)].at(-1)
  const [, object = ''] = tail.exec(polite.slice(lastPreposition?.index ?? polite.length)) ?? []
  const words = object.match(/[\p{L}'’-]+/gu) ?? []
  const names = words.length > 0 && words.every((word) => isAboutTool(word, tool) || reference.test(word))
  return names ? withoutTail(polite.slice(0, lastPreposition?.index), tool) : polite
}

const reference = /^(?:it|them|attached|uploaded|result|same|last|first|second|third|fourth|fifth|ones?)$/i

function isAboutTool(word: string, tool: PlannerTool): boolean {
  return [...toConcepts(word)].some(
    (concept) => tool.nameConcepts.has(concept) || tool.textConcepts.has(concept),
  )
}

function trim(text: string): string {
  return text
    .replace(/^[\s,;:.!?-]+|[\s,;:.!?-]+$/g, '')
    .replace(/(?:[\s,]+\b(?:and|with|for|to|of|in|on|at|by|that|which|is|are|from|show|give|like)\b)+$/i, '')
    .replace(/^(?:(?:about|that|for|of|to)\s+)+/i, '')
    .trim()
}
