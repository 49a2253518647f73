import type { JsonSchema } from './json-schema.js'
import { type Slot, toSlots } from './slots.js'
import { type Action, actionsOf, groupsOf, splitName, toConcept, toConcepts, weightOf } from './words.js'

/** A function tool of the request. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  /** A JSON Schema of type `object`. */
  readonly parameters: JsonSchema
}

/** A tool, analysed for the planner: its subject, its action, its parameters. */
export interface PlannerTool {
  readonly name: string
  readonly nameConcepts: ReadonlySet<string>
  readonly textConcepts: ReadonlySet<string>
  /** The groups of the thesaurus of its name and of its description. */
  readonly nameGroups: ReadonlySet<number>
  readonly textGroups: ReadonlySet<number>
  readonly actions: ReadonlySet<Action>
  /** The letters that begin the ids of all offered tools. */
  readonly prefixes: ReadonlySet<string>
  readonly slots: readonly Slot[]
  /** The required artifact parameter. */
  readonly worksOn: Slot | undefined
  /** The kind of artifact that it makes, judged by its words. */
  readonly makes: ArtifactKind | undefined
}

/** Analyses the definition of a tool. Clients repeat their tools with each request, so the last are kept. */
export function toPlannerTool(definition: ToolDefinition): PlannerTool {
  const { name, description, parameters } = definition
  const key = JSON.stringify([name, description, parameters])
  const known = analysed.get(key)
  if (known) return known
  if (analysed.size >= mostAnalysed) analysed.clear()
  const tool = analyse(definition)
  if (key.length <= longestKept) analysed.set(key, tool)
  return tool
}

/** Analyses all tools that a request offers. */
export function toPlannerTools(definitions: readonly ToolDefinition[]): PlannerTool[] {
  const tools = definitions.map(toPlannerTool)
  const prefixes = new Set(tools.flatMap(({ slots }) => slots.flatMap((slot) => slot.prefixes)))
  return prefixes.size > 0 ? tools.map((tool) => ({ ...tool, prefixes })) : tools
}

const analysed = new Map<string, PlannerTool>()
// Together about the size of one large request.
const mostAnalysed = 256
const longestKept = 4000

function analyse({ name, description, parameters }: ToolDefinition): PlannerTool {
  const words = splitName(name).toLowerCase().split(/\s+/)
  const named = words.map(toolActionsOf).find((actions) => actions.size > 0)
  const described = toolActionsOf(firstWord(description).toLowerCase())
  const actions = named ?? described
  const nameConcepts = toConcepts(name)
  const textConcepts = toConcepts(description)
  const slots = toSlots(parameters)
  return {
    name,
    nameConcepts,
    textConcepts,
    nameGroups: groupsOf([...nameConcepts].filter((one) => weightOf(one) === 1)),
    textGroups: groupsOf([...textConcepts].filter((one) => weightOf(one) === 1)),
    actions,
    prefixes: new Set<string>(),
    slots,
    worksOn: slots.find(({ kind, required }) => kind === 'artifact' && required),
    // "Record the pulse" makes no recording.
    makes: productOf(toConcepts(splitName(name).replace(/^records?\b/i, '')), actions),
  }
}

// "Get me three boxes" may order them, a tool "get_boxes" only reads.
function toolActionsOf(word: string): ReadonlySet<Action> {
  return word === 'get' ? reads : actionsOf(word)
}

const reads: ReadonlySet<Action> = new Set(['read'])

function firstWord(text: string): string {
  return /[a-z]+/i.exec(text)?.[0] ?? ''
}

function productOf(concepts: ReadonlySet<string>, actions: ReadonlySet<Action>): ArtifactKind | undefined {
  return actions.has('interpret') || actions.has('read') ? undefined : kindAmong(concepts)
}

/** The kinds of artifact that the words of a tool or a clause can distinguish. */
type ArtifactKind = 'image' | 'audio'

/** Returns the kind of artifact that some concepts name. */
export function kindAmong(concepts: Iterable<string>): ArtifactKind | undefined {
  for (const concept of concepts) {
    if (imageConcepts.has(concept)) return 'image'
    if (audioConcepts.has(concept)) return 'audio'
  }
  return undefined
}

const imageConcepts = new Set(['image', 'mask'].map(toConcept))
const audioConcepts = new Set(['audio', 'speak'].map(toConcept))
