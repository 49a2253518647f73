import type { StandardSchemaV1 } from '@standard-schema/spec'
import { chain } from '../async.js'
import { messageOf } from '../errors.js'
import { isRecord, type Json } from '../json.js'
import type { JsonSchemaParameters } from '../tools/json-schema-lite.js'
import { renderOutput } from '../tools/render-result.js'
import { repairJson } from '../tools/repair.js'
import { outcomeOf, toJsonSchema, toParameters, validate } from '../tools/schema.js'
import { type Tool, type Toolset, tool, toToolset } from '../tools/tool.js'

/** The form that an agent's answers have. */
export interface StructuredOutput {
  readonly schema: StandardSchemaV1
  readonly form: OutputSchema
  /** The tool by which the model answers, where the server cannot be asked for a form. */
  readonly tool: Tool
  /** The agent's tools with that one. */
  readonly toolset: Toolset
  /** What a server that can be is asked for. */
  readonly responseFormat: Readonly<Record<string, unknown>>
}

/** A text in the asked form, or what is wrong with it. */
export type ReadOutput = { readonly value: Json } | { readonly issues: readonly string[] }

export const outputToolName = 'final_answer'

/** @throws CapstanError `invalid_tool` for a schema that JSON cannot express */
export function toStructuredOutput(schema: StandardSchemaV1, tools: readonly Tool[]): StructuredOutput {
  const form = toOutputSchema(schema, outputToolName)
  const made = tool({
    name: outputToolName,
    description: 'Give your final answer by calling this, once you have it. Words alone are no answer.',
    parameters: form.schema,
    effects: 'read',
    returnDirect: true,
    execute: (args) => form.unwrap(args) ?? null,
  })
  const json_schema = { name: outputToolName, schema: toParameters(form.schema, outputToolName) }
  return {
    schema,
    form,
    tool: made,
    toolset: toToolset([...tools, made]),
    responseFormat: { response_format: { type: 'json_schema', json_schema } },
  }
}

/** Reads an answer in words as one in the asked form: JSON, in a code fence or not, at the end of other words or not. */
export async function readOutput(text: string, { form }: StructuredOutput): Promise<ReadOutput> {
  const given = extractJson(text, form.opening)
  if (!given) return { issues: ['it is no JSON'] }
  try {
    const checked = await validate(form.schema, given.value)
    if (!checked.ok) return { issues: checked.issues }
    return { value: renderOutput(form.unwrap(checked.value)).result ?? null }
  } catch (error) {
    // The schema's own code failed, or made what JSON would lose: as with a tool, the model hears of it.
    return { issues: [messageOf(error)] }
  }
}

/** The form of an answer as a model is asked for it: an object's, as tools and servers take no other. */
export interface OutputSchema {
  /** The schema that was given, or one of an object around it. */
  readonly schema: StandardSchemaV1
  /** What an answer may begin with. */
  readonly opening: Opening
  /** The answer as the caller gets it. */
  unwrap(value: unknown): unknown
  /** The same of one that is still being written: undefined while it may be another. */
  unwrapBegun(value: unknown): unknown
}

/** @throws CapstanError `invalid_tool` for a schema that JSON cannot express */
export function toOutputSchema(schema: StandardSchemaV1, tool: string): OutputSchema {
  const inner = toJsonSchema(schema, tool)
  if (inner.type !== 'object') return wrapped(schema, inner)
  const unwrapBegun = (value: unknown) => (isRecord(value) ? value : undefined)
  return { schema, opening: '{', unwrap: (value) => value, unwrapBegun }
}

/** The name under which an answer stands that is no object. */
const name = 'result'

function wrapped(schema: StandardSchemaV1, inner: Readonly<Record<string, unknown>>): OutputSchema {
  const unwrap = (value: unknown) => (isWrapper(value) ? value[name] : value)
  const unwrapBegun = (value: unknown) =>
    !isRecord(value) || Object.keys(value)[0] === name ? unwrap(value) : undefined
  return { schema: around(schema, inner), opening: '{[', unwrap, unwrapBegun }
}

function isWrapper(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && Object.hasOwn(value, name)
}

/** Takes what is in the object, and what a model gave without one; gives it in one. */
function around(schema: StandardSchemaV1, inner: Readonly<Record<string, unknown>>): JsonSchemaParameters {
  return {
    schema: toObjectSchema(inner),
    '~standard': {
      version: 1,
      vendor: 'capstan',
      validate(value) {
        const path = isWrapper(value) ? [name] : []
        const given = isWrapper(value) ? value[name] : value
        return chain<StandardSchemaV1.Result<unknown>, Wrapped>(outcomeOf(schema, given), (checked) => {
          if (!checked.issues) return { value: { [name]: checked.value } }
          if (isRecord(value) && path.length === 0) return { issues: [missing] }
          return { issues: checked.issues.map((one) => ({ ...one, path: [...path, ...(one.path ?? [])] })) }
        })
      },
    },
  }
}

type Wrapped = StandardSchemaV1.Result<Record<string, unknown>>

const missing = { message: 'missing: the answer goes here', path: [name] }

/** Definitions are looked for at the root, other references go on leading where they led. */
function toObjectSchema(inner: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { $schema, $id, definitions, $defs, ...rest } = moved(inner) as Readonly<Record<string, unknown>>
  return {
    type: 'object',
    properties: { [name]: rest },
    required: [name],
    additionalProperties: false,
    ...(definitions ? { definitions } : {}),
    ...($defs ? { $defs } : {}),
  }
}

function moved(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(moved)
  if (!isRecord(part)) return part
  const entries = Object.entries(part).map(([key, value]) => [
    key,
    key === '$ref' && typeof value === 'string' ? movedReference(value) : moved(value),
  ])
  return Object.fromEntries(entries)
}

function movedReference(reference: string): string {
  return reference.replace(/^#(?=\/|$)(?!\/(definitions|\$defs)\/)/, `#/properties/${name}`)
}

/** Which brackets JSON may begin with, where words stand before it. */
type Opening = '{' | '{['

/** A text as JSON: all of it, or what is left of it from its first bracket on. Undefined when that is no JSON. */
export function extractJson(text: string, opening: Opening): { readonly value: unknown } | undefined {
  const start = startOf(text, opening)
  const rest = start < 0 ? [] : [text.slice(start).trimEnd().replace(/```$/, '')]
  for (const one of [text, ...rest]) {
    try {
      return { value: JSON.parse(repairJson(one).text) }
    } catch {}
  }
  return undefined
}

/** A text that is still being written, from where its JSON begins; undefined while that is not known. */
export function extractOpenJson(text: string, opening: Opening): string | undefined {
  // It may be one string, brackets and all.
  const isQuoted = /^\s*(```\w*\s*)?["']/.test(text)
  const start = isQuoted ? -1 : startOf(text, opening)
  return start < 0 ? undefined : text.slice(start)
}

function startOf(text: string, opening: Opening): number {
  return text.search(opening === '{' ? /\{/ : /[{[]/)
}
