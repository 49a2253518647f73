import { findArithmetic } from './arithmetic.js'
import { maskQuotes, quoteMark } from './spans.js'
import { actionsOf, isCommand, isUnforeseenCommand, toConcept, toConcepts } from './words.js'

/** One action that the user requests. */
export interface Clause {
  readonly text: string
  /** The index of the clause that "then" puts before this one. */
  readonly after: number | undefined
}

/** The words of the offered tools that mark the start of a clause. */
export interface Vocabulary {
  /** First words of tool names, such as "archive". */
  readonly verbs: ReadonlySet<string>
  /** Concepts of the tools' subjects, such as "weather". */
  readonly nouns: ReadonlySet<string>
}

/**
 * Splits a request into clauses: at sentence ends, at "then", and before a command. Quotations stay whole.
 */
export function toClauses(request: string, vocabulary: Vocabulary): Clause[] {
  const clauses: Clause[] = []
  for (const sentence of toSentences(request)) {
    let after: number | undefined
    for (const { text, isSequel } of toParts(sentence, vocabulary).flatMap(toGapped)) {
      if (ability.test(text.replace(/^[\s,]+|[\s,.!?]+$/g, ''))) continue
      const plain = text
        .replace(bullet, '')
        .replace(courtesy, '')
        .replace(/^(?:[\s,:;]|-(?!\d))+|[\s,;:.!?]+$/g, '')
      const isNumber = /^\W*\d[\d.,]*\W*$/.test(plain) && sentence === request
      if (!(isNumber || /\p{L}|\d\D/u.test(plain)) || refusal.test(plain)) continue
      if (isSequel && clauses.length > 0) after = clauses.length - 1
      const last = clauses.at(-1)
      const sum = last && operation.test(plain) ? findArithmetic(last.text) : undefined
      if (last && sum) clauses[clauses.length - 1] = { ...last, text: `(${sum.expression}) ${plain}` }
      else if (last && amendment.test(plain))
        clauses[clauses.length - 1] = { ...last, text: `${last.text}. ${plain}` }
      else clauses.push({ text: plain, after })
    }
  }
  return clauses.slice(0, maxClauses)
}

// Limits the work of a hostile request.
const maxClauses = 40

const bullet = /^\s*(?:[-*•]|\d+[.)])\s+/
const courtesy =
  /^(?:(?:please|kindly|now|first(?:ly)?|also|and|but|so|ok|okay|hey|hi|hello|(?:could|can|would|will) you|i(?:'d| would) like (?:you )?to|i want (?:you )?to|i need (?:you )?to|let's)\b[\s,]*)+/i
const refusal = /^(?:don['’]?t|do not|never|no need to|without)\b/i
// "Can you draw?", "Do you speak French?": questions about abilities, not requests.
const ability =
  /^(?:(?:can|could|do|will) you (?:also )?\w+(?: (?:french|german|spanish|english|italian|[a-z]+ese|russian|polish|images?|pictures?|audio|emails?))?|(?:are|were) you (?:able|allowed) to\b.*)$/i
// "It should be blue": adds to the previous clause.
const amendment = /^(?:it|they) (?:should|must|needs? to|has to|have to)\b/i
// "And then times 3": continues the previous sum.
const operation = /^(?:plus|minus|times|divided by|multiplied by) -?\d/i
const abbreviation = /\b(?:dr|mr|mrs|ms|st|vs|approx|e\.g|i\.e)$/i
// "1." at the beginning of a line.
const enumeration = /(?:^|\n)\s*\d+$/

function toSentences(request: string): string[] {
  const masked = maskQuotes(request)
  const cuts = [...masked.matchAll(/[.!?;]+(?=\s|$)|\n+/g)]
    .filter((match) => match[0] !== '.' || !isAbbreviated(masked.slice(0, match.index)))
    .filter((match) => masked[match.index - 1] !== ':' || masked[match.index + match[0].length] !== quoteMark)
    .map((match) => match.index + match[0].length)
  return cut(request, cuts)
}

function isAbbreviated(before: string): boolean {
  return abbreviation.test(before.slice(-8)) || enumeration.test(before)
}

function toParts(sentence: string, vocabulary: Vocabulary): Part[] {
  const masked = maskQuotes(sentence)
  const joints = [...masked.matchAll(joint)].filter((match) => {
    const from = match.index + match[0].length
    const rest = masked.slice(from, from + glance)
    if (sequel.test(match[0]) || isCommand(rest, vocabulary.verbs)) return true
    const before = masked.slice(Math.max(0, match.index - glance), match.index)
    if (isUnforeseenCommand(rest, before) || isConversion(rest, before)) return true
    if (!/\b(?:and|but)\b/i.test(match[0])) return /^(?:what|how)\b/i.test(rest)
    return question.test(rest) || isNextTopic(rest, before, vocabulary)
  })
  return cut(
    sentence,
    joints.map((match) => match.index),
  ).map((part) => {
    const [lead = ''] = opening.exec(part) ?? []
    return { text: part.slice(lead.length), isSequel: sequel.test(lead) }
  })
}

// The number of characters that show how a clause begins. Limits the work of a hostile request.
const glance = 200

// "What is the weather in Paris, and the time in Tokyo": questions for two tools.
function isNextTopic(rest: string, before: string, { nouns }: Vocabulary): boolean {
  const [, noun = ''] = /^(?:the|my)\s+(\p{L}+)/u.exec(rest) ?? []
  const next = toConcept(noun)
  const [verb = ''] = /\p{L}+/u.exec(before) ?? []
  const asked = [...toConcepts(before)].some((concept) => concept !== next && nouns.has(concept))
  return (
    asked &&
    (nouns.has(next) || namedTopic.test(rest)) &&
    (actionsOf(verb).has('read') || nouns.has(toConcept(verb)))
  )
}

const namedTopic = /^(?:the|my)\s+\p{L}+\s+(?:in|at|of|for)\s+\p{Lu}/u

// A possible start of a clause, with its conjunction.
const joint =
  /[,;]?\s+(?:(?:and|but)\s+)?(?:also\s+)?(?:then|after that|afterwards|finally)\b[\s,]*|[,;]?\s+(?:and|but)\s+(?:also\s+)?|[,;]\s+(?:also\s+)?/gi
const opening =
  /^[\s,;]*(?:(?:and|but)\b\s*)?(?:also\b\s*)?(?:(?:then|after that|afterwards|finally|next)\b[\s,]*)?/i
const sequel = /\b(?:then|after that|afterwards|finally|next)\b/i
const question = /^(?:what|what's|how|who|who's|when|where|which|is it|is there|are there)\b/i

function cut(text: string, at: readonly number[]): string[] {
  return [...at, text.length].map((end, index) => text.slice(at[index - 1] ?? 0, end))
}

/** A part of a sentence, and whether "then" precedes it. */
interface Part {
  readonly text: string
  readonly isSequel: boolean
}

/**
 * Repeats the verb in elliptic parts: "Convert 12 inches to cm and 3 feet to m", "What is 3 + 4 and 5 * 6".
 */
function toGapped(part: Part): Part[] {
  const [verb = ''] = /^\s*\p{L}+/u.exec(part.text) ?? []
  const halves = part.text.split(gap)
  const isGapped = halves.length > 1 && halves.every((half) => measure.test(half))
  if (!isGapped) return [part]
  return halves.map((half, index) => ({ ...part, text: index > 0 ? `${verb} ${half}` : half }))
}

/**
 * Whether a conversion such as "5 miles in km" starts a new request. It does not when it shares the previous
 * verb.
 */
function isConversion(rest: string, before: string): boolean {
  return conversion.test(rest) && !measure.test(before.trimEnd())
}

const conversion = /^-?\d[\d.,]*\s?°?\p{L}+ (?:to|into|in) °?\p{L}+\W*$/u

const gap = /,?\s+and\s+(?=\d)|,\s+(?=\d)/
const measure =
  /^(?:\D{0,40}\s)?-?\d[\d.,]*\s?(?:°?\p{L}+ (?:to|into|in) °?\p{L}+|(?:plus|minus|times|over|divided by|multiplied by|[-+*/x×÷]) \d[\d.,]*|%|percent of \d[\d.,]*)\W*$/u
