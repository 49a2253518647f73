import { glance, onceFor, type Reading, type Span } from './clauses.js'
import type { FillContext } from './fill-context.js'
import type { Slot } from './planner-tool.js'
import { actionsOf, findAll, splitName } from './words.js'

/** The words that make a signed change negative: "10 percent cheaper". Undefined if the direction is not clear. */
export function directionOf(slot: Slot, { start }: Span, { reading, tool }: FillContext) {
  const { lower, upper, isUnclear } = wordsIn(reading)
  const plain = { isDown: false, spans: [] }
  if (!isSigned(slot)) {
    if (lower.length + upper.length === 0) return plain
    const [down, up] = [downward, upward].map((way) => splitName(tool.name).search(way) >= 0)
    // "Reduce it by 5" for a tool that raises.
    const isAgainst = down ? !up && lower.length === 0 : up && upper.length === 0
    return isAgainst ? undefined : plain
  }
  const isDown = lower.length > 0 || actionsOf(reading.verb).has('remove')
  if (isUnclear || (isDown && upper.length > 0)) return undefined
  if (/\bto\s+[$€£¥]?$/i.test(reading.masked.slice(0, start))) return plain
  return { isDown, spans: [...lower, ...upper].filter((one) => one.start > 0) }
}

const wordsIn = onceFor(({ masked }: Reading) => {
  const near = masked.slice(0, glance)
  const [lower = [], upper = []] = [downward, upward].map((way) => findAll(near, way, ([word]) => word))
  // "Back by 15 minutes" may mean earlier or later.
  return { lower, upper, isUnclear: /\b(?:back|forward)\b/i.test(near) }
})

const downward =
  /\b(?:(?:cheaper|less|lower|fewer|smaller|shorter|earlier|sooner|slower|colder|cooler)(?! than)|lower(?:ed|ing)|down|minus|reduc(?:e|ed|ing|tion)|cut|decreas(?:e|ed|ing)|drop(?:ped)?|deduct(?:ed)?|subtract(?:ed)?|sold|lost|(?<=(?:%|percent) )off)\b/gi
const upward =
  /\b(?:(?:dearer|more|higher|bigger|larger|longer|later|faster|warmer|pricier)(?! than)|more expensive|up|plus|rais(?:e|ed|ing)|increas(?:e|ed|ing)|add(?:ed)?)\b/gi

// Whether a parameter is a change that may be negative.
export function isSigned({ words, description, accepts }: Slot): boolean {
  return (
    /\b(?:change|delta|adjustment|offset|difference|shift)\b/.test(`${words} ${description}`) && accepts(-1)
  )
}

// "The rate as a decimal, e.g. 0.05 for 5%": a share of 1.
export function isFraction({ words, description, schema }: Slot): boolean {
  const isShown = /(?<!\d)0?\.\d+ ?(?:for|is|means|represents|=) ?\d+ ?(?:%|per ?cent)/.test(description)
  const isTold =
    /\b(?:decimal|fraction)(?!s? (?:places|digits))|\b(?:between 0 and|0 ?(?:-|–|to)) ?1\b(?!\d|\.)/.test(
      description,
    )
  return schema.maximum === 1 || isShown || (isTold && percentNames.test(`${words} ${description}`))
}

export const percentNames =
  /\b(?:percent|percentage|rate|discount|vat|tax|tip|humidity|moisture|brightness|level|volume|share|interest|probability|chance)\b/
