import { jsonFormats } from '@capstan/core/internal'
import { eachSchemaNode, eachTool, type ToolRule } from './rule.js'
import type { SchemaNode } from './schema-walk.js'

const vagueNames =
  /^([a-z]|arg\d*|args|params?\d*|val(ue)?s?\d*|data\d*|inputs?\d*|object|obj|items?|foo|bar|baz|tmp|thing|stuff|info|str|num|text\d|options|opts|payload|content|body)$/i

// What parameters say of themselves.
const undescribedParameter = eachTool(
  {
    name: 'undescribed-parameter',
    level: 'warning',
    finds: 'a parameter that nothing describes: not itself, not its parts, not what it lies in',
  },
  ({ parts }) => {
    const described = describedNodes(parts)
    return parts
      .filter((part) => isUndescribed(part, described) && !isVague(part))
      .map(({ path }) => ({
        path,
        message: 'Nobody describes this parameter.',
        fix: 'Add .describe("..."): what it is, in which form, with an example where that helps.',
      }))
  },
)

const vagueParameter = eachTool(
  {
    name: 'vague-parameter',
    level: 'warning',
    finds: 'a parameter such as data, x or arg1 that neither its name nor a description explains',
  },
  ({ parts }) => {
    const described = describedNodes(parts)
    return parts
      .filter((part) => isUndescribed(part, described) && isVague(part))
      .map(({ path, name }) => ({
        path,
        message: `The name "${name}" says nothing, and there is no description.`,
        fix: 'Name it for what it is, as city or order_id, and describe it.',
      }))
  },
)

function isVague({ name = '' }: SchemaNode): boolean {
  return vagueNames.test(name)
}

/** A value that can be only one thing needs no words. */
function isUndescribed(part: SchemaNode, described: ReadonlySet<SchemaNode>): boolean {
  return part.name !== undefined && !('const' in part.schema) && !described.has(part)
}

/** Parts that have words of their own, and those that lie in one of these or around it. */
function describedNodes(parts: readonly SchemaNode[]): ReadonlySet<SchemaNode> {
  const described = new Set<SchemaNode>()
  for (const part of parts) {
    const { parent } = part
    const isWithin = parent !== undefined && parent.path !== '' && described.has(parent)
    if (isWithin || (part.path !== '' && part.schema.description)) described.add(part)
  }
  for (const part of parts.toReversed()) if (described.has(part) && part.parent) described.add(part.parent)
  return described
}

const optionalOrNull = eachSchemaNode(
  {
    name: 'optional-or-null',
    level: 'info',
    finds: 'a parameter that may be left out and may be null, where nothing says what null means',
  },
  ({ name, isOptional, schema }) => {
    if (name === undefined || !isOptional || !allowsNull(schema)) return undefined
    if (/\bnull\b/i.test(String(schema.description))) return undefined
    return {
      message: 'It may be left out and may be null: a model does not know the difference.',
      fix: 'Use .optional() or .nullable(), not both; or say in the description what null means.',
    }
  },
)

function allowsNull({ type, anyOf }: SchemaNode['schema']): boolean {
  const choices = Array.isArray(anyOf) ? anyOf : []
  return [type].flat().includes('null') || choices.some((one) => Object(one).type === 'null')
}

const defaultTrue = eachSchemaNode(
  {
    name: 'default-true',
    level: 'info',
    finds: 'a flag that is true by default: models leave out what they want off',
  },
  ({ schema }) => {
    if (schema.type !== 'boolean' || schema.default !== true) return undefined
    return {
      message: 'This flag is true by default: a model that leaves it out turns it on.',
      fix: 'Turn it round, as skip_photos with default false.',
    }
  },
)

const unexplainedChoices = eachSchemaNode(
  {
    name: 'unexplained-choices',
    level: 'info',
    finds: 'values to choose from that are codes, where the description does not explain them',
  },
  ({ schema, parent }) => {
    const choices = Array.isArray(schema.enum) ? schema.enum : []
    const told = wordSet(`${schema.description ?? ''} ${parent?.schema.description ?? ''}`)
    const code = choices.find(
      (value) => typeof value === 'string' && /^([a-z]|[a-z]{0,2}\d+)$/i.test(value) && !told.has(value),
    )
    if (code === undefined) return undefined
    return {
      message: `Nothing says what the value ${JSON.stringify(code)} stands for.`,
      fix: 'Use words as values (celsius, not c), or explain each in the description.',
    }
  },
)

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.match(/[\p{L}\p{N}]+/gu))
}

const dateFormat = eachSchemaNode(
  {
    name: 'date-form',
    level: 'info',
    finds: 'a date as a text of any form',
  },
  ({ name = '', schema }) => {
    const isDate = /(^|_)(date|datetime|deadline|birthday|timestamp)$/i.test(
      name.replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2'),
    )
    const { type, format, pattern, enum: choices, description = '' } = schema
    if (!isDate || type !== 'string' || format || pattern || choices) return undefined
    if (/\d|yyyy|iso|rfc/i.test(String(description))) return undefined
    return {
      message: 'Nothing says in which form the model has to write this date.',
      fix: 'Use z.iso.date() or z.iso.datetime(), or give an example in the description: 2026-03-14.',
    }
  },
)

export const parameterRules: readonly ToolRule[] = [
  vagueParameter,
  undescribedParameter,
  optionalOrNull,
  defaultTrue,
  unexplainedChoices,
  dateFormat,
]

const foreignSyntax: readonly (readonly [what: string, sign: RegExp])[] = [
  ['a lookahead', /\(\?[=!]/],
  ['a lookbehind', /\(\?<[=!]/],
  ['a named group', /\(\?<\w/],
  ['a reference back', /(^|[^\\])(\\\\)*\\([1-9]|k<)/],
  ['a class of Unicode', /(^|[^\\])(\\\\)*\\p\{/i],
]

// Forms of texts that not every server knows.
const foreignPattern = eachSchemaNode(
  {
    name: 'foreign-pattern',
    level: 'warning',
    finds:
      'a pattern with lookaround, a reference back, a named group or \\p{...}: not all engines have them',
  },
  ({ schema: { pattern } }) => {
    const found =
      typeof pattern === 'string' ? foreignSyntax.find(([, sign]) => sign.test(pattern)) : undefined
    if (found === undefined) return undefined
    return {
      message: `The pattern has ${found[0]}: servers whose engine lacks that refuse the request.`,
      fix: 'Write a plainer pattern, and check the rest in execute.',
    }
  },
)

const foreignFormat = eachSchemaNode(
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

export const textFormatRules: readonly ToolRule[] = [foreignPattern, foreignFormat]

// Parameters that are too many, or too deep.
const maxLevels = 5
const deepNesting = eachTool(
  {
    name: 'deep-nesting',
    level: 'warning',
    finds: `parameters nested more than ${maxLevels} levels deep`,
  },
  ({ parts }) => {
    const deep = parts.find(({ depth }) => depth > maxLevels)
    if (!deep) return []
    const message = `It lies more than ${maxLevels} levels deep: models lose their way, and servers have bounds.`
    return [{ path: deep.path, message, fix: 'Make it flatter, or take it in two tools.' }]
  },
)

const maxParameters = 100
const manyParameters = eachTool(
  { name: 'many-parameters', level: 'warning', finds: `more than ${maxParameters} parameters in one tool` },
  ({ parts }) => {
    const count = parts.filter(({ name }) => name !== undefined).length
    if (count <= maxParameters) return []
    const message = `It has ${count} parameters, those of its objects included; servers have bounds from 100 up.`
    return [{ message, fix: 'Make several tools of it, or leave out what hardly anybody sets.' }]
  },
)

const maxChoices = 100
const manyChoices = eachSchemaNode(
  { name: 'many-choices', level: 'warning', finds: `more than ${maxChoices} values to choose from` },
  ({ schema }) => {
    const count = Array.isArray(schema.enum) ? schema.enum.length : 0
    if (count <= maxChoices) return undefined
    return {
      message: `${count} values to choose from: they cost tokens in every request, and servers have bounds.`,
      fix: 'Take a text, and answer a wrong one with those that come near; or offer a tool that searches.',
    }
  },
)

export const sizeRules: readonly ToolRule[] = [deepNesting, manyParameters, manyChoices]
