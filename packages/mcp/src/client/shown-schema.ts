import { tidyText } from './tidy-text.js'

type Schema = Readonly<Record<string, unknown>>

/**
 * A stranger's schema as a model is shown it: its words are tidied and bounded, each and in total, and what says which
 * values are valid stays as it is.
 */
export function shownSchema(schema: Schema): Schema {
  let left = maxWords
  const toWords = (value: unknown): unknown => {
    if (typeof value === 'string') {
      if (left <= 0) return undefined
      const words = tidyText(value, Math.min(left, maxWord))
      left -= words.length
      return words
    }
    if (Array.isArray(value)) return value.map(toWords).filter((one) => one !== undefined)
    return isObject(value) ? mapped(value, toKeyword) : value
  }
  const toKeyword = (value: unknown, keyword: string): unknown => {
    if (exact.has(keyword)) return value
    return maps.has(keyword) && isObject(value) ? mapped(value, toWords) : toWords(value)
  }
  return mapped(schema, toKeyword)
}

const maxWord = 2048
const maxWords = 16_384

/** Say which values are valid, or what of the schema does. */
const exact: ReadonlySet<string> = new Set([
  ...['type', 'enum', 'const', 'required', 'dependentRequired', 'pattern', 'format'],
  ...['contentEncoding', 'contentMediaType'],
  ...['$schema', '$id', 'id', '$ref', '$anchor', '$dynamicRef', '$dynamicAnchor', '$recursiveRef'],
])

/** Schemas by names that are no keywords. */
const maps: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'],
])

function mapped(object: Schema, map: (value: unknown, key: string) => unknown): Schema {
  const entries = Object.entries(object).map(([key, value]) => [key, map(value, key)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
