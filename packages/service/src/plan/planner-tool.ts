import { isRecord } from '../json.js'
import { findSchemaViolation, isPlainPattern, type JsonSchema, narrow } from '../json-schema.js'
import { weekdays } from './dates.js'
import { keepValues } from './keep-values.js'
import type { Action } from './vocabulary.js'
import {
  actionsOf,
  aliasesOf,
  findPhrases,
  groupsOf,
  isGeneralVerb,
  isRelated,
  knows,
  splitName,
  stem,
  toConcept,
  toConcepts,
  weightOf,
} from './words.js'

export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchema
}

/** A tool, analysed for the planner: its subject, its action and its parameters. */
export type PlannerTool = Readonly<ReturnType<typeof analyse>>

/** Analyses a tool's definition. Clients send their tools with every request, so recent results are cached. */
export function toPlannerTool(definition: ToolDefinition): PlannerTool {
  const { name, description, parameters } = definition
  const key = JSON.stringify([name, description, parameters])
  return analysed(key, () => analyse(definition))
}

export function toPlannerTools(definitions: readonly ToolDefinition[]): PlannerTool[] {
  const tools = definitions.map(toPlannerTool)
  const prefixes = new Set(tools.flatMap(({ slots }) => slots.flatMap((slot) => slot.prefixes)))
  return prefixes.size > 0 ? tools.map((tool) => ({ ...tool, prefixes })) : tools
}

// Together about the size of one large request.
const analysed = keepValues<PlannerTool>(256, 4000)

function analyse({ name, description, parameters }: ToolDefinition) {
  // In "paint.price" and "book.search" the first word is a subject.
  const words = splitName(name.replace(/^.*\./, '')).toLowerCase().split(/\s+/)
  const [first = ''] = /[a-z]+/.exec(description.toLowerCase()) ?? []
  const actions = words.map(toolActionsOf).find((actions) => actions.size > 0) ?? toolActionsOf(first)
  const phrases = findPhrases(words.map((value, start) => ({ value, start, end: start })))
  const nameConcepts: ReadonlySet<string> = new Set([...toConcepts(name), ...phrases.values()])
  const textConcepts = toConcepts(description)
  const all = toSlots(parameters)
  const slots: readonly Slot[] = all.map((slot) => {
    const isShared = all.some(
      (one) => one !== slot && [...one.core].some((concept) => slot.core.has(concept)),
    )
    return isShared ? slot : { ...slot, leads: toLeads(slot, description.toLowerCase()) }
  })
  return {
    name,
    nameConcepts,
    textConcepts,
    // Thesaurus groups of the words in the tool's name. `textGroups` are those of its description.
    nameGroups: groupsOf([...nameConcepts].filter((one) => weightOf(one) === 1)),
    textGroups: groupsOf([...textConcepts].filter((one) => weightOf(one) === 1)),
    actions,
    // Whether its name starts with a verb that no list contains: "Treat a hive" of "treat_hive".
    isUnforeseen:
      actions.size === 0 && words[0] === first && /^\w+ (?:an?|the|one|some|all) /i.test(description),
    // Whether the tool's verb says little, such as "update" or "create". Other verbs may then mean the tool too.
    isGeneral: [...words, first].some(isGeneralVerb),
    // The letters that the ids of all offered tools start with.
    prefixes: new Set<string>(),
    slots,
    worksOn: slots.find(({ kind, required }) => kind === 'artifact' && required),
    // The kind of artifact that the tool makes. "Record the pulse" does not make a recording.
    makes:
      actions.has('interpret') || actions.has('read')
        ? undefined
        : kindAmong(toConcepts(splitName(name).replace(/^records?\b/i, ''))),
  }
}

function toLeads({ core }: Slot, description: string): string[] {
  const lead =
    /\b(of|in|at|on|by|for|from|to|with|against) (?=(?:(?:an?|the|one|two) )?(\p{L}+)(?: (\p{L}+))?)/gu
  return [...description.matchAll(lead)].flatMap(([, word = '', ...nouns]) =>
    nouns.some((noun = '') => core.has(toConcept(noun))) ? [word] : [],
  )
}

/** Whether a concept is a word in a tool's name or description, or related to one. */
export function speaksOf(
  { nameConcepts, textConcepts, nameGroups, textGroups }: PlannerTool,
  concept: string,
): boolean {
  const isOwn = knows(nameConcepts, concept) || knows(textConcepts, concept)
  return isOwn || isRelated(concept, nameGroups) || isRelated(concept, textGroups)
}

// "Get me three boxes" may mean to order them, but a tool "get_boxes" only reads.
function toolActionsOf(word: string): ReadonlySet<Action> {
  return word === 'get' ? reads : actionsOf(word)
}

const reads: ReadonlySet<Action> = new Set(['read'])

/** Whether a tool with these actions only tells something. */
export function tells(actions: ReadonlySet<Action>): boolean {
  return actions.has('read') || actions.has('interpret')
}

type ArtifactKind = 'image' | 'audio'

export function kindAmong(concepts: Iterable<string>): ArtifactKind | undefined {
  for (const concept of concepts) {
    if (imageConcepts.has(concept)) return 'image'
    if (audioConcepts.has(concept)) return 'audio'
  }
  return undefined
}

const imageConcepts = new Set(['image', 'mask'].map(toConcept))
const audioConcepts = new Set(['audio', 'speak'].map(toConcept))

/** One parameter of a tool, analysed for the planner. */
export interface Slot {
  readonly name: string
  readonly kind: SlotKind
  readonly required: boolean
  readonly nullable: boolean
  readonly schema: JsonSchema
  readonly words: string
  readonly nameConcepts: ReadonlySet<string>
  readonly textConcepts: ReadonlySet<string>
  readonly choices: ReturnType<typeof toChoices>
  /** The parameter's side of a "from ... to ..." pair. */
  readonly role: 'from' | 'to' | undefined
  /** The parameters of an object, or the one item type of a list. */
  readonly inner: readonly Slot[]
  /**
   * The concepts in the parameter's name, without endings such as "id" and "name". A word for one of them refers to the
   * value.
   */
  readonly core: ReadonlySet<string>
  readonly coreGroups: ReadonlySet<number>
  /** The letters that start the parameter's ids, taken from its pattern or examples: `P` for `P-2291`. */
  readonly prefixes: readonly string[]
  readonly description: string
  /** The prepositions before the parameter in the tool's description: "the ranking of a team in a league". */
  readonly leads: readonly string[]
  /** The forms of the examples in the parameter's description: `INV-2041` represents letters, a hyphen and digits. */
  readonly forms: readonly RegExp[]
  /** Whether a value has the parameter's type, pattern, bounds and form. */
  readonly accepts: (value: unknown) => boolean
}

function toSlots(schema: JsonSchema, root: JsonSchema = schema, depth = 0): Slot[] {
  const required = Array.isArray(schema.required) ? schema.required : []
  const properties = isRecord(schema.properties) ? Object.entries(schema.properties) : []
  return inOrder(
    properties.map(([name, property]) =>
      toSlot(name, property, { root, depth, required: required.includes(name) }),
    ),
  )
}

// A stay has an arrival before the departure, a flight after it: two days are in the order of the schema.
function inOrder(slots: readonly Slot[]): Slot[] {
  const days = slots.filter(
    ({ kind, words }) => /^(?:date|moment)$/.test(kind) && /\b(?:arriv|depart)/.test(words),
  )
  return slots.map((slot) =>
    days.length === 2 && days.includes(slot) ? { ...slot, role: slot === days[0] ? 'from' : 'to' } : slot,
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
  const forms =
    ['code', 'text'].includes(kind) && schema.pattern === undefined ? toForms(description, words) : []
  const nameConcepts = toConcepts(name)
  const core = toCore(words, nameConcepts)
  return {
    name,
    kind: forms.length > 0 ? 'code' : kind,
    required,
    nullable,
    schema,
    words,
    nameConcepts,
    textConcepts: toConcepts(description),
    choices: toChoices(schema),
    role: toRole(words),
    inner: depth < deepest ? toInner(name, kind, schema, { root, depth: depth + 1, required: true }) : [],
    core,
    coreGroups: groupsOf(core),
    prefixes: toPrefixes(schema, description),
    description: description.toLowerCase(),
    leads: [],
    forms,
    accepts: toAcceptance(schema, root),
  }
}

// A pattern that could take exponential time is not checked.
function toAcceptance(schema: JsonSchema, root: JsonSchema): Slot['accepts'] {
  const { pattern, ...others } = schema
  const isChecked = pattern !== undefined && isPlainPattern(pattern)
  if (Object.keys(others).every((key) => plainKeys.has(key)) && schema.type === 'string') {
    const form = isChecked ? new RegExp(String(pattern), 'u') : undefined
    return (value) => typeof value === 'string' && (form?.test(value) ?? true)
  }
  const checked = isChecked ? schema : others
  const shared = { $defs: root.$defs, definitions: root.definitions }
  return (value) => {
    try {
      return findSchemaViolation(value, { ...shared, ...checked }) === undefined
    } catch {
      return false
    }
  }
}

const plainKeys = new Set(['type', 'description', 'title', 'default', 'examples', 'format', 'nullable'])

function toCore(words: string, concepts: ReadonlySet<string>): ReadonlySet<string> {
  const kept = words.split(' ').filter((word) => !endings.has(word))
  const own = toConcepts(kept.join(' '))
  if (own.size > 0) return own
  return concepts.size > 0 ? concepts : new Set(words.split(' ').map(toConcept))
}

const endings = new Set(
  'id ids name names number no code date time day value text type kind at on by new from to is full of per in'.split(
    ' ',
  ),
)

/** Returns the part of a description that shows examples: "Vegetarian, vegan" of "A diet, e.g. Vegetarian, vegan". */
export function examplesIn(description: string): string {
  return /\b(?:e\.\s?g\.?,?|for example,?|such as|like) ?([^();]+)/i.exec(description)?.[1] ?? ''
}

/** Returns the forms of the codes that a description shows, such as `e.g. INV-2041` or `like #general`. */
function toForms(description: string, words: string): RegExp[] {
  const shown =
    /(?:e\.\s?g\.?,?|for example|for instance|such as|like|example:?|format:?)\s+["'`]?([^\s"'`,;)]+(?: [A-Z]{2,4}\b)?)/gi
  if (/\byyyy-mm\b(?!-)/i.test(description)) return [/^\d{4}-\d\d$/]
  return [...description.slice(0, 400).matchAll(shown)].flatMap(([, example = '']) => {
    const code = example.replace(/[.:]+$/, '')
    const isCode =
      (/\d/.test(code) && /[A-Za-z#/-]/.test(code)) || /^[#@]\w/.test(code) || /^\d+(?:\.\d+){2,}$/.test(code)
    const isDate = /^\d{4}-\d\d(?!\d)/.test(code)
    return isCode && !isDate && code.length <= 40 ? [toForm(code, /\bid$/.test(words))] : []
  })
}

/** Returns the letters that a parameter's ids start with: `P` for `^P-\\d{5}$`, or for "e.g. P-2291". */
function toPrefixes({ pattern }: JsonSchema, description: string): string[] {
  const [, fixed] = /^\^\(?([A-Z]{1,5})[-_/#]?(?:\\d|\[0-9\])[^A-Za-z]*\$$/.exec(String(pattern ?? '')) ?? []
  const shown = [...description.slice(0, 400).matchAll(/(?<![\w-])([A-Z]{1,5})[-_/#]?\d{1,12}(?![\w-])/g)]
  return [...new Set([...(fixed ? [fixed] : []), ...shown.map(([, letters = '']) => letters)])]
}

// The letters before the first digit of an id are always the same.
function toForm(code: string, isId: boolean): RegExp {
  const body = code.replace(/[A-Z]+|[a-z]+|\d+|[^A-Za-z\d]/g, (part) => {
    if (/^[A-Z]/.test(part)) return isId && code.startsWith(part) ? part : '[A-Z]+'
    if (/^[a-z]/.test(part)) return /^[#@]/.test(code) ? '[\\w-]+' : '[a-z]+'
    return /^\d/.test(part) ? '\\d+' : part.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
  })
  return new RegExp(`^${body}$`)
}

// A schema may be recursive. One sentence does not describe three nested objects.
const deepest = 2

function toInner(name: string, kind: SlotKind, schema: JsonSchema, place: Place): Slot[] {
  if (kind === 'object') return toSlots(schema, place.root, place.depth)
  // The examples for a list are examples of its items.
  return kind === 'list'
    ? [toSlot(name, { description: schema.description, ...Object(schema.items) }, place)]
    : []
}

function toRole(words: string): Slot['role'] {
  if (/\b(?:from|origin|source|departure|start|base)\b/.test(words)) return 'from'
  return /\b(?:to|into|destination|target|arrival)\b/.test(words) ? 'to' : undefined
}

type Words<List extends string> = List extends `${infer First} ${infer Rest}` ? First | Words<Rest> : List

export type SlotKind =
  Words<'const artifact email phone url size expression choice flag code moment date time number currency language country symbol list person place path object text'>

/** Classifies a parameter by its schema, its name and its description, both in lower case. */
function toKind(schema: JsonSchema, words: string, description: string): SlotKind {
  if ('const' in schema) return 'const'
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return 'choice'
  if (isRecord(schema.properties) && !kindOf.has(schema.type)) return 'object'
  return (
    kindOf.get(schema.type) ??
    kindOf.get(schema.format) ??
    kindByPattern(schema, `${words} ${description}`) ??
    signs.find(([, name, text]) => name.test(words) && (!text || text.test(description)))?.[0] ??
    'text'
  )
}

// By type, or by format.
const same: readonly SlotKind[] = ['number', 'object', 'email', 'url', 'date', 'time']
const kinds = {
  boolean: 'flag',
  integer: 'number',
  array: 'list',
  uri: 'url',
  'date-time': 'moment',
} as const
const kindOf = new Map<unknown, SlotKind>([
  ...same.map((kind) => [kind, kind] as const),
  ...Object.entries(kinds),
])

// The values that a pattern allows show its kind.
function kindByPattern({ pattern }: JsonSchema, told: string): SlotKind | undefined {
  if (pattern === undefined || !isPlainPattern(pattern)) return undefined
  const fits = (value: string) => new RegExp(String(pattern), 'u').test(value)
  if (fits('anything else, such as this')) return undefined
  if (fits('14:30') || fits('14:30:00')) return 'time'
  if (['2026-11-24', '24.11.2026', '24/11/2026', '20261124'].some(fits) && !fits('99999999')) return 'date'
  if (fits('2026-11-24T14:30:00Z') || fits('2026-11-24T14:30')) return 'moment'
  const isCurrency =
    fits('EUR') && fits('USD') && !fits('EU') && !/airport|iata|station|ticker|initials/.test(told)
  return isCurrency ? 'currency' : 'code'
}

// The first row decides whose patterns match the parameter's name (and description, where there is one).
const signs: readonly (readonly [SlotKind, RegExp, RegExp?])[] = [
  ['artifact', /^(?!prompt|text|input|query|voice)/, /\bartifact\b/],
  ['email', /\be ?mail\b(?! ids?$)/],
  ['email', /\b(?:to|recipient|from|cc|bcc|address)\b/, /\be-?mail\b/],
  ['phone', /\b(?:phone|mobile|telephone)\b/],
  ['phone', /\bnumber$/, /\b(?:phone|mobile|telephone) number\b/],
  ['url', /\b(?:url|uri|link|website|href)\b/],
  ['path', /\b(?:path|filename|file name|folder|directory|repo|repository)\b/],
  [
    'artifact',
    /^(?:(?:input|source|base|original) )?(?:image|picture|photo|mask|audio|recording|file|artifact)(?: id| file)?$/,
  ],
  ['size', /\b(?:size|dimensions|resolution)\b/, /\bx\b|\d+x\d+|width/],
  ['expression', /\b(?:expression|formula|equation|calculation)\b/],
  ['currency', /\bcurrency\b/],
  ['currency', /./, /\bcurrency\b|\biso[- ]?4217\b/],
  ['language', /\b(?:language|lang|locale)\b/],
  ['language', /\b(?:to|from|target|source)\b/, /\blanguage\b/],
  [
    'moment',
    /./,
    /\bdate[- ]?time\b|\bdate and time\b|rfc ?3339|yyyy-mm-ddthh|iso ?8601 (?:timestamp|instant)/,
  ],
  ['moment', /\b(?:datetime|timestamp|when|at)\b|\btime$/, /\biso\b/],
  ['time', /./, /\bhh:mm\b/],
  ['date', /./, /yyyy-mm-dd|dd[./-]mm[./-]yyyy|mm\/dd\/yyyy/],
  ['country', /\b(?:country|nationality)\b/, /\biso\b|letter|alpha/],
  ['country', /./, /\bcountry code|\biso[- ]?3166/],
  ['date', /\b(?:date|day|due|deadline|birthday)\b/],
  ['time', /\btime$/],
  ['symbol', /\b(?:symbol|ticker)\b/],
  ['code', /\b(?:id|ids|sku|code|reference|number|plate|registration|iban|vin)$/],
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

function toChoices({ enum: values }: JsonSchema) {
  if (!Array.isArray(values)) return []
  return values.map((value: unknown) => {
    const written = splitName(String(value)).toLowerCase()
    const days = /^[a-z]{3}$/.test(written) ? weekdays.filter((day) => day.startsWith(written)) : []
    return {
      value,
      // The name in lower case, with spaces instead of underscores.
      written,
      concepts: toConcepts(written),
      // Word stems of the value's alternative spellings.
      aliases: [...aliasesOf(written), ...days.map(stem)],
    }
  })
}
