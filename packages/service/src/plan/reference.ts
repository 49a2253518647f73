import type { PlannerTool } from './planner-tool.js'
import type { Reading } from './read-clause.js'
import type { Task } from './task.js'
import { toConcept } from './words.js'

/** Whether a clause speaks of something at hand: "it", "the drawing", "that image", "the attached picture", an id. */
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

/** The one of several things that "the second one" means, counted from 0, -1 the last; nothing without such words. */
export function ordinalOf(masked: string): number | undefined {
  const [, word = ''] = ordinal.exec(masked) ?? []
  if (word === '') return undefined
  return /^last$/i.test(word) ? -1 : ordinals.findIndex((names) => names.includes(word.toLowerCase()))
}

/** The earlier task whose product a clause uses, by index; nothing when it stands alone or means an attachment. */
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
  if (!isPronominal(masked) && !resultNoun.test(masked)) return undefined
  return (all.findLast(({ task }) => !task.tool.makes) ?? all.at(-1))?.index
}

/** Whether a clause says "it" or the like and means something. "Is it raining" means nothing by it. */
export function isPronominal(masked: string): boolean {
  return pronoun.test(masked.replace(expletive, ' '))
}

/** The concepts a clause speaks of as known: "the weather", "that house". */
export function toDefiniteNouns(masked: string): string[] {
  return [...masked.matchAll(/\b(?:the|that|this|those|these)\s+(\p{L}+)/giu)].map(([, noun = '']) =>
    toConcept(noun),
  )
}

/** Whether a clause speaks of what came along with the request. */
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

// "Read the weather aloud": a noun that is not the tool's own business and was spoken of before.
function named(masked: string, tool: PlannerTool, among: readonly Placed[]): Placed | undefined {
  const nouns = toDefiniteNouns(masked)
  const foreign = nouns.filter((noun) => !tool.nameConcepts.has(noun) && !tool.textConcepts.has(noun))
  return among.findLast(({ task }) => {
    return foreign.some((noun) => task.reading.concepts.has(noun) || task.tool.nameConcepts.has(noun))
  })
}
