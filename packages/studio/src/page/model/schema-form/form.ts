// A form for a JSON Schema: created from a value, and converted to JSON.
import { type Field, fieldOf } from './field.js'
import { type FormState, initialState, itemField, nodeOf, otherField, stateOf } from './form-state.js'
import { parseJson, writeJson } from './json-node.js'

/**
 * A problem with a value. `path` is the value's position, such as `guest.name` or `tags.0`. It is empty for a problem
 * with the entire value.
 */
export interface FormProblem {
  readonly path: string
  readonly message: string
}

/**
 * Creates a form with the value of the JSON. If the JSON is missing or invalid, the form contains only the required
 * fields, empty.
 */
export function makeForm(
  schema: unknown,
  json?: string,
): { readonly field: Field; readonly state: FormState } {
  const field = fieldOf(schema)
  return { field, state: (json === undefined ? undefined : readForm(field, json)) ?? initialState(field) }
}

/** Returns the form state for JSON text. Undefined if the text is not valid JSON. */
export function readForm(field: Field, json: string): FormState | undefined {
  const parsed = parseJson(json)
  return 'node' in parsed ? stateOf(field, parsed.node) : undefined
}

/** Returns a state as JSON text, with numbers as the user typed them. Empty if the value is absent. */
export function writeForm(field: Field, state: FormState, isPretty = false): string {
  const node = nodeOf(field, state)
  return node ? writeJson(node, isPretty) : ''
}

/**
 * Returns the problems that the user must fix before sending: invalid JSON and duplicate names. The server checks the
 * rest.
 */
export function problemsOf(field: Field, state: FormState, path = ''): readonly FormProblem[] {
  if (state.is === 'json') {
    const parsed = state.text.trim() === '' ? undefined : parseJson(state.text)
    return parsed && 'problem' in parsed ? [{ path, message: `This is not JSON: ${parsed.problem}` }] : []
  }
  if (state.is === 'list' && field.kind === 'list') {
    return state.items.flatMap((item, at) => problemsOf(itemField(field, at), item, joinPath(path, at)))
  }
  if (state.is === 'union' && field.kind === 'union') {
    const option = field.options[state.option]
    return option ? problemsOf(option.field, state.state, path) : []
  }
  if (state.is !== 'object' || field.kind !== 'object') return []
  const names = field.fields().map(({ name }) => name)
  return [
    ...field.fields().flatMap((one, at) => {
      const inner = state.fields[at]
      return inner ? problemsOf(one.field, inner, joinPath(path, one.name)) : []
    }),
    ...state.others.flatMap(({ name, state: inner }, at) => {
      const isTwice = names.includes(name) || state.others.findIndex((one) => one.name === name) < at
      const twice = isTwice
        ? [{ path: joinPath(path, name), message: `The name "${name}" is used twice.` }]
        : []
      return [...twice, ...problemsOf(otherField(field), inner, joinPath(path, name))]
    }),
  ]
}

/** Appends a name or an index to a path. The result has the same form as the paths in the server's messages. */
export function joinPath(path: string, part: string | number): string {
  return path === '' ? String(part) : `${path}.${part}`
}

/**
 * Parses lines such as `path: message`. If the form has no field with the path, the problem applies to the entire
 * value.
 */
export function problemsOfLines(lines: readonly string[], field: Field): readonly FormProblem[] {
  return lines.map((line) => {
    const [, path = '', message = line] = /^([^\s:]+): (.*)$/s.exec(line) ?? []
    const [first = ''] = path.split('.')
    return isPart(field, first) ? { path, message } : { path: '', message: line }
  })
}

/** Parses core's message about invalid arguments: `invalid arguments for "x", the tool did not run: ...`. */
export function problemsOfRejection(text: string, field: Field): readonly FormProblem[] {
  const [, why] = /invalid arguments for ".*?", the tool did not run: (.*)/s.exec(text) ?? []
  const lines: string[] = []
  for (const part of why?.replace(/\nExpected: .*$/s, '').split('; ') ?? []) {
    // A message can contain the separator, so a part that does not start with a path continues the previous part.
    if (lines.length > 0 && !/^[^\s:]+: /.test(part)) lines.push(`${lines.pop()}; ${part}`)
    else lines.push(part)
  }
  return problemsOfLines(lines, field)
}

function isPart(field: Field, name: string): boolean {
  if (field.kind === 'union') return field.options.some((option) => isPart(option.field, name))
  return (
    field.kind === 'object' && (field.others !== undefined || field.fields().some((one) => one.name === name))
  )
}

/**
 * Returns the messages for the field with this path: problems with its own value, and with parts that have no field of
 * their own. `shown` contains the paths of the fields inside this field, which show their own problems.
 */
export function problemsAt(
  problems: readonly FormProblem[],
  path: string,
  shown: readonly string[] = [],
): readonly string[] {
  const isInside = (outer: string, inner: string) =>
    outer === '' || inner === outer || inner.startsWith(`${outer}.`)
  return problems
    .filter((one) => isInside(path, one.path) && !shown.some((part) => isInside(part, one.path)))
    .map(({ message }) => message)
}
