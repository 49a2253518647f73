import { jsonFormats } from '@capstan/core/internal'
import { eachPart, type ToolRule } from './rule.js'

// Forms of texts that not every server knows.

const foreignPattern = eachPart(
  {
    name: 'foreign-pattern',
    level: 'warning',
    finds:
      'a pattern with lookaround, a reference back, a named group or \\p{...}: not all engines have them',
  },
  ({ schema: { pattern } }) => {
    const found = typeof pattern === 'string' ? foreign.find(([, sign]) => sign.test(pattern)) : undefined
    if (found === undefined) return undefined
    return {
      message: `The pattern has ${found[0]}: servers whose engine lacks that refuse the request.`,
      fix: 'Write a plainer pattern, and check the rest in execute.',
    }
  },
)

const foreign: readonly (readonly [what: string, sign: RegExp])[] = [
  ['a lookahead', /\(\?[=!]/],
  ['a lookbehind', /\(\?<[=!]/],
  ['a named group', /\(\?<\w/],
  ['a reference back', /(^|[^\\])(\\\\)*\\([1-9]|k<)/],
  ['a class of Unicode', /(^|[^\\])(\\\\)*\\p\{/i],
]

const foreignFormat = eachPart(
  {
    name: 'foreign-format',
    level: 'warning',
    finds: 'a format that JSON Schema does not have, as starts_with or cuid2',
  },
  ({ schema: { format, type } }) => {
    if (typeof format !== 'string' || jsonFormats.includes(format)) return undefined
    // OpenAPI's own, for numbers.
    if (type !== 'string' && /^(int32|int64|float|double)$/.test(format)) return undefined
    return {
      message: `The format ${format} is none of JSON Schema: servers ignore or refuse it.`,
      fix: 'Use a pattern, .regex(/^...$/), and say the form in the description.',
    }
  },
)

export const textFormRules: readonly ToolRule[] = [foreignPattern, foreignFormat]
