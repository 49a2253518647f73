import { answerName, moodOf } from './accounting.js'
import { type Filled, fillArguments } from './fill-arguments.js'
import type { FillContext } from './fill-context.js'
import { choiceMentions } from './mentions.js'
import { type PlannerTool, speaksOf } from './planner-tool.js'
import { refersToArtifact } from './references.js'
import { actionsOf, isLightVerb, isRelated, toConcept, weightOf } from './words.js'

export const minimumFit = 2.2

/**
 * Scores the tools for one clause by shared words, values and kind of action. Fills in only the best ones. `fit` is
 * absolute, and `rank` is relative to the other offered tools.
 */
export function scoreTools(contexts: readonly FillContext[], shareOf: (concept: string) => number) {
  const glances = contexts.map((context) => ({ context, glance: toGlance(context, shareOf) }))
  const eligible = glances.filter(
    ({ context, glance }) =>
      glance.spoken >= 1 || glance.calculates || glance.handling > 0 || showsValues(context),
  )
  const filled = eligible
    .sort((one, other) => promise(other.glance) - promise(one.glance))
    .slice(0, mostFilled)
  return glances.map((one) => ({
    tool: one.context.tool,
    ...(filled.includes(one) ? toScore(one.context, one.glance) : noScore),
  }))
}

// Filling the parameters of a tool takes most of the time of a reply.
const mostFilled = 10

/** The words that a clause and a tool share, before the parameters are filled. */
type Glance = ReturnType<typeof toGlance>

function toGlance(context: FillContext, shareOf: (concept: string) => number) {
  const { tool, reading, operands } = context
  const words = [...reading.concepts].map((concept) => ({
    weight: wordWeight(tool, concept),
    own: ownWeight(tool, concept),
    share: shareOf(concept),
  }))
  const agreement = Math.max(answerName.test(tool.name) ? 0 : Number.NEGATIVE_INFINITY, agreementOf(context))
  return {
    spoken: words.reduce((sum, { weight }) => sum + weight, 0),
    // The part of `spoken` that comes from the tool's own words, without synonyms.
    direct: words.reduce((sum, { own }) => sum + own, 0),
    ranked: words.reduce((sum, { weight, share }) => sum + weight * share, 0),
    calculates: [...operands.values()].some((value) => value !== undefined),
    agreement,
    handling: handlingOf(context, agreement),
    // Whether a code in the clause has the form that a parameter requires.
    isFormed: showsCode(context),
  }
}

function showsCode({ tool, reading }: FillContext): boolean {
  return tool.slots.some(
    ({ kind, schema, forms, accepts, prefixes }) =>
      kind === 'code' &&
      (schema.pattern !== undefined || forms.length > 0) &&
      reading.tokens.some(({ value }) =>
        prefixes.length > 0
          ? prefixes.some(
              (prefix) =>
                value.toUpperCase().startsWith(prefix) &&
                /\d/.test(value.charAt(prefix.length) + value.charAt(prefix.length + 1)),
            )
          : accepts(value) && (forms.length === 0 || forms.some((form) => form.test(value))),
      ),
  )
}

function promise({ ranked, agreement, isFormed }: Glance): number {
  return ranked + agreement + (isFormed ? 2.5 : 0)
}

const noScore = { fit: 0, rank: 0, filled: undefined }

function toScore(context: FillContext, glance: Glance) {
  const { spoken, ranked, calculates, agreement, handling } = glance
  const { tool, reading } = context
  const filled = fillArguments(tool.slots, context)
  if (isFarFetched(glance, filled)) return noScore
  const isQuestion = /^(?:who|what|when|where|which|how)\b/i.test(reading.masked)
  const isSure = filled.guesses === 0 && filled.doubts.length === 0
  const isVague = filled.guesses > 0 || filled.evidence < 2
  if (isVague && filled.hardEvidence < 2 && moodOf(reading) === 'statement' && !isNamed(context))
    return noScore
  const hints =
    (filled.hardEvidence >= 2 && isSure) ||
    (filled.evidence >= 1.5 && agreement > 0 && !isQuestion) ||
    (isSure && filled.missing.length === 0 && filled.evidence >= 2.5)
  if (spoken < 1 && !hints && !calculates && handling <= 0) return noScore
  const isTold = tool.slots.some(({ kind, name }) => kind === 'text' && filled.given.has(name))
  const beside = filled.evidence + (isTold ? 1 : 0) + handling + agreement + (calculates ? 4 : 0)
  // Missing values can be requested, but a tool without missing values ranks first.
  const lack = filled.missing.length
  const strange = Math.min(filled.unused, 4)
  const fit = spoken + beside - Math.min(lack, 1) - strange * 0.3
  return { fit, rank: ranked + beside - (lack > 0 ? 1.5 + 0.5 * lack : 0) - strange * 0.7, filled }
}

/** Returns how rare a concept is in the tools' names, or else in their descriptions: 1 if only one contains it. */
export function toRarity(tools: readonly PlannerTool[]): (concept: string) => number {
  const shares = new Map<string, number>()
  const shareOf = (concept: string) => {
    const named = tools.filter(({ nameConcepts }) => nameConcepts.has(concept)).length
    const told = tools.filter(({ textConcepts }) => textConcepts.has(concept)).length
    return 1 / Math.sqrt(Math.max(1, named || told))
  }
  return (concept) => {
    const share = shares.get(concept) ?? shareOf(concept)
    shares.set(concept, share)
    return share
  }
}

// "Do my homework" adds no task: a related word and free text are too little for a tool with a different action,
// or for one that lacks a value.
function isFarFetched({ direct, agreement, calculates }: Glance, filled: Filled): boolean {
  const isText = filled.given.size > 0 && filled.evidence < 1 && filled.personal.length === 0
  if (direct >= 1 || calculates || !isText) return false
  return agreement <= 0 || filled.missing.length > 0
}

function ownWeight({ nameConcepts, textConcepts }: PlannerTool, concept: string): number {
  return (nameConcepts.has(concept) ? 3 : textConcepts.has(concept) ? 1.5 : 0) * weightOf(concept)
}

function wordWeight(tool: PlannerTool, concept: string): number {
  const importance = weightOf(concept)
  const own = ownWeight(tool, concept)
  if (own > 0) return own
  const near = isRelated(concept, tool.nameGroups) ? 2.1 : isRelated(concept, tool.textGroups) ? 1.05 : 0
  if (near > 0) return near * importance
  const slot = tool.slots.find(
    ({ nameConcepts, textConcepts }) => nameConcepts.has(concept) || textConcepts.has(concept),
  )
  if (slot) return (slot.nameConcepts.has(concept) ? 1 : 0.6) * importance
  const isValue = tool.slots.some(({ choices }) => choices.some(({ concepts }) => concepts.has(concept)))
  return isValue ? 1.2 * importance : 0
}

// Whether the clause contains an address, an enum value or a code in the form that a parameter takes.
function showsValues({ tool, reading }: FillContext): boolean {
  const { emails, phones, urls } = reading
  const found: Partial<Record<string, readonly unknown[]>> = { email: emails, phone: phones, url: urls }
  return tool.slots.some((slot) => {
    const { kind, forms, schema, inner } = slot
    if (kind === 'choice') return choiceMentions(slot, reading).length > 0
    const isFormed = forms.length > 0 || schema.pattern !== undefined
    return (
      isFormed || inner.length > 0 || /^(?:currency|language)$/.test(kind) || (found[kind]?.length ?? 0) > 0
    )
  })
}

// A tool that works on an image or a recording needs one that the clause mentions or clearly means.
function handlingOf({ tool, reading, artifacts, inHand }: FillContext, agreement: number): number {
  if (!tool.worksOn) return 0
  const exists = artifacts.length > 0 || reading.artifacts.length > 0
  if (exists && refersToArtifact(reading)) return 2
  return inHand && agreement > 0 ? 1.5 : -2
}

// "Delete the note" does not fit a tool that creates notes, and a question fits none that changes something.
function agreementOf({ tool, reading }: FillContext): number {
  const { verb } = reading
  const asked = [...actionsOf(verb)]
  const changes = tool.actions.size > 0 && !tool.actions.has('read') && !tool.actions.has('interpret')
  const mood = moodOf(reading)
  if (mood === 'question') return changes ? -2.5 : 0.5
  if (mood === 'statement') return tool.actions.has('read') ? -2 : changes ? 0.5 : 0
  if (asked.length === 0 || tool.actions.size === 0) return 0
  const concept = toConcept(verb)
  const isNear = speaksOf(tool, concept)
  if (asked.some((action) => tool.actions.has(action)))
    return isNear ? 0.8 : changes && !isLightVerb(verb) ? -0.7 : 0.5
  return isNear && !isLightVerb(verb) ? 0 : -2.5
}

// Whether a word in the clause is one of the tool's, not only a parameter's.
function isNamed({ tool, reading }: FillContext): boolean {
  return [...reading.concepts].some(
    (concept) =>
      weightOf(concept) === 1 && !tool.slots.some(({ core }) => core.has(concept)) && speaksOf(tool, concept),
  )
}
