import { isRecord } from '../json.js'
import { readClause } from './clauses.js'
import { type ChatMessage, composeReply, type Turn, toTurn } from './conversation.js'
import { fillArguments } from './fill-arguments.js'
import { toFillContext } from './fill-context.js'
import { findSchemaViolation, type JsonSchema, narrow } from './json-schema.js'
import { type Slot, toPlannerTool } from './planner-tool.js'
import { toPlain } from './words.js'

export interface ResponseSchema {
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema
}

/** A value that matches the format, or the reason why the conversation has none. */
export type FilledFormat = { readonly value: unknown } | { readonly flaw: string }

/** Fills a format from tool results and user messages. Never invents a value. */
export function fillFormat(
  form: ResponseSchema,
  messages: readonly ChatMessage[],
  now = new Date(),
): FilledFormat {
  const turn = toTurn(messages)
  const { schema } = narrow(form.schema, form.schema)
  const isObject = schema.type === 'object' || isRecord(schema.properties)
  const whole = isObject ? schema : { type: 'object', properties: { value: schema }, required: ['value'] }
  const parameters = { ...pick(form.schema, '$defs', 'definitions'), ...whole }
  const said = [turn.request, ...[...turn.earlier.turns].reverse().map(({ request }) => request)]
  const tries = [said.slice(0, 1), said].map((texts) => {
    const filled = fillFrom({ ...form, schema: parameters }, texts, turn, now)
    const value = isObject ? filled : filled.value
    const flaw = value === undefined ? 'it contains no such value' : findSchemaViolation(value, form.schema)
    return { value, flaw }
  })
  const best = tries.find(({ flaw }) => flaw === undefined)
  return best ? { value: best.value } : { flaw: tries[0]?.flaw ?? 'the format cannot be filled' }
}

function fillFrom(
  { name, description, schema }: ResponseSchema,
  texts: readonly string[],
  turn: Turn,
  now: Date,
): Record<string, unknown> {
  const tool = toPlannerTool({ name, description, parameters: schema })
  const reading = readClause(texts.join('\n'), now)
  const made = turn.calls.flatMap(({ artifacts }) => artifacts)
  const context = toFillContext(tool, reading, [...turn.earlier.artifacts, ...turn.attachments, ...made])
  const { arguments: args } = fillArguments(tool.slots, context)
  const shared = pick(schema, '$defs', 'definitions')
  const entries = tool.slots.flatMap((slot) => {
    const fits = (value: unknown) =>
      value === null ? slot.nullable : findSchemaViolation(value, { ...shared, ...slot.schema }) === undefined
    const found = [resultFor(slot, turn), asAnswer(slot, turn), args[slot.name], nothingIn(slot)]
    const value = found.find((one) => one !== undefined && fits(one))
    return value === undefined ? [] : [[slot.name, value] as const]
  })
  return Object.fromEntries(entries)
}

// A tool result of the same name takes precedence.
function resultFor({ name, words }: Slot, { calls }: Turn): unknown {
  const results = [...calls].reverse().filter(({ failed }) => !failed)
  const key = toPlain(name) === '' ? toPlain(words) : toPlain(name)
  return results
    .map(({ result, arguments: args }) => inside(result, key) ?? inside(args, key))
    .find((one) => one !== undefined)
}

function inside(value: unknown, key: string, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > 5) return undefined
  const entries = Object.entries(value)
  const own = entries.find(([name]) => toPlain(name) === key)
  return own
    ? own[1]
    : entries.map(([, inner]) => inside(inner, key, depth + 1)).find((one) => one !== undefined)
}

// A field for the reply itself takes it as text.
function asAnswer({ kind, words }: Slot, { calls }: Turn): unknown {
  const isAnswer =
    /^(?:final )?(?:answer|response|reply|result|summary|message|text|content|explanation|output|value)$/.test(
      words,
    )
  return kind === 'text' && isAnswer && calls.length > 0 ? composeReply(calls, []) : undefined
}

// Null, an empty list and the like mean that there is no value.
function nothingIn({ required, nullable, schema }: Slot): unknown {
  if (!required) return undefined
  if (nullable) return null
  return schema.type === 'array' ? [] : undefined
}

function pick(schema: JsonSchema, ...names: string[]): JsonSchema {
  return Object.fromEntries(
    names.flatMap((name) => (Object.hasOwn(schema, name) ? [[name, schema[name]]] : [])),
  )
}
