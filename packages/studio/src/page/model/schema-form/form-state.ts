// The state of a form, which is what the user has entered in each field, and its conversion from and to JSON.
import { type Field, fieldOf, type ListField, type ObjectField } from './field.js'
import { isNumberText, isSameNode, type JsonNode, parseJson, writeJson } from './json-node.js'

/** The content of a field. `absent`, `null` and an empty string are three different states. */
export type FormState =
  | { readonly is: 'absent' }
  | { readonly is: 'null' }
  | { readonly is: 'text'; readonly text: string }
  /** A number, as the user typed it. */
  | { readonly is: 'number'; readonly text: string }
  | { readonly is: 'boolean'; readonly value: boolean }
  | { readonly is: 'choice'; readonly option: number }
  | ObjectState
  | { readonly is: 'list'; readonly items: readonly FormState[] }
  | { readonly is: 'union'; readonly option: number; readonly state: FormState }
  /** JSON text, used if this part has no form or its value does not match the form. */
  | { readonly is: 'json'; readonly text: string }

interface ObjectState {
  readonly is: 'object'
  /** The states of the fields that the schema lists, in the order of `ObjectField.fields`. */
  readonly fields: readonly FormState[]
  /** Entries for properties that the schema does not list. */
  readonly others: readonly { readonly name: string; readonly state: FormState }[]
}

const absent: FormState = { is: 'absent' }

/**
 * The maximum depth at which required fields are created. Without a maximum, a schema that requires itself would cause
 * endless recursion.
 */
const mostInitialDepth = 6

/** Returns the state of an empty form, in which only the required fields are present. */
export function initialState(field: Field, depth = 0): FormState {
  if (depth > mostInitialDepth) return absent
  if (field.kind === 'text') return { is: 'text', text: '' }
  if (field.kind === 'number') return { is: 'number', text: '' }
  if (field.kind === 'choice') return field.options.length === 1 ? { is: 'choice', option: 0 } : absent
  if (field.kind === 'list') {
    const items = field.prefix().map((one) => initialState(one, depth + 1))
    const more = Math.min((field.minItems ?? 0) - items.length, 20)
    for (let at = 0; at < more; at++) items.push(initialState(itemField(field, items.length), depth + 1))
    return { is: 'list', items }
  }
  if (field.kind === 'union') {
    const [first] = field.options
    return first ? { is: 'union', option: 0, state: initialState(first.field, depth + 1) } : absent
  }
  if (field.kind === 'json') return { is: 'json', text: '' }
  if (field.kind !== 'object') return absent
  const fields = field.fields().map((one) => (one.isRequired ? initialState(one.field, depth + 1) : absent))
  return { is: 'object', fields, others: [] }
}

/** Returns the state of an optional field that the user has just added: its default or an empty value. */
export function presentState(field: Field): FormState {
  if (field.default) return stateOf(field, field.default)
  const state = initialState(field)
  if (state.is !== 'absent') return state
  if (field.kind === 'boolean') return { is: 'boolean', value: false }
  return field.kind === 'choice' ? { is: 'choice', option: 0 } : { is: 'json', text: '' }
}

export function itemField(field: ListField, at: number): Field {
  return field.prefix()[at] ?? field.item?.() ?? anyField
}

/**
 * Returns the field for a property that the schema does not list. If the schema allows no such property, the field
 * accepts any JSON.
 */
export function otherField(field: ObjectField): Field {
  return field.others?.() ?? anyField
}

const anyField = fieldOf({})

/** Returns the form state for a value. Values that do not match the form become JSON text. */
export function stateOf(field: Field, node: JsonNode | undefined): FormState {
  if (!node) return absent
  return stateThatFits(field, node) ?? { is: 'json', text: writeJson(node, true) }
}

function stateThatFits(field: Field, node: JsonNode): FormState | undefined {
  if (field.kind === 'choice') {
    // If an option is spelled differently in the value, such as 1.0 for 1, keeps the value's spelling.
    const option = field.options.findIndex(({ value }) => writeJson(value) === writeJson(node))
    if (option !== -1) return { is: 'choice', option }
  }
  if (node.is === 'null') return field.isNullable ? { is: 'null' } : unionState(field, node)
  if (node.is === 'text' && field.kind === 'text') return { is: 'text', text: node.text }
  if (node.is === 'number' && field.kind === 'number') return { is: 'number', text: node.text }
  if (node.is === 'boolean' && field.kind === 'boolean') return { is: 'boolean', value: node.value }
  if (node.is === 'list' && field.kind === 'list') {
    return { is: 'list', items: node.items.map((item, at) => stateOf(itemField(field, at), item)) }
  }
  if (node.is === 'object' && field.kind === 'object') return objectState(field, node.entries)
  return unionState(field, node)
}

function objectState(field: ObjectField, entries: readonly (readonly [string, JsonNode])[]): ObjectState {
  const names = field.fields().map(({ name }) => name)
  const values = new Map(entries)
  return {
    is: 'object',
    fields: field.fields().map((one) => stateOf(one.field, values.get(one.name))),
    others: [...values]
      .filter(([name]) => !names.includes(name))
      .map(([name, value]) => ({ name, state: stateOf(otherField(field), value) })),
  }
}

/**
 * Returns the state for the first option that matches the entire value, otherwise for the first option whose type and
 * constants match. Undefined if no option matches.
 */
function unionState(field: Field, node: JsonNode): FormState | undefined {
  if (field.kind !== 'union') return undefined
  const whole = field.options.findIndex((option) => fitsField(option.field, node))
  const option = whole !== -1 ? whole : field.options.findIndex((one) => mayBe(one.field, node))
  const chosen = field.options[option]
  return chosen && { is: 'union', option, state: stateOf(chosen.field, node) }
}

/** Whether a value matches a field's type and contains all required parts. Does not check bounds or formats. */
export function fitsField(field: Field, node: JsonNode): boolean {
  if (node.is === 'null' && field.isNullable) return true
  if (field.kind === 'json') return true
  if (field.kind === 'choice') return field.options.some(({ value }) => isSameNode(value, node))
  if (field.kind === 'union') return field.options.some((option) => fitsField(option.field, node))
  if (field.kind === 'number') return node.is === 'number' && (!field.isInteger || isInteger(node.text))
  if (field.kind === 'list') {
    if (node.is !== 'list' || (!field.item && node.items.length > field.prefix().length)) return false
    return node.items.every((item, at) => fitsField(itemField(field, at), item))
  }
  if (field.kind !== 'object') return node.is === field.kind
  if (node.is !== 'object') return false
  const values = new Map(node.entries)
  const named = field.fields()
  const isNamed = (name: string) => named.some((one) => one.name === name)
  const isWhole = named.every((one) => {
    const value = values.get(one.name)
    return value ? fitsField(one.field, value) : !one.isRequired
  })
  const others = [...values].filter(([name]) => !isNamed(name))
  return isWhole && others.every(([, value]) => field.others && fitsField(field.others(), value))
}

function isInteger(text: string): boolean {
  return Number.isInteger(Number(text))
}

/** Whether a value matches a field's type and constants, even if other parts are missing or wrong. */
function mayBe(field: Field, node: JsonNode): boolean {
  if (field.kind === 'union') return field.options.some((option) => mayBe(option.field, node))
  if (field.kind !== 'object') return field.kind === node.is || fitsField(field, node)
  if (node.is !== 'object') return false
  const values = new Map(node.entries)
  return field.fields().every((one) => {
    const value = values.get(one.name)
    return one.constant === undefined || !value || fitsField(one.field, value)
  })
}

/** Returns the value of a field's state. Undefined if the field is absent. */
export function nodeOf(field: Field, state: FormState): JsonNode | undefined {
  if (state.is === 'absent') return undefined
  if (state.is === 'null' || state.is === 'text' || state.is === 'boolean') return state
  if (state.is === 'number') return numberNode(state.text)
  if (state.is === 'choice') return field.kind === 'choice' ? field.options[state.option]?.value : undefined
  if (state.is === 'json') {
    const parsed = parseJson(state.text)
    return 'node' in parsed ? parsed.node : state.text.trim() ? { is: 'text', text: state.text } : undefined
  }
  if (state.is === 'union') {
    const option = field.kind === 'union' ? field.options[state.option] : undefined
    return option && nodeOf(option.field, state.state)
  }
  if (state.is === 'list') {
    if (field.kind !== 'list') return undefined
    // An array cannot have gaps, so an item that is still empty is sent as an empty value.
    const items = state.items.map((item, at) => nodeOf(itemField(field, at), item) ?? emptyItem(item))
    return { is: 'list', items }
  }
  return field.kind === 'object' ? objectNode(field, state) : undefined
}

/**
 * Returns the node for a number that the user typed. Text that is not a number is returned unchanged, so that the
 * tool's schema reports the problem.
 */
function numberNode(typed: string): JsonNode | undefined {
  const text = typed.trim()
  if (text === '') return undefined
  return isNumberText(text) ? { is: 'number', text } : { is: 'text', text: typed }
}

function emptyItem(state: FormState): JsonNode {
  return state.is === 'number' || state.is === 'json' ? { is: 'text', text: '' } : { is: 'null' }
}

function objectNode(field: ObjectField, state: ObjectState): JsonNode {
  const named = field.fields().map((one, at) => {
    const inner = state.fields[at]
    return [one.name, inner && nodeOf(one.field, inner)] as const
  })
  const others = state.others.map(
    ({ name, state: inner }) => [name, nodeOf(otherField(field), inner)] as const,
  )
  const entries = [...named, ...others].flatMap(([name, node]) => (node ? [[name, node] as const] : []))
  return { is: 'object', entries }
}
