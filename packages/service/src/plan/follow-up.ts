import type { Clause } from './clauses.js'
import { fillArguments } from './fill-arguments.js'
import type { Filled } from './filled.js'
import type { PlannerTool } from './planner-tool.js'
import type { Reading } from './read-clause.js'
import { toScene } from './scene.js'
import { stopWords } from './synonyms.js'
import type { Task } from './task.js'
import type { EarlierTurn } from './turn.js'
import { actionsOf } from './verbs.js'

/** What a follow-up such as "and in Rome?" is read from. */
export interface FollowUp {
  readonly clause: Clause
  readonly reading: Reading
  readonly tools: readonly PlannerTool[]
  readonly earlier: EarlierTurn | undefined
}

/** A clause with no tool of its own as a change to the last call: "and in Rome?", "only the shipped ones". */
export function toFollowUp({ clause, reading, tools, earlier }: FollowUp): Task | undefined {
  if (!isFragment(clause.text)) return undefined
  for (const call of [...(earlier?.calls ?? [])].reverse()) {
    const tool = tools.find(({ name }) => name === call.name)
    if (!tool) continue
    const filled = fillArguments(tool.slots, toScene(tool, reading, []))
    const changes = [...filled.given].some((name) => isChange(name, tool, filled))
    if (changes) return { clause, reading, tool, base: call.arguments, source: undefined, after: undefined }
  }
  return undefined
}

/** "Another one", said of a tool that was just used: the same again. */
export function toRepeat(tool: PlannerTool, { masked }: Reading, earlier: EarlierTurn | undefined) {
  const said = (masked.match(/[\p{L}'’]+/gu) ?? []).filter((word) => actionsOf(word).size === 0)
  const isAgain =
    again.test(masked) && said.every((word) => again.test(word) || stopWords.has(word.toLowerCase()))
  return isAgain ? earlier?.calls.findLast(({ name }) => name === tool.name)?.arguments : undefined
}

/** Whether a parameter's value is something the fragment says, and not merely the words it is made of. */
export function isChange(name: string, { slots }: PlannerTool, { given }: Filled): boolean {
  return given.has(name) && slots.some((slot) => slot.name === name && slot.kind !== 'text')
}

const again = /\b(?:another|again|once|more|same)\b/i

// Said to somebody, or whole sentences: nothing that a call could be changed by.
const remark =
  /^(?:thanks?|thank|great|nice|good|cool|perfect|ok|okay|yes|no|sure|well|hello|hi|hey|bye|sorry|i|you|it|that|this|he|she|they|we|why|who|how|what)\b/i

function isFragment(text: string): boolean {
  const words = text.replace(lead, '').split(/\s+/)
  return words.length <= 10 && !remark.test(words.join(' ')) && actionsOf(words[0] ?? '').size === 0
}

const lead = /^(?:what about|how about|what of|and|or|only|just|but)\s+/i
