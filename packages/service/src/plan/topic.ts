import type { PlannerTool } from './planner-tool.js'
import { toConcept, toConcepts } from './words.js'

/** What a clause speaks of when it says "it": what was asked for before and what came out. */
export interface Topic {
  /** May be empty, when it was itself only an "it". */
  readonly subject: string
  /** The concepts by which a clause may call it: those of its subject and its tool. */
  readonly known: ReadonlySet<string>
  readonly result: string
}

/** Writes out what a phrase refers to: "it" becomes the subject before it, followed by what came out. */
export function withTopic(phrase: string, topic: Topic, tool: PlannerTool): string {
  const own = [...toConcepts(phrase.replace(filler, ' '))]
  const nothingNew = own.every((concept) => topic.known.has(concept))
  const text = nothingNew ? topic.subject : inPlace(phrase, topic)
  const whole = [text, topic.result].filter((part) => part !== '').join(': ')
  return tool.makes === 'audio' ? toSentence(whole) : whole
}

// "A house in that weather", "a map of it".
function inPlace(phrase: string, { subject, known }: Topic): string {
  const named = [...phrase.matchAll(/\b(?:this|that|these|those)\s+(\p{L}+)/giu)].find(([, noun = '']) =>
    known.has(toConcept(noun)),
  )
  return phrase.replace(named?.[0] ?? pronoun, () => subject)
}

const pronoun = /\b(?:it|them|both|all of them|this|that|the (?:result|answer|output)s?)\b/i
const filler =
  /\b(?:short|brief|one|sentence|line|summary|words?|something|about|results?|answers?|output|picture|image|drawing|it|them|both|all|each|this|that)\b/gi

function toSentence(text: string): string {
  const sentence = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}
