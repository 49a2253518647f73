import { isRecord } from '../words/record.js'

/** In words, with a hyphen between them. */
const names = [
  '^(?:proxy-|http-|x-(?:[a-z]+-)*)?authorization',
  '^(?:set-|http-)?cookie',
  'session-cookie',
  'api-?key',
  '(?:access|api|auth|bearer|bot|csrf|github|gitlab|id|npm|refresh|security|session|slack|vault|xsrf)-?token',
  '^x-(?:[a-z]+-)*token',
  'client-?secret',
  'secret-?(?:access-?)?key',
  '(?:account|encryption|master|private|shared-?access|signing)-?key',
  // What a page says about passwords is none.
  '(?<!(?:change|forgot|forgotten|hide|invalid|lost|reset|show|wrong)-)passw(?:or)?d',
  'passphrase',
  '(?:admin|db|root|user)-pwd',
].join('|')

const isName = new RegExp(`(?:^|(?<=-))(?:${names})$`)

/** Whether what a field of this name holds is a secret, whatever it is: `password`, and `DB_PASSWORD` and `dbPassword` as well. */
export function namesSecret(field: string): boolean {
  const words = field
    .slice(-longest)
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
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
