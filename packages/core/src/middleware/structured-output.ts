import type { StandardSchemaV1 } from '@standard-schema/spec'
import { abortable, chain } from '../async.js'
import { isCapstanError, messageOf } from '../errors.js'
import { isRecord } from '../json.js'
import type { Middleware, ReadOutput, RequestCall, RunEffects, ToolChoice } from '../run/middleware.js'
import type { RunContext } from '../run/run-context.js'
import type { JsonSchemaParameters } from '../tools/json-schema-lite.js'
import { renderOutput } from '../tools/render-result.js'
import { repairJson } from '../tools/repair.js'
import { toJsonSchema, toParameters } from '../tools/to-json-schema.js'
import { type Tool, tool, toToolset } from '../tools/tool.js'
import { outcomeOf, validate } from '../tools/validate.js'
import { callsOf, textOf } from '../types/message.js'

export const outputToolName = 'final_answer'

/** The middleware of the option `output`, with the schema that it checks replies against. */
export interface StructuredOutput extends Middleware {
  readonly form: OutputSchema
}

/**
 * Ends runs with a value of a schema. A server with structured output receives the schema; other servers receive a
 * tool `final_answer`. A reply that does not match goes back with what is wrong; after 3 of them the run is `stuck`.
 * @throws CapstanError `invalid_tool` for a schema that JSON cannot express
 */
export function structuredOutput(schema: StandardSchemaV1): StructuredOutput {
  const form = toOutputSchema(schema, outputToolName)
  const tools = [toFinalAnswer(form)]
  const json_schema = { name: outputToolName, schema: toParameters(form.schema, outputToolName) }
  const response_format = { type: 'json_schema', json_schema }
  return {
    name: 'structured-output',
    form,
    wholeRun: true,
    tools: (run) => (isNative(run as RunContext) ? [] : tools),
    beforeModel({ settings }, run: RunContext) {
      if (isNative(run)) return { settings: { response_format, ...settings } }
      // After a reply that did not match the tool is forced, so that it cannot fail the same way.
      return run.flags.misshapen ? { toolChoice: outputToolName } : undefined
    },
    async wrapModel(call, next) {
      const hasFormat = call.settings.response_format === response_format
      const reply = await next().catch((error: unknown) => {
        if (!hasFormat || !isAboutFormat(error)) throw error
        const { response_format: _, ...settings } = call.settings
        const toolset = toToolset([...(call as RequestCall).toolset.tools, ...tools])
        const toolChoice: ToolChoice = call.toolChoice === 'none' ? 'none' : 'auto'
        const changes = { settings, toolset, toolChoice }
        return next(changes).then((again) => ({ ...again, outputByTool: true }))
      })
      const text = textOf(reply.message.content)
      const isAnswer = callsOf(reply.message).length === 0 && !reply.message.refusal && text.trim() !== ''
      if (call.isFinal || !isAnswer) return reply
      return { ...reply, output: await abortable(call.signal, readOutput(text, form)) }
    },
    afterReply: ({ output = nothingSaid }, { flags: { misshapen = 0 } }): RunEffects => {
      if ('value' in output) return { output: output.value }
      const content = `Your answer does not match the required schema: ${output.issues.join('; ')}. Answer again in that format.`
      return { flags: { misshapen: misshapen + 1 }, messages: [{ role: 'user', content }], continue: true }
    },
    afterStep(results) {
      const found = results.find(({ name, status }) => status === 'ok' && name === outputToolName)
      return (
        found && { answer: found.content, ...(found.result === undefined ? {} : { output: found.result }) }
      )
    },
    shouldStop: ({ flags }) => ((flags.misshapen ?? 0) >= 3 ? { reason: 'stuck' } : undefined),
  }
}

const nothingSaid: ReadOutput = { issues: ['it is empty'] }

/** Whether the server itself produces the structured output. */
function isNative({ settings: { model }, flags }: RunContext): boolean {
  return model.structuredOutput === true && !flags.outputByTool
}

function isAboutFormat(error: unknown): boolean {
  return (
    isCapstanError(error) &&
    error.code === 'invalid_request' &&
    /response_format|json_schema|structured/i.test(error.message)
  )
}

/** The tool of the final answer, for servers without structured output. */
function toFinalAnswer(form: OutputSchema): Tool {
  const made = tool({
    name: outputToolName,
    description: 'Give your final answer by calling this, once you have it. Words alone are no answer.',
    parameters: form.schema,
    effects: 'read',
    returnDirect: true,
    execute: (args) => form.unwrap(args) ?? null,
  })
  return { ...(made as Tool), isFinalAnswer: true }
}

/** Reads the output from a text reply: JSON, with or without a code fence, alone or after other text. */
async function readOutput(text: string, form: OutputSchema): Promise<ReadOutput> {
  const given = extractJson(text, form.opening)
  if (!given) return { issues: ['it is no JSON'] }
  try {
    const checked = await validate(form.schema, given.value)
    if (!checked.ok) return { issues: checked.issues }
    return { value: renderOutput(form.unwrap(checked.value)).result ?? null }
  } catch (error) {
    // The schema's code failed or returned a value that JSON would lose: the model is told, as for a tool.
    return { issues: [messageOf(error)] }
  }
}

/** The output schema that a model receives: an object schema, since tools and servers accept no other. */
export interface OutputSchema {
  /** The given schema, or an object schema around it. */
  readonly schema: StandardSchemaV1
  /** The brackets that a reply may begin with. */
  readonly opening: Opening
  /** Returns the value without the object around it. */
  unwrap(value: unknown): unknown
  /** Returns the value of a partial reply; undefined while it is ambiguous. */
  unwrapBegun(value: unknown): unknown
}

/** @throws CapstanError `invalid_tool` for a schema that JSON cannot express */
export function toOutputSchema(schema: StandardSchemaV1, tool: string): OutputSchema {
  const inner = toJsonSchema(schema, tool)
  if (inner.type !== 'object') return wrapped(schema, inner)
  const unwrapBegun = (value: unknown) => (isRecord(value) ? value : undefined)
  return { schema, opening: '{', unwrap: (value) => value, unwrapBegun }
}

/** The field of a value that is not an object. */
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

/** Wraps a schema in an object schema. Accepts values with and without the object. */
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

/** Moves definitions to the root and rewrites references to other places. */
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

/** The brackets that JSON may begin with after other text. */
type Opening = '{' | '{['

/** Parses a text as JSON: all of it, or the part from its first bracket on. Undefined when neither is JSON. */
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

/** Returns a partial text from the start of its JSON on; undefined while the start is unknown. */
export function extractOpenJson(text: string, opening: Opening): string | undefined {
  // The text may be one JSON string that contains brackets.
  const isQuoted = /^\s*(```\w*\s*)?["']/.test(text)
  const start = isQuoted ? -1 : startOf(text, opening)
  return start < 0 ? undefined : text.slice(start)
}

function startOf(text: string, opening: Opening): number {
  return text.search(opening === '{' ? /\{/ : /[{[]/)
}
