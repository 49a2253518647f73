import { isRecord } from '../words/record.js'

/** In words, with a hyphen between them. */
const names = [
  '^(?:proxy-|http-|x-(?:[a-z]+-)*)?authorization',
  '^(?:set-|http-)?cookie',
  'session-cookie',
  'api-?key',
  '(?:access|api|auth|bearer|bot|csrf|github|gitlab|id|npm|refresh|security|session|slack|vault|xsrf)token',
  // Of pages, of a protocol and of a tokenizer: they open nothing.
  '(?<!(?:^|-)(?:bos|cancellation|completion|continuation|current|cursor|end|eos|first|input|invalid|last|mask|max|min|next|output|pad|page|per|prev|previous|progress|prompt|resumption|sep|special|start|stop|sync|unexpected|unk)-)token',
  '(?:app|client|shared)?secrets?',
  'secret-?(?:access-?)?key',
  'secret-value',
  '(?:access|account|deploy|encryption|master|private|role|shared-?access|signing|ssh|storage)-?key',
  'access-?key-?id',
  // What a page says about passwords is none.
  '(?<!(?:change|forgot|forgotten|hide|invalid|lost|reset|show|wrong)-)passw(?:or)?d',
  'passphrase',
  'passcode',
  '(?:admin|auth|database|db|mail|root|smtp|user)-pass',
  'pwd',
  'otp',
  'jwt',
  'bearer',
  '(?:credential|cred)s?',
  '(?:j|php)?sess(?:ion)?-?id',
  'conn(?:ection)?-?str(?:ing)?',
  'sig',
  // Those of models and of functions are no keys.
  '(?:amz|goog|shared-?access)-?signature',
].join('|')

const isName = new RegExp(`(?:^|(?<=-))(?:${names})$`)

/**
 * Whether a field of this name holds a secret, whatever its value: `token`, `password`, also with other words before
 * it (`DB_PASSWORD`, `dbPassword`, `X-Amz-Signature`). Counts and positions are none: `totalTokens`, `nextPageToken`.
 */
export function namesSecret(field: string): boolean {
  const words = field
    .slice(-longest)
    .replace(/([a-z\d])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3-$2$4')
    .replace(/[_.]/g, '-')
  return isName.test(words.toLowerCase())
}

const longest = 64

/** Whether all that is in this value is a secret, for the name of its field: a schema says only what it must be like. */
export function holdsSecret(field: string, value: unknown): boolean {
  return namesSecret(field) && !isSchema(value)
}

function isSchema(value: unknown): boolean {
  if (!isRecord(value) || Object.hasOwn(value, 'value')) return false
  const { type } = value
  const keywords = Object.keys(value)
  return (
    types.has([type].flat()[0]) ||
    keywords.some((keyword) => combining.has(keyword)) ||
    keywords.every((keyword) => keyword === 'description' || keyword === 'title')
  )
}

const types = new Set<unknown>(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])
const combining = new Set(['$ref', 'allOf', 'anyOf', 'const', 'enum', 'not', 'oneOf'])
