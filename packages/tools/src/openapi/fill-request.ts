import type { Argument, Parameter, RequestPlan } from './request-plan.js'
import {
  ArgumentError,
  encode,
  isHeaderText,
  type Pair,
  textOf,
  toHeaderValue,
  toPairs,
  toPathText,
} from './styles.js'

/** A request with the arguments filled in. Its body has not been converted to bytes yet. */
export interface FilledRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Each entry is `name=value`. */
  readonly cookies: readonly string[]
  /** The body's value. Undefined if there is none. */
  readonly body: unknown
}

/** Thrown for an argument that cannot be sent. Contains the argument's name. */
export class InvalidArgument extends Error {
  constructor(
    readonly argument: string,
    problem: string,
  ) {
    super(problem)
  }
}

type Values = Readonly<Record<string, unknown>>

/**
 * Fills in a request. The arguments must match the schema.
 * @throws InvalidArgument for a value that cannot be sent where its argument belongs, or that would change the
 * request's target
 */
export function fillRequest(plan: RequestPlan, values: Values): FilledRequest {
  const url = addressOf(plan, values)
  url.search = pairsIn('query', plan, values).join('&')
  const headers: Record<string, string> = {}
  for (const { name, argument, value } of given(plan, values))
    if (argument.in === 'header')
      headers[argument.name.toLowerCase()] = checked(name, () => toHeader(argument, value))
  return { url, headers, cookies: pairsIn('cookie', plan, values), body: bodyOf(plan, values) }
}

interface GivenArgument {
  readonly name: string
  readonly argument: Argument
  readonly value: unknown
}

function given({ arguments: all }: RequestPlan, values: Values): readonly GivenArgument[] {
  return [...all].flatMap(([name, argument]) =>
    Object.hasOwn(values, name) && values[name] !== undefined
      ? [{ name, argument, value: values[name] }]
      : [],
  )
}

function checked<T>(name: string, write: () => T): T {
  try {
    return write()
  } catch (error) {
    if (error instanceof ArgumentError) throw new InvalidArgument(name, error.message)
    throw error
  }
}

/**
 * Returns the URL with the path filled in.
 * @throws InvalidArgument for a value that is empty or would leave its path segment
 */
function addressOf(plan: RequestPlan, values: Values): URL {
  const texts = new Map<string, { readonly name: string; readonly text: string }>()
  for (const { name, argument, value } of given(plan, values)) {
    if (argument.in !== 'path') continue
    checkPathValue(name, value)
    const text = checked(name, () =>
      argument.content
        ? encode(contentText(argument, value))
        : toPathText(argument.name, value, argument.style),
    )
    texts.set(argument.name, { name, text })
  }
  const filled = plan.path.split('/').map((segment) => {
    const text = segment.replace(/\{([^{}]*)\}/g, (_, name: string) => texts.get(name)?.text ?? '')
    const [, first = ''] = /\{([^{}]*)\}/.exec(segment) ?? []
    const argument = texts.get(first)?.name ?? first
    if (text === '' && segment !== '')
      throw new InvalidArgument(argument, 'a path cannot contain an empty value')
    if (segment !== text && isDots(text)) throw new InvalidArgument(argument, dots)
    return text
  })
  const { server } = plan
  const path = `${server.pathname.replace(/\/$/, '')}${filled.join('/')}`
  const url = new URL(server)
  url.pathname = path
  return url
}

/**
 * Rejects values that would leave their path segment, even after decoding: a server may decode a path before splitting
 * it, and more than once.
 * @throws InvalidArgument for such a value, or for a control character
 */
function checkPathValue(name: string, value: unknown): void {
  const texts = typeof value === 'object' && value !== null ? [Object.entries(value)].flat(2) : [value]
  for (const text of texts.map(textOf)) {
    let decoded = text
    for (let layer = 0; layer < 3; layer++) {
      if (decoded.split(/[/\\]/).some(isDots)) throw new InvalidArgument(name, dots)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these cannot be in a path.
      if (/[\x00-\x1f\x7f]/.test(decoded))
        throw new InvalidArgument(name, 'a path cannot contain control characters')
      decoded = decodedOnce(decoded)
    }
  }
}

const dots = 'a path cannot contain "." or ".." as a segment'

function isDots(text: string): boolean {
  return /^(\.|%2e){1,2}$/i.test(text)
}

function decodedOnce(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (one) => String.fromCharCode(Number.parseInt(one.slice(1), 16)))
}

/**
 * Returns the query parameters or cookies as `name=value`. The fields of an object may become separate parameters.
 * @throws InvalidArgument if such a field has the same name as another parameter
 */
function pairsIn(place: 'query' | 'cookie', plan: RequestPlan, values: Values): readonly string[] {
  const own = [...plan.arguments.values()].flatMap((one) => (one.in === place ? [encode(one.name)] : []))
  return given(plan, values).flatMap(({ name, argument, value }) => {
    if (argument.in !== place) return []
    const pairs = checked(name, () => pairsOf(argument, value))
    for (const [key] of pairs)
      if (
        key !== encode(argument.name) &&
        (own.includes(key) || plan.isTaken(place, decodeURIComponent(key)))
      )
        throw new InvalidArgument(name, `its field "${key}" has the name of another parameter`)
    return pairs.map((pair) => pair.join('='))
  })
}

function pairsOf(argument: Parameter, value: unknown): readonly Pair[] {
  const { name, style, content } = argument
  if (content !== undefined) return [[encode(name), encode(contentText(argument, value))]]
  return toPairs(name, value, style)
}

function toHeader(argument: Parameter, value: unknown): string {
  if (argument.content === undefined) return toHeaderValue(value, argument.style)
  const text = contentText(argument, value)
  if (!isHeaderText(text))
    throw new ArgumentError('a header cannot contain this value: use plain text on one line')
  return text
}

function contentText({ content = '' }: Parameter, value: unknown): string {
  return /json/i.test(content) ? JSON.stringify(value) : textOf(value)
}

/**
 * Returns the body's value: the argument for the entire body, or an object with the arguments for its fields. Undefined
 * if the body is optional and no argument is given.
 */
function bodyOf(plan: RequestPlan, values: Values): unknown {
  if (!plan.body) return undefined
  const all = given(plan, values)
  const whole = all.find(({ argument }) => argument.in === 'body')
  if (whole) return whole.value
  const fields = all.filter(({ argument }) => argument.in === 'field')
  if (fields.length === 0 && !(plan.body.isRequired && plan.body.fields)) return undefined
  return Object.fromEntries(fields.map(({ argument, value }) => [argument.name, value]))
}
