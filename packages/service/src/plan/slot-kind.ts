import { isRecord } from '../record.js'
import type { JsonSchema } from './json-schema.js'

/** What kind of thing a parameter takes. */
export type SlotKind = (typeof kindsInOrder)[number]

/** The order in which slots choose from a clause: the most particular first, free text last. */
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

/** Judges a parameter by its schema, the words of its name and its description in lower case. */
export function toKind(schema: JsonSchema, words: string, description: string): SlotKind {
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

// The first line whose patterns fit the parameter's name (and description, where there is one) decides.
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
