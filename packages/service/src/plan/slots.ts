import { isRecord } from '../record.js'
import type { Choice } from './choices.js'
import { toChoices } from './choices.js'
import type { JsonSchema } from './json-schema.js'
import { narrow } from './json-schema.js'
import type { SlotKind } from './slot-kind.js'
import { toKind } from './slot-kind.js'
import { splitName, toConcepts } from './words.js'

/** One parameter of a tool, as the planner sees it. */
export interface Slot {
  readonly name: string
  readonly kind: SlotKind
  readonly required: boolean
  readonly nullable: boolean
  readonly schema: JsonSchema
  /** The name in lower-case words. */
  readonly words: string
  readonly nameConcepts: ReadonlySet<string>
  readonly textConcepts: ReadonlySet<string>
  /** The values it is limited to; none when it is not. */
  readonly choices: readonly Choice[]
  /** Which end of a "from ... to ..." it is. */
  readonly role: 'from' | 'to' | undefined
  /** The parameters of an object, or the one kind of item of a list. */
  readonly inner: readonly Slot[]
}

/** The parameters of an object schema as slots, in the schema's order. */
export function toSlots(schema: JsonSchema, root: JsonSchema = schema, depth = 0): Slot[] {
  const required = Array.isArray(schema.required) ? schema.required : []
  const properties = isRecord(schema.properties) ? Object.entries(schema.properties) : []
  return properties.map(([name, property]) =>
    toSlot(name, property, { root, depth, required: required.includes(name) }),
  )
}

interface Place {
  readonly root: JsonSchema
  readonly depth: number
  readonly required: boolean
}

function toSlot(name: string, property: unknown, { root, depth, required }: Place): Slot {
  const { schema, nullable } = narrow(property, root)
  const words = splitName(name).toLowerCase()
  const description = typeof schema.description === 'string' ? schema.description : ''
  const kind = toKind(schema, words, description.toLowerCase())
  const inner = depth < deepest ? toInner(name, kind, { schema, root, depth: depth + 1 }) : []
  const concepts = {
    nameConcepts: toConcepts(name),
    textConcepts: toConcepts(description),
    choices: toChoices(schema),
  }
  return { name, kind, required, nullable, schema, words, ...concepts, role: toRole(words), inner }
}

// A schema may hold itself; nobody says an object within an object within an object in one sentence.
const deepest = 2

interface Inside {
  readonly schema: JsonSchema
  readonly root: JsonSchema
  readonly depth: number
}

function toInner(name: string, kind: SlotKind, { schema, root, depth }: Inside): Slot[] {
  if (kind === 'object') return toSlots(schema, root, depth)
  return kind === 'list' ? [toSlot(name, schema.items, { root, depth, required: true })] : []
}

function toRole(words: string): Slot['role'] {
  if (/\b(?:from|origin|source|departure|start|base)\b/.test(words)) return 'from'
  return /\b(?:to|into|destination|target|arrival)\b/.test(words) ? 'to' : undefined
}
