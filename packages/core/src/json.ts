/** A value that JSON can represent. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** The type of a `T` after a JSON round trip: a Date becomes a string, functions disappear. */
export type Jsonified<T> = unknown extends T
  ? unknown
  : T extends Json
    ? T
    : T extends { toJSON(): infer J }
      ? Jsonified<J>
      : T extends undefined | void | symbol | ((...args: never[]) => unknown)
        ? undefined
        : T extends readonly unknown[]
          ? { [K in keyof T]: Jsonified<T[K]> }
          : T extends object
            ? { [K in keyof T as T[K] extends (...args: never[]) => unknown ? never : K]: Field<T, K> }
            : never

/**
 * The type of a field after a JSON round trip. JSON has no `undefined`, so an optional field has a value or is absent.
 */
type Field<T, K extends keyof T> = Jsonified<
  Partial<Pick<T, K>> extends Pick<T, K> ? Exclude<T[K], undefined> : T[K]
>

/** Whether a value is an object other than an array or null. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !Array.isArray(value)
}

/** Whether a value is an object or an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

export function isString(value: unknown): value is string {
  return typeof value === 'string'
}

export function isFunction(value: unknown): value is (...given: never[]) => unknown {
  return typeof value === 'function'
}

/** Returns an array unchanged, and an empty array for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Whether an array starts with these items. */
export function startsWith(list: ArrayLike<unknown>, start: ArrayLike<unknown>): boolean {
  if (start.length > list.length) return false
  for (let at = start.length - 1; at >= 0; at--) if (start[at] !== list[at]) return false
  return true
}

export function withoutUndefined<const Fields extends object>(fields: Fields): WithoutUndefined<Fields> {
  const kept: Record<string, unknown> = {}
  for (const name in fields) if (fields[name] !== undefined) kept[name] = fields[name]
  return kept as WithoutUndefined<Fields>
}

type WithoutUndefined<Fields> = {
  [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name]
} & {
  [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>
}

/** Sets an own property. Plain assignment of the key `__proto__` would change the prototype. */
export function setOwn(record: Record<string, unknown>, name: string, value: unknown): void {
  if (!(name in record) || Object.hasOwn(record, name)) record[name] = value
  else Object.defineProperty(record, name, { value, enumerable: true, writable: true, configurable: true })
}

/** Returns the value of a record's own field. Undefined if the field is inherited, or if `record` is not a record. */
export function getOwn<T>(record: Readonly<Record<string, T>> | undefined, name: PropertyKey): T | undefined
export function getOwn(record: unknown, name: PropertyKey): unknown
export function getOwn(record: unknown, name: PropertyKey): unknown {
  return isRecord(record) && Object.hasOwn(record, name) ? record[name as string] : undefined
}

/**
 * Returns a function that creates a value for an object on first use, and keeps it for as long as the object exists.
 */
export function onceFor<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, Value>()
  return (key) => {
    let value = made.get(key)
    if (value === undefined) {
      value = make(key)
      made.set(key, value)
    }
    return value
  }
}

/**
 * Returns a short hash to detect changes: the 32-bit FNV-1a of the string, followed by that of its reverse. Not
 * cryptographic.
 */
export function hash(text: string): string {
  let forward = 0x811c9dc5
  let backward = 0x811c9dc5
  for (let i = 0; i < text.length; i++) {
    forward = Math.imul(forward ^ text.charCodeAt(i), 0x01000193)
    backward = Math.imul(backward ^ text.charCodeAt(text.length - 1 - i), 0x01000193)
  }
  return (forward >>> 0).toString(16).padStart(8, '0') + (backward >>> 0).toString(16).padStart(8, '0')
}

/** Returns the hash of an object's JSON. Computed once for each object. */
export const hashOf = /* @__PURE__ */ onceFor((value: object) => hash(JSON.stringify(value)))

/** Returns bytes as lower-case hexadecimal digits. */
export function toHex(data: Uint8Array): string {
  return Array.from(data, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Returns the SHA-256 of a string's UTF-8 encoding, as hexadecimal digits. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return toHex(new Uint8Array(digest))
}

/** Of the items that have the same value in `field`, keeps only the last one, at the position of the first. */
export function lastOfEach<One>(list: readonly One[], field: keyof One): One[] {
  return [...new Map(list.map((one) => [one[field], one])).values()]
}

/** Returns JSON with sorted fields, so that equal values have the same text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    isRecord(part)
      ? Object.fromEntries(
          Object.keys(part)
            .sort()
            .map((name) => [name, part[name]]),
        )
      : part,
  )
}

type GetModule = typeof process.getBuiltinModule

/**
 * Loads a module of Node by its name, so that bundles for browsers and workers need no `node:` import. Undefined in
 * other runtimes, although its type does not say so.
 */
export const nodeModule = ((id: string) => globalThis.process?.getBuiltinModule?.(id)) as GetModule

/** Returns an environment variable. Undefined for an empty variable, or without an environment. */
export function getEnv(name: string): string | undefined {
  return globalThis.process?.env?.[name] || undefined
}

/** Returns a readable form of a path in a JSON Schema: names without `properties` between them, or `the root`. */
export function schemaPlace(path: readonly (string | number)[]): string {
  return path.join('.').replace(/(^|\.)properties\./g, '$1') || 'the root'
}

/**
 * Whether a number in JSON text keeps its value when it is parsed. Integers beyond 2^53 may lose digits, and large
 * exponents overflow.
 */
export function isExactNumber(text: string): boolean {
  const value = Number(text)
  if (!Number.isFinite(value)) return false
  if (/^-?\d+$/.test(text)) return String(value) === text || BigInt(text) === BigInt(value)
  return value !== 0 || /^-?0*\.?0*(e.*)?$/i.test(text)
}

/** Parses JSON. Returns undefined for invalid JSON. */
export function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Parses a URL. Returns undefined for an invalid one. */
export function tryURL(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}

/** Decodes percent-encoding. Returns text with invalid encoding unchanged. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Escapes invisible characters as JSON does (`\u202e`): control characters, line ends, direction marks and zero-width
 * characters. Such characters could control a terminal or disguise text. Joiners that shape letters or emoji are kept.
 */
export function visibleText(text: string): string {
  return text.replace(invisibleCharacters, (sign) =>
    sign.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
}

/**
 * Matches invisible characters. Joiners match only where they do not shape letters or emoji. Emoji variation selectors
 * do not match.
 */
const invisibleCharacters =
  /(?<![\p{Script=Arabic}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])(?:\u200c|\u200d)|(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu

/** Whether two JSON values are equal. Values that are nested more than 2,000 levels deep count as different. */
export function sameValue(one: unknown, other: unknown, levels = 2000): boolean {
  if (one === other) return true
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) return false
  const names = Object.keys(one)
  const isEqual = (name: string) =>
    Object.hasOwn(other, name) && sameValue(one[name], other[name], levels - 1)
  return levels > 0 && names.length === Object.keys(other).length && names.every(isEqual)
}

/** Whether two strings are equal, or the same JSON apart from white space. */
export function sameJson(one: string, other: string): boolean {
  if (one === other) return true
  try {
    return sameValue(JSON.parse(one), JSON.parse(other))
  } catch {
    return false
  }
}

/** Adds an entry at the end of a map, and removes the oldest entry if there are more than `most`. */
export function setNewest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > most) for (const oldest of map.keys()) return void map.delete(oldest)
}

/** A cache of strings by key, which drops the least recently used one when it is full. */
export class LruCache {
  readonly #texts = new Map<string, string>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get(key: string): string | undefined {
    const text = this.#texts.get(key)
    if (text !== undefined) this.set(key, text)
    return text
  }

  set(key: string, text: string): void {
    setNewest(this.#texts, key, text, this.#most)
  }
}

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text

/** Returns an object in which all of these fields have the same value. The names are separated by spaces. */
export function eachOf<Names extends string, const Value>(
  names: Names,
  value: Value,
): Readonly<Record<Words<Names>, Value>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, value])) as Record<Words<Names>, Value>
}
