import { isSame, parsed } from './values.js'

export type ChangeKind = 'same' | 'added' | 'removed' | 'changed'

/** The value of a field in a request (`after`) and in the previous request (`before`). */
export interface FieldChange {
  readonly name: string
  readonly kind: ChangeKind
  readonly before?: unknown
  readonly after?: unknown
}

/** An array item in a request, such as a message or a tool, compared with the same item in the previous request. */
export interface ItemChange extends FieldChange {
  readonly index: number
}

/** A comparison of two requests. Includes the parts that are equal. */
export interface RequestDiff {
  /** All fields except tools and messages (or `input`). */
  readonly fields: readonly FieldChange[]
  readonly messages: readonly ItemChange[]
  readonly tools: readonly ItemChange[]
}

const listNames = ['messages', 'input', 'tools']

/** Compares a request with the previous one: fields and tools by name, messages by position. */
export function diffRequests(before: unknown, after: unknown): RequestDiff {
  const old = toObject(before)
  const now = toObject(after)
  const names = [...new Set([...Object.keys(now), ...Object.keys(old)])]
  return {
    fields: names
      .filter((name) => !listNames.includes(name))
      .map((name) => ({ name, ...change(old[name], now[name]) })),
    messages: diffLists(old['messages'] ?? old['input'], now['messages'] ?? now['input']),
    tools: diffTools(old['tools'], now['tools']),
  }
}

/** Whether a comparison found no difference. */
export function isUnchanged({ fields, messages, tools }: RequestDiff): boolean {
  return [...fields, ...messages, ...tools].every(({ kind }) => kind === 'same')
}

/** Compares messages by position, because a conversation usually grows only at its end. */
function diffLists(before: unknown, after: unknown): ItemChange[] {
  const old = Array.isArray(before) ? before : []
  const now = Array.isArray(after) ? after : []
  const length = Math.max(old.length, now.length)
  return Array.from({ length }, (_, index) => ({
    index,
    name: nameOf(now[index] ?? old[index]),
    ...change(old[index], now[index]),
  }))
}

/** Compares tools by name, because their order has no meaning. */
function diffTools(before: unknown, after: unknown): ItemChange[] {
  const old = Array.isArray(before) ? before : []
  const now = Array.isArray(after) ? after : []
  const names = [...new Set([...now, ...old].map(nameOf))]
  const find = (list: readonly unknown[], name: string) => list.find((item) => nameOf(item) === name)
  return names.map((name, index) => ({ index, name, ...change(find(old, name), find(now, name)) }))
}

function change(before: unknown, after: unknown): Omit<FieldChange, 'name'> {
  const kind =
    before === undefined
      ? 'added'
      : after === undefined
        ? 'removed'
        : isSame(before, after)
          ? 'same'
          : 'changed'
  return { kind, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }
}

function nameOf(item: unknown): string {
  const { role, name, function: called, type } = Object(item)
  const found = role ?? name ?? Object(called).name ?? type
  return typeof found === 'string' ? found : '?'
}

function toObject(value: unknown): Record<string, unknown> {
  const object = parsed(value)
  return typeof object === 'object' && object !== null ? (object as Record<string, unknown>) : {}
}
