import type { StandardSchemaV1 } from '@standard-schema/spec'
import { abortable, chain } from '../../async.js'
import { isCapstanError, messageOf } from '../../errors.js'
import { isRecord, isString, sameJson, withoutUndefined } from '../../json.js'
import type { Feature } from '../../run/feature.js'
import type { Middleware, RunView, StepEffects, ToolChoice } from '../../run/middleware.js'
import { renderOutput } from '../../tools/render-result.js'
import { strictFormats, toJsonSchema, toParameters } from '../../tools/to-json-schema.js'
import { type Tool, tool, toToolset } from '../../tools/tool.js'
import type { JsonSchemaParameters } from '../../tools/validate.js'
import { outcomeOf, validate, withValidator } from '../../tools/validate.js'
import { callsOf, textOf } from '../../types/message.js'
import type { OutputSchema, ReadOutput } from '../../types/model.js'

export const outputToolName = 'final_answer'

type JsonObject = Readonly<Record<string, unknown>>

/** Adds the `output` option, which ends runs with a value that matches a schema. */
export function structuredOutput(): Feature {
  return {
    name,
    wholeRun: true,
    agentOptions: { output: 'a schema: z.object({ ... })' },
    forAgent: ({ output }: { readonly output?: StandardSchemaV1 }) => output && toMiddleware(output),
  }
}

/**
 * Creates the middleware that ends runs with a value that matches a schema. Servers with structured output receive the
 * schema; other servers receive the tool `final_answer`. If a reply does not match, the model is told why; after 3 such
 * replies in a row, the run ends as `stuck`.
 * @throws CapstanError `invalid_tool` for a schema that JSON Schema cannot express
 */
function toMiddleware(schema: StandardSchemaV1): Middleware {
  const form = toOutputSchema(schema, outputToolName)
  const tools = [toFinalAnswer(form)]
  const json_schema = {
    name: outputToolName,
    ...toStrict(toParameters(form.schema, outputToolName), schema['~standard'].vendor === 'zod'),
  }
  const response_format = { type: 'json_schema', json_schema }
  return {
    name,
    outputSchema: form,
    wholeRun: true,
    toolNames: [outputToolName],
    tools: (run) => (isNative(run) ? [] : tools),
    beforeModel({ settings }, run) {
      if (isNative(run)) return { settings: { response_format, ...settings } }
      // After a reply that did not match, the tool is forced, so that the next reply cannot fail in the same way.
      return keptOf(run).mismatches ? { toolChoice: outputToolName } : undefined
    },
    async wrapModel(call, next, run) {
      const hasFormat = call.settings.response_format === response_format
      const reply = await next().catch((error: unknown) => {
        if (!hasFormat || !isAboutFormat(error)) throw error
        const { response_format: _, ...settings } = call.settings
        const toolset = toToolset([...call.toolset.tools, ...tools])
        const toolChoice: ToolChoice = call.toolChoice === 'none' ? 'none' : 'auto'
        const changes = { settings, toolset, toolChoice }
        return next(changes).then((again) => ({
          ...again,
          kept: { ...again.kept, [name]: { ...keptOf(run), byTool: true } },
        }))
      })
      const text = textOf(reply.message.content)
      const isAnswer = callsOf(reply.message).length === 0 && !reply.message.refusal && text.trim() !== ''
      if (call.isFinal || !isAnswer) return reply
      const output = await abortable(call.signal, readOutput(text, form))
      // The schema may have accepted a call that was written as text, but dropped its arguments.
      const isCall = reply.textCalls && 'value' in output && !sameJson(text, JSON.stringify(output.value))
      return { ...reply, output: isCall ? { issues: ['it is a tool call'] } : output }
    },
    afterReply: (reply, run): StepEffects => {
      const output: ReadOutput = reply.output ?? { issues: ['the reply is empty'] }
      if ('value' in output) return { output: output.value }
      // Text for the model.
      const content = `Your reply does not match the required schema: ${output.issues.join('; ')}. Try again.`
      const kept = keptOf(run)
      const state = { ...kept, mismatches: (kept.mismatches ?? 0) + 1 }
      return { state, messages: [{ role: 'user', content }], continue: true }
    },
    afterStep(results) {
      const found = results.find(({ name, status }) => status === 'ok' && name === outputToolName)
      return found && withoutUndefined({ endWith: found.content, output: found.result })
    },
    shouldStop: (run) => ((keptOf(run).mismatches ?? 0) >= 3 ? { reason: 'stuck' } : undefined),
    onResume: (state, { stopReason }) =>
      stopReason === 'stuck'
        ? { ...state, kept: { ...state.kept, [name]: { ...keptOf(state), mismatches: 0 } } }
        : state,
  }
}

/**
 * Returns the schema for a response format, with `strict` if servers accept the schema as strict. To make it strict,
 * zod objects that drop unknown fields are sent as closed, and zod unions as `anyOf`. The reply is still checked
 * against the original schema.
 */
function toStrict(
  schema: JsonObject,
  isZod: boolean,
): { readonly strict?: true; readonly schema: JsonObject } {
  const strict = isZod ? JSON.parse(JSON.stringify(schema), closed) : schema
  return isStrict(strict) ? { strict: true, schema: strict } : { schema }
}

function closed(_key: string, part: unknown): unknown {
  if (!isRecord(part)) return part
  const { oneOf, ...rest } = part
  if (Array.isArray(oneOf)) return { ...rest, anyOf: oneOf }
  return part.type === 'object' && part.properties ? { additionalProperties: false, ...part } : part
}

/**
 * Whether a schema follows api.openai.com's rules for strict schemas: all properties are required, no others are
 * allowed, and all keywords are supported.
 */
export function isStrict(part: unknown, level = 0): boolean {
  if (!isRecord(part) || level > 10 || !Object.keys(part).every((name) => strictKeywords.includes(name)))
    return false
  const { $ref, $defs, definitions, type, anyOf, items, properties, required = [], format, pattern } = part
  if ($ref !== undefined) return Object.keys(part).length === 1 && strictReference.test(String($ref))
  const areStrict = (parts: unknown, inner: number) =>
    Object.values(Object(parts)).every((one) => isStrict(one, inner))
  const types = [type].flat()
  const names = Object.keys(Object(properties))
  const isUnion = type === undefined && level > 0 && Array.isArray(anyOf)
  return (
    (isUnion ? areStrict(anyOf, level) : anyOf === undefined && types.every(isString)) &&
    (!types.includes('object') || (isRecord(properties) && part.additionalProperties === false)) &&
    JSON.stringify(names.sort()) === JSON.stringify([required].flat().sort()) &&
    (!types.includes('array') || isStrict(items, level + 1)) &&
    (format === undefined || strictFormats.includes(String(format))) &&
    !richPattern.test(String(pattern ?? '')) &&
    [properties, $defs, definitions].every((parts) => areStrict(parts, level + 1))
  )
}

const strictKeywords =
  'type title description enum const anyOf $ref $defs definitions items properties required additionalProperties minItems maxItems pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'.split(
    ' ',
  )
const strictReference = /^#(\/(\$defs|definitions)\/[^/]+)?$/
/** Matches patterns with lookaround or backreferences. */
const richPattern = /\(\?(?!:)|\\[1-9k]/

const name = 'structured-output'

/** The middleware's data in the run's state. */
type Kept = {
  /** Consecutive replies that did not match the schema. */
  readonly mismatches?: number
  /** True if the server does not support structured output and a tool is used instead. */
  readonly byTool?: boolean
}

function keptOf({ kept }: Pick<RunView, 'kept'>): Kept {
  return Object(kept[name])
}

/** Whether the server itself produces the structured output. */
function isNative(run: RunView): boolean {
  return run.model.structuredOutput === true && !keptOf(run).byTool
}

function isAboutFormat(error: unknown): boolean {
  return (
    isCapstanError(error) &&
    error.code === 'invalid_request' &&
    /response_format|json_schema|structured/i.test(error.message)
  )
}

/** Creates the tool for the final answer, for servers without structured output. */
function toFinalAnswer(form: OutputSchema): Tool {
  const made = tool({
    name: outputToolName,
    description: 'Call this tool to give your final answer. Do not answer in plain text.',
    parameters: form.schema,
    effects: 'read',
    returnDirect: true,
    execute: (args) => form.unwrap(args) ?? null,
  })
  return { ...(made as Tool), endsRun: true }
}

/** Reads the output from a text reply: JSON, with or without a code fence, at the start or after other text. */
async function readOutput(text: string, form: OutputSchema): Promise<ReadOutput> {
  const given = extractJson(text, form.opening)
  if (!given) return { issues: ['not valid JSON'] }
  try {
    const checked = await validate(form.schema, given.value)
    if (checked.issues) return checked
    return { value: renderOutput(form.unwrap(checked.value)).result ?? null }
  } catch (error) {
    // The schema's code failed, or returned a value that JSON cannot represent. The model is told, as with a tool.
    return { issues: [messageOf(error)] }
  }
}

/**
 * Returns the schema for the model's output. A schema that is not an object schema is wrapped in one.
 * @throws CapstanError `invalid_tool` for a schema that JSON Schema cannot express
 */
export function toOutputSchema(schema: StandardSchemaV1, tool: string): OutputSchema {
  const inner = toJsonSchema(schema, tool)
  return inner.type === 'object'
    ? { schema, opening: '{', unwrap: (value) => value }
    : { schema: around(schema, inner), opening: '{[', unwrap: unwrapped }
}

/** The field that contains the output if the schema was wrapped in an object. */
export const outputField = 'result'

function unwrapped(value: unknown): unknown {
  return isRecord(value) && Object.hasOwn(value, outputField) ? value[outputField] : value
}

/** Wraps a schema in an object schema. The result accepts values with and without the wrapper object. */
function around(schema: StandardSchemaV1, inner: Readonly<Record<string, unknown>>): JsonSchemaParameters {
  return withValidator(toObjectSchema(inner), (value) => {
    const given = unwrapped(value)
    const path = given === value ? [] : [outputField]
    return chain<StandardSchemaV1.Result<unknown>, Wrapped>(outcomeOf(schema, given), (checked) => {
      if (!checked.issues) return { value: { [outputField]: checked.value } }
      // Text for the model.
      if (isRecord(value) && given === value)
        return { issues: [{ message: 'required: put the answer here', path: [outputField] }] }
      return { issues: checked.issues.map((one) => ({ ...one, path: [...path, ...(one.path ?? [])] })) }
    })
  })
}

type Wrapped = StandardSchemaV1.Result<Record<string, unknown>>

/**
 * Puts a schema into an object schema. Moves the schema's definitions to the root, and rewrites references to the
 * schema's other parts.
 */
function toObjectSchema(inner: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { $schema, $id, definitions, $defs, ...rest } = JSON.parse(JSON.stringify(inner), (key, part) =>
    key === '$ref' && isString(part)
      ? part.replace(/^#(?=\/|$)(?!\/(definitions|\$defs)\/)/, `#/properties/${outputField}`)
      : part,
  )
  return {
    type: 'object',
    properties: { [outputField]: rest },
    required: [outputField],
    additionalProperties: false,
    ...withoutUndefined({ definitions, $defs }),
  }
}

/** The brackets that JSON may start with after other text. */
type Opening = '{' | '{['

/** Parses text as JSON: all of it, or else the part from its first bracket on. Undefined if neither part is JSON. */
export function extractJson(text: string, opening: Opening): { readonly value: unknown } | undefined {
  const start = startOf(text, opening)
  const rest = start < 0 ? text.trim().replace(/^```\w*/, '') : text.slice(start).trimEnd()
  for (const one of [text, rest.replace(/```$/, '')]) {
    try {
      return { value: JSON.parse(one) }
    } catch {}
  }
  return undefined
}

/** Returns partial text from the start of its JSON on. Undefined until the JSON has started. */
export function extractOpenJson(text: string, opening: Opening): string | undefined {
  // The text may be one JSON string that contains brackets.
  const isQuoted = /^\s*(```\w*\s*)?["']/.test(text)
  const start = isQuoted ? -1 : startOf(text, opening)
  return start < 0 ? undefined : text.slice(start)
}

function startOf(text: string, opening: Opening): number {
  return text.search(opening === '{' ? /\{/ : /[{[]/)
}
