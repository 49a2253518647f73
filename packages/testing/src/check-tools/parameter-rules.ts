import { jsonFormats } from '@capstan/core/internal'
import { eachSchemaNode, eachTool, type ToolRule } from './rule.js'
import type { SchemaNode } from './schema-walk.js'

const vagueNames =
  /^([a-z]|arg\d*|args|params?\d*|val(ue)?s?\d*|data\d*|inputs?\d*|object|obj|items?|foo|bar|baz|tmp|thing|stuff|info|str|num|text\d|options|opts|payload|content|body)$/i

// Rules for parameter descriptions.
const undescribedParameter = eachTool(
  {
    name: 'undescribed-parameter',
    level: 'warning',
    finds: 'a parameter without a description, whose parts and parent have none either',
  },
  ({ parts }) => {
    const described = describedNodes(parts)
    return parts
      .filter((part) => isUndescribed(part, described) && !isVague(part))
      .map(({ path }) => ({
        path,
        message: 'This parameter has no description.',
        fix: 'Add .describe("...") with its meaning, its format, and an example if that helps.',
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
        message: `The name "${name}" is vague, and the parameter has no description.`,
        fix: 'Use a specific name, such as city or order_id, and describe it.',
      }))
  },
)

function isVague({ name = '' }: SchemaNode): boolean {
  return vagueNames.test(name)
}

/** Whether a node is a parameter without a description. A constant does not need one. */
function isUndescribed(part: SchemaNode, described: ReadonlySet<SchemaNode>): boolean {
  return part.name !== undefined && !('const' in part.schema) && !described.has(part)
}

/** Returns the nodes that have a description, and all of their ancestors and descendants. */
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
    finds: 'a parameter that is both optional and nullable, without a description of what null means',
  },
  ({ name, isOptional, schema }) => {
    if (name === undefined || !isOptional || !allowsNull(schema)) return undefined
    if (/\bnull\b/i.test(String(schema.description))) return undefined
    return {
      message: 'It is both optional and nullable, but a model does not know the difference.',
      fix: 'Use .optional() or .nullable(), not both; or describe what null means.',
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
    finds: 'a flag that is true by default, because models omit flags that they want to be off',
  },
  ({ schema }) => {
    if (schema.type !== 'boolean' || schema.default !== true) return undefined
    return {
      message: 'This flag is true by default, so a model turns it on by omitting it.',
      fix: 'Invert it: for example, use skip_photos with the default false.',
    }
  },
)

const unexplainedChoices = eachSchemaNode(
  {
    name: 'unexplained-choices',
    level: 'info',
    finds: 'enum values that are codes, which the description does not explain',
  },
  ({ schema, parent }) => {
    const choices = Array.isArray(schema.enum) ? schema.enum : []
    const told = wordSet(`${schema.description ?? ''} ${parent?.schema.description ?? ''}`)
    const code = choices.find(
      (value) => typeof value === 'string' && /^([a-z]|[a-z]{0,2}\d+)$/i.test(value) && !told.has(value),
    )
    if (code === undefined) return undefined
    return {
      message: `The meaning of the value ${JSON.stringify(code)} is not described.`,
      fix: 'Use words as values (celsius, not c), or explain each value in the description.',
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
    finds: 'a date as a string without a format',
  },
  ({ name = '', schema }) => {
    const isDate = /(^|_)(date|datetime|deadline|birthday|timestamp)$/i.test(
      name.replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2'),
    )
    const { type, format, pattern, enum: choices, description = '' } = schema
    if (!isDate || type !== 'string' || format || pattern || choices) return undefined
    if (/\d|yyyy|iso|rfc/i.test(String(description))) return undefined
    return {
      message: 'The format of this date is not described.',
      fix: 'Use z.iso.date() or z.iso.datetime(), or add an example to the description: 2026-03-14.',
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
  ['a backreference', /(^|[^\\])(\\\\)*\\([1-9]|k<)/],
  ['a Unicode class', /(^|[^\\])(\\\\)*\\p\{/i],
]

// String formats that not every server supports.
const foreignPattern = eachSchemaNode(
  {
    name: 'foreign-pattern',
    level: 'warning',
    finds:
      'a pattern with lookaround, a backreference, a named group or \\p{...}, which not all engines support',
  },
  ({ schema: { pattern } }) => {
    const found =
      typeof pattern === 'string' ? foreignSyntax.find(([, sign]) => sign.test(pattern)) : undefined
    if (found === undefined) return undefined
    return {
      message: `The pattern contains ${found[0]}. Servers that do not support it reject the request.`,
      fix: 'Use a simpler pattern, and check the rest in execute.',
    }
  },
)

const foreignFormat = eachSchemaNode(
  {
    name: 'foreign-format',
    level: 'warning',
    finds: 'a format that JSON Schema does not define, such as starts_with or cuid2',
  },
  ({ schema: { format, type } }) => {
    if (typeof format !== 'string' || jsonFormats.includes(format)) return undefined
    // These are OpenAPI's number formats.
    if (type !== 'string' && /^(int32|int64|float|double)$/.test(format)) return undefined
    return {
      message: `JSON Schema does not define the format ${format}, so servers ignore or reject it.`,
      fix: 'Use a pattern, .regex(/^...$/), and describe the format.',
    }
  },
)

export const textFormatRules: readonly ToolRule[] = [foreignPattern, foreignFormat]

// Rules for the number and depth of parameters.
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
    const message = `It is nested more than ${maxLevels} levels deep. Models make errors in such arguments, and servers have limits.`
    return [{ path: deep.path, message, fix: 'Flatten the schema, or split the tool in two.' }]
  },
)

const maxParameters = 100
const manyParameters = eachTool(
  { name: 'many-parameters', level: 'warning', finds: `more than ${maxParameters} parameters in one tool` },
  ({ parts }) => {
    const count = parts.filter(({ name }) => name !== undefined).length
    if (count <= maxParameters) return []
    const message = `It has ${count} parameters, including those of its objects; servers have limits of 100 or more.`
    return [{ message, fix: 'Split it into several tools, or remove parameters that are rarely set.' }]
  },
)

const maxChoices = 100
const manyChoices = eachSchemaNode(
  { name: 'many-choices', level: 'warning', finds: `more than ${maxChoices} enum values` },
  ({ schema }) => {
    const count = Array.isArray(schema.enum) ? schema.enum.length : 0
    if (count <= maxChoices) return undefined
    return {
      message: `It has ${count} enum values. They cost tokens in every request, and servers have limits.`,
      fix: 'Accept any string, and reject unknown values with a message that lists similar ones. Or offer a search tool.',
    }
  },
)

export const sizeRules: readonly ToolRule[] = [deepNesting, manyParameters, manyChoices]
