// Writes parameters in the styles that RFC 6570 and OpenAPI define.
import { isRecord } from '@capstan/core/internal'

/** How a parameter is serialized. `name` is OpenAPI's `style`: `simple`, `form`, `deepObject` and so on. */
export interface Style {
  readonly name: string
  /** Whether each item of an array, or each field of an object, is written separately. */
  readonly explode: boolean
  /** Whether reserved characters remain unencoded, unless they would end the value. */
  readonly allowReserved: boolean
}

/** Thrown for a value that cannot be written as its parameter requires. The message does not name the parameter. */
export class ArgumentError extends Error {}

/** Writes a path value in the style `simple`, `label` or `matrix`. */
export function toPathText(name: string, value: unknown, style: Style): string {
  const pieces = piecesOf(value, encode)
  const { explode } = style
  if (style.name === 'label') return `.${joinPieces(pieces, explode ? '.' : ',', explode)}`
  if (style.name !== 'matrix') return joinPieces(pieces, ',', explode)
  const key = encode(name)
  if (!explode || pieces.kind === 'one') {
    const text = joinPieces(pieces, ',', false)
    return text === '' ? `;${key}` : `;${key}=${text}`
  }
  if (pieces.kind === 'fields') return pieces.fields.map(([field, text]) => `;${field}=${text}`).join('')
  return pieces.items.map((item) => `;${key}=${item}`).join('')
}

/**
 * Writes a query, form or cookie value as one or more pairs of name and value, depending on its style. Returns no pairs
 * for an empty array.
 * @throws ArgumentError if an item contains the delimiter
 */
export function toPairs(name: string, value: unknown, style: Style): readonly Pair[] {
  const write = style.allowReserved ? encodeSome : encode
  const key = encode(name)
  if (style.name === 'deepObject' && typeof value === 'object') return deepPairs(name, value)
  const pieces = piecesOf(value, write)
  if (pieces.kind === 'one') return [[key, pieces.text]]
  const all = pieces.kind === 'list' ? pieces.items : pieces.fields.flat()
  if (all.length === 0) return []
  if (style.explode && pieces.kind === 'list') return all.map((item) => [key, item])
  if (style.explode && pieces.kind === 'fields') return pieces.fields
  const delimiter = delimiters[style.name] ?? ','
  if (delimiter !== ',' && all.some((one) => one.includes(delimiter)))
    throw new ArgumentError(`an item contains "${decodeURIComponent(delimiter)}", which separates the items`)
  return [[key, all.join(delimiter)]]
}

/** An encoded name and its encoded value. */
export type Pair = readonly [name: string, value: string]

const delimiters: Readonly<Record<string, string>> = { spaceDelimited: '%20', pipeDelimited: '%7C' }

/**
 * Writes nested values, as in `name[field]`. OpenAPI does not define deeper levels, so this follows the most common
 * form.
 */
function deepPairs(name: string, value: unknown): readonly Pair[] {
  if (typeof value !== 'object' || value === null) return [[encode(name), encode(textOf(value))]]
  return Object.entries(value).flatMap(([field, inner]) => deepPairs(`${name}[${field}]`, inner))
}

/**
 * Writes a header value in the style `simple`, without encoding it.
 * @throws ArgumentError for a value that a header cannot contain
 */
export function toHeaderValue(value: unknown, { explode }: Style): string {
  const pieces = piecesOf(value, (text) => text)
  const all = pieces.kind === 'one' ? [] : pieces.kind === 'list' ? pieces.items : pieces.fields.flat()
  if (all.some((one) => one.includes(',')))
    throw new ArgumentError('an item contains ",", which separates the items')
  const text = joinPieces(pieces, ',', explode)
  if (!isHeaderText(text))
    throw new ArgumentError('a header cannot contain this value: use plain text on one line')
  return text
}

/** Whether a header can contain this text: Latin-1 without line breaks, and without control characters except tab. */
export function isHeaderText(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text)
}

type Pieces =
  | { readonly kind: 'one'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'fields'; readonly fields: readonly Pair[] }

function piecesOf(value: unknown, write: (text: string) => string): Pieces {
  if (Array.isArray(value)) return { kind: 'list', items: value.map((one) => write(textOf(one))) }
  if (!isRecord(value)) return { kind: 'one', text: write(textOf(value)) }
  const fields = Object.entries(value).map(([name, inner]): Pair => [write(name), write(textOf(inner))])
  return { kind: 'fields', fields }
}

function joinPieces(pieces: Pieces, delimiter: string, explode: boolean): string {
  if (pieces.kind === 'one') return pieces.text
  if (pieces.kind === 'list') return pieces.items.join(delimiter)
  return pieces.fields.map((field) => field.join(explode ? '=' : delimiter)).join(delimiter)
}

/**
 * Returns a value as text. Writes objects and arrays as JSON, because OpenAPI does not define how to write them here.
 */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value.toWellFormed()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Encodes all characters except letters, digits and `-._~`. */
export function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, toEscape)
}

/** Encodes text, but keeps reserved characters unless they would end the value or the query. */
function encodeSome(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/%(3A|2F|3F|40|24|3B)/g, decodeURIComponent)
}

function toEscape(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
