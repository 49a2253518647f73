import { isRecord } from '../json.js'
import { type JsonSchema, narrow } from './json-schema.js'
import { aliasesOf } from './nations.js'
import { splitName, toConcepts } from './words.js'

/** One parameter of a tool, analysed for the planner. */
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
  /** The values of its enum. Empty without one. */
  readonly choices: readonly Choice[]
  /** Its side of a "from ... to ..." pair. */
  readonly role: 'from' | 'to' | undefined
  /** The parameters of an object, or the one item type of a list. */
  readonly inner: readonly Slot[]
}

/** Returns the parameters of an object schema as slots, in the order of the schema. */
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

// A schema may be recursive. One sentence does not describe three nested objects.
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

/** The kind of value that a parameter takes. */
export type SlotKind = (typeof kindsInOrder)[number]

/** The order in which slots choose from a clause: the most specific first, free text last. */
export const kindsInOrder = [
  'const',
  'artifact',
  'email',
  'phone',
  'url',
  'size',
  'expression',
  'choice',
  'flag',
  'code',
  'moment',
  'date',
  'time',
  'number',
  'currency',
  'language',
  'symbol',
  'list',
  'person',
  'place',
  'path',
  'object',
  'text',
] as const

/** Classifies a parameter by its schema, its name and its description, both in lower case. */
function toKind(schema: JsonSchema, words: string, description: string): SlotKind {
  if ('const' in schema) return 'const'
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return 'choice'
  switch (schema.type) {
    case 'boolean':
      return 'flag'
    case 'number':
    case 'integer':
      return 'number'
    case 'array':
      return 'list'
    case 'object':
      return 'object'
    default:
      if (isRecord(schema.properties)) return 'object'
      return kindByFormat.get(schema.format) ?? kindByWords(words, description)
  }
}

const kindByFormat = new Map<unknown, SlotKind>([
  ['email', 'email'],
  ['uri', 'url'],
  ['url', 'url'],
  ['date', 'date'],
  ['time', 'time'],
  ['date-time', 'moment'],
])

function kindByWords(words: string, description: string): SlotKind {
  const hit = signs.find(([, name, text]) => name.test(words) && (!text || text.test(description)))
  return hit ? hit[0] : 'text'
}

// The first row decides whose patterns match the parameter's name (and description, where there is one).
const signs: readonly (readonly [SlotKind, RegExp, RegExp?])[] = [
  ['artifact', /^(?!prompt|text|input|query|voice)/, /\bartifact\b/],
  ['email', /\be ?mail\b/],
  ['email', /\b(?:to|recipient|from|cc|bcc|address)\b/, /\be-?mail\b/],
  ['phone', /\b(?:phone|mobile|telephone)\b/],
  ['url', /\b(?:url|uri|link|website|href)\b/],
  ['path', /\b(?:path|filename|file name|folder|directory|repo|repository)\b/],
  [
    'artifact',
    /^(?:(?:input|source|base|original) )?(?:image|picture|photo|mask|audio|recording|file|artifact)(?: id| file)?$/,
  ],
  ['size', /\b(?:size|dimensions|resolution)\b/, /\bx\b|\d+x\d+|width/],
  ['expression', /\b(?:expression|formula|equation|calculation)\b/],
  ['currency', /\bcurrency\b/],
  ['currency', /./, /\bcurrency\b/],
  ['language', /\b(?:language|lang|locale)\b/],
  ['language', /\b(?:to|from|target|source)\b/, /\blanguage\b/],
  ['moment', /\b(?:datetime|timestamp|when)\b/, /\biso\b|rfc ?3339/],
  ['date', /\b(?:date|day|due|deadline|birthday)\b/],
  ['time', /\btime$/],
  ['symbol', /\b(?:symbol|ticker)\b/],
  ['code', /\b(?:id|ids|sku|code|reference|number)$/],
  ['code', /\b(?:account|order|ticket|invoice|customer|user)\b/, /^(?:the )?(?:id|number|reference)\b/],
  [
    'place',
    /\b(?:city|town|village|place|location|country|region|state|address|destination|origin|venue|area|room)\b/,
  ],
  [
    'place',
    /\b(?:to|from|start|end|where|around|near)\b/,
    /\b(?:city|town|place|location|address|destination|station|airport)\b/,
  ],
  ['person', /\b(?:person|attendees?|guests?|participants?|invitees?|assignee|recipients?|contact|people)\b/],
  ['person', /\bto$/],
  ['person', /\bname\b/, /\b(?:person|full name|surname|people|customer|client|guest|patient|employee)\b/],
]

/** A value of an enum, with the words that may express it. */
interface Choice {
  readonly value: unknown
  /** In lower case, with spaces for underscores. */
  readonly written: string
  readonly concepts: ReadonlySet<string>
  /** The stems of its other spellings. */
  readonly aliases: readonly string[]
}

/** Returns the values of a schema's `enum`. Empty without one. */
function toChoices({ enum: values }: JsonSchema): Choice[] {
  if (!Array.isArray(values)) return []
  return values.map((value: unknown) => {
    const written = splitName(String(value)).toLowerCase()
    return { value, written, concepts: toConcepts(written), aliases: aliasesOf(written) }
  })
}
