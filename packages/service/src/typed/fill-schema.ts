import { isRecord } from '../json.js'
import { findSchemaViolation, type JsonSchema, narrow } from '../json-schema.js'
import { type ChatMessage, composeReply, type Turn, toTurn } from '../plan/conversation.js'
import { type PlannerTool, type Slot, toPlannerTool } from '../plan/planner-tool.js'
import { mainTextOf, takesSentences } from '../plan/text-candidates.js'
import { toPlain } from '../plan/words.js'
import { fillFromText } from './fill-from-text.js'

export interface ResponseSchema {
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema
}

/** A value that matches the format, or the reason why the conversation does not contain one. */
export type FilledFormat = { readonly value: unknown } | { readonly flaw: string }

interface FormatOptions {
  /** The current time. Default: now. */
  readonly now?: Date
  /** Whether a field such as `prompt` or `query` gets the entire request. Default: false. */
  readonly takesPrompt?: boolean
}

/** Fills a format from tool results and user messages. Never invents a value. */
export function fillFormat(
  form: ResponseSchema,
  messages: readonly ChatMessage[],
  { now = new Date(), takesPrompt = false }: FormatOptions = {},
): FilledFormat {
  const turn = toTurn(messages)
  const { schema } = narrow(form.schema, form.schema)
  const isObject = schema.type === 'object' || isRecord(schema.properties)
  const whole = isObject ? schema : { type: 'object', properties: { value: schema }, required: ['value'] }
  const parameters = { ...pick(form.schema, '$defs', 'definitions'), ...whole }
  const tool = toPlannerTool({ ...form, parameters })
  const said = [turn.request, ...[...turn.earlier.turns].reverse().map(({ request }) => request)]
  const tries = [said.slice(0, 1), said].map((texts) => {
    const { filled, lacking } = fillFrom({ tool, schema: parameters, takesPrompt }, texts, turn, now)
    const value = isObject ? filled : filled.value
    const flaw =
      isObject && lacking.length > 0
        ? `the answer must have ${listed(lacking)}`
        : value === undefined
          ? 'it contains no such value'
          : findSchemaViolation(value, form.schema)
    return { value, flaw }
  })
  const best = tries.find(({ flaw }) => flaw === undefined)
  return best ? { value: best.value } : { flaw: tries[1]?.flaw ?? 'the format cannot be filled' }
}

function fillFrom(
  { tool, schema, takesPrompt }: { tool: PlannerTool; schema: JsonSchema; takesPrompt: boolean },
  texts: readonly string[],
  turn: Turn,
  now: Date,
): { readonly filled: Readonly<Record<string, unknown>>; readonly lacking: readonly string[] } {
  const made = turn.calls.flatMap(({ artifacts }) => artifacts)
  const args = fillFromText(tool, texts.join('\n'), {
    now,
    artifacts: [...turn.earlier.artifacts, ...turn.attachments, ...made],
  })
  const shared = pick(schema, '$defs', 'definitions')
  const asked = ({ name, words }: Slot) =>
    takesPrompt && name === mainTextOf(tool)?.name && takesSentences.test(words) ? turn.request : undefined
  const entries = tool.slots.map((slot) => {
    const fits = (value: unknown) =>
      value === null ? slot.nullable : findSchemaViolation(value, { ...shared, ...slot.schema }) === undefined
    const found = [resultFor(slot, turn), asAnswer(slot, turn), args[slot.name], asked(slot)]
    const isFit = (one: unknown) => one !== undefined && fits(one)
    return { slot, value: found.find(isFit), nothing: [nothingIn(slot)].find(isFit) }
  })
  // If the text contains no value at all, an empty array would be a guess too.
  const isEmpty = entries.every(({ value }) => value === undefined)
  const filled = entries.map(({ slot, value, nothing }) => ({
    slot,
    value: value === undefined && !(isEmpty && Array.isArray(nothing)) ? nothing : value,
  }))
  const given = filled.filter(({ value }) => value !== undefined)
  return {
    filled: Object.fromEntries(given.map(({ slot, value }) => [slot.name, value])),
    lacking: filled.flatMap(({ slot, value }) =>
      value === undefined && slot.required ? missingIn(slot, args[slot.name]) : [],
    ),
  }
}

/** Returns the paths of missing values: of the field itself or, for an object, of its missing fields. */
function missingIn({ name, kind, inner }: Slot, value: unknown): string[] {
  const open = inner.filter((slot) => slot.required && !(isRecord(value) && Object.hasOwn(value, slot.name)))
  if (kind !== 'object' || open.length === 0) return [name]
  return open.flatMap((slot) => missingIn(slot, undefined)).map((path) => `${name}.${path}`)
}

/** Formats names as `"a", "b" and "c"`. */
function listed(names: readonly string[]): string {
  const quoted = names.map((name) => JSON.stringify(name))
  return [quoted.slice(0, -1).join(', '), quoted.at(-1)].filter(Boolean).join(' and ')
}
// A tool result with the field's name takes precedence.
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

// A field for the reply itself gets the text of the reply.
function asAnswer({ kind, words }: Slot, { calls }: Turn): unknown {
  const isAnswer =
    /^(?:final )?(?:answer|response|reply|result|summary|message|text|content|explanation|output|value)$/.test(
      words,
    )
  return kind === 'text' && isAnswer && calls.length > 0 ? composeReply(calls, []) : undefined
}

// Null, an empty array and the like mean that there is no value.
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
