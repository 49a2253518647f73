import type { PlannerTool } from './planner-tool.js'
import type { Span } from './read-clause.js'
import type { Scene } from './scene.js'
import { stopWords } from './synonyms.js'
import { actionsOf } from './verbs.js'
import { toConcept, toConcepts } from './words.js'

/** What a clause is about: its words without the question or command they stand in. */
export function toSubject(text: string, tool: PlannerTool): string {
  // "Find out what the weather is in Oslo" is about the weather in Oslo.
  const asked = withoutCommand(text, tool).replace(
    /^(?:what|who|where|how|which)\s+(.+?)\s+(?:is|are)\b/i,
    '$1',
  )
  return trim(asked)
}

/** What is left of a clause for a free text: without the command, what other slots took, and words about the tool itself. */
export function toRemainder({ reading, taken, tool }: Scene): string {
  const left = cutOut(reading.text, taken)
  const [, afterColon] = /^[^:]*[\p{L}]:\s+(\S.*)$/u.exec(left) ?? []
  const edits = tool.worksOn !== undefined
  const body = afterColon ?? (edits ? keptCommand(left, tool) : withoutCommand(left, tool))
  return trim(withoutAsked(left, withoutTail(edits ? body : withoutHead(body, tool), tool), tool))
}

// "What does ubiquitous mean?": the verb behind the subject is the tool's business.
function withoutAsked(question: string, text: string, tool: PlannerTool): string {
  if (!/^(?:what|how)\s+(?:do|does|did)\b/i.test(question)) return text
  const [, before = '', verb = ''] = /^(.+)\s(\p{L}+)$/u.exec(text) ?? []
  return verb !== '' && isAboutTool(verb, tool) ? before : text
}

/** Whether a text says nothing but what the tool is about: "an email" says nothing to an e-mail tool. */
export function namesToolOnly(text: string, tool: PlannerTool): boolean {
  const words = text.match(/[\p{L}\p{N}'’]+/gu) ?? []
  const isOwn = (word: string) => [...toConcepts(word)].every((concept) => tool.nameConcepts.has(concept))
  return tool.makes === undefined && words.length > 0 && words.length <= 4 && words.every(isOwn)
}

/** The words of a clause that neither name the tool nor are said in every sentence. */
export function withoutToolWords({ reading, taken, tool }: Scene): string {
  const words = cutOut(reading.masked, taken).match(/[\p{L}'’-]+/gu) ?? []
  const said = words.filter((word) => !stopWords.has(word.toLowerCase()) && actionsOf(word).size === 0)
  return said.filter((word) => !isAboutTool(word, tool)).join(' ')
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

// "Add a balloon" tells an editing tool what to do; only its own name ("edit ...") says nothing more.
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

// "a picture of", "the web for", "a task to": names the tool's own business, then the subject follows.
function withoutHead(text: string, tool: PlannerTool): string {
  for (const match of text.matchAll(tool.makes ? aboutPicture : aboutAnything)) {
    const head = text.slice(0, match.index).match(/[\p{L}'’-]+/gu) ?? []
    if (head.length > 6) break
    if (isAboutTool(head.at(-1) ?? '', tool)) return text.slice(match.index + match[0].length)
  }
  return text
}

// A picture is of something; what it is on or by belongs to the picture: "a painting by the sea".
const aboutPicture = /\b(?:of|showing|about|so that|such that)\s+/gi
const aboutAnything = /\b(?:of|for|about|to|on|regarding|showing|saying|that says)\s+/gi

const tail =
  /\s+(?:in|on|to|from|into|of|with|using|by)\s+(?:(?:the|my|this|that|our|a|an|its)\s+)?([^,.:;]{1,40})$/i
const courtesyTail = /(?:[\s,]+(?:aloud|out loud|please|for me|to me|right now))+$/i

// "to the drawing", "in my calendar": names the tool's own business behind the subject.
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
