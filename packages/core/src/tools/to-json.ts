import { messageOf } from '../errors.js'
import { type Json, setOwn } from '../json.js'
import { withoutCredentials } from '../secrets/secrets.js'

/** What of a value JSON would lose: the message says where and what. */
export class JsonLoss extends Error {
  constructor(
    message: string,
    /** What a tool can do instead. */
    readonly instead: string,
    cause?: unknown,
  ) {
    super(message, { cause })
  }
}

/**
 * A value as JSON holds it: `toJSON` is asked, an error is its message, a property without data is left out;
 * undefined when there is no value. @throws JsonLoss for what JSON would write as something else, or not at all
 */
export function toJson(value: unknown): Json | undefined {
  const walk: Walk = { path: [], within: [] }
  try {
    return read(value, walk)
  } catch (error) {
    if (error instanceof JsonLoss) throw error
    throw loss(walk, `cannot be read (${messageOf(error)})`, 'return a plain value', error)
  }
}

/** A value as JSON holds it, for display; text stands in place of what JSON cannot hold. Never throws. */
export function toShownJson(value: unknown): Json | undefined {
  return readShown(value, { path: [], within: [], shown: { objects: 0 } })
}

/** The JSON text of any value; text stands in place of what JSON cannot hold. Never throws. */
export function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    return JSON.stringify(toShownJson(value)) ?? 'null'
  }
}

/** Where the walk is: what throws leaves it standing there. */
interface Walk {
  readonly path: string[]
  readonly within: object[]
  /** Text takes the place of what would be lost, and of all objects behind the first ones. Default: that is thrown. */
  readonly shown?: { objects: number }
}

function readShown(value: unknown, walk: Walk): Json | undefined {
  const { path, within } = walk
  const [steps, depth] = [path.length, within.length]
  try {
    return read(value, walk)
  } catch (error) {
    path.length = steps
    within.length = depth
    const why = error instanceof JsonLoss ? error.message : `it cannot be read (${messageOf(error)})`
    return typeof value === 'object' ? `[${why}]` : String(value)
  }
}

function read(value: unknown, walk: Walk): Json | undefined {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number') return readNumber(value, walk)
  if (typeof value === 'object') return readObject(value, walk)
  if (value === undefined) return undefined
  if (typeof value === 'bigint') throw loss(walk, 'is a BigInt', 'return a string or a number')
  throw loss(walk, `is a ${typeof value}`, 'return a value')
}

function readNumber(value: number, walk: Walk): number {
  if (!Number.isFinite(value)) throw loss(walk, `is ${value}`, 'return null, or say in words what it means')
  return Object.is(value, -0) ? 0 : value
}

function readObject(given: object, walk: Walk): Json | undefined {
  if (walk.shown && ++walk.shown.objects > mostShown)
    throw loss(walk, `comes after ${mostShown} other objects`, 'show less')
  rejectHidden(given, walk)
  if (given instanceof Error) return { error: withoutCredentials(messageOf(given)) }
  if (walk.within.includes(given))
    throw loss(walk, 'is circular, it lies in itself', 'return a plain value without circles')
  if (walk.within.length === maxDepth)
    throw loss(walk, `lies ${maxDepth} levels deep`, 'return something flatter')
  const value = said(given, walk)
  if (typeof value !== 'object' || value === null) return read(value, walk)
  rejectEmptied(value, walk)
  walk.within.push(given)
  const json = Array.isArray(value) ? readList(value, walk) : readRecord(value, walk)
  walk.within.pop()
  return json
}

const maxDepth = 1000

/** Objects that refer to each other are reached on so many ways that writing all of them would never end. */
const mostShown = 100_000

/** What the value says of itself, a boxed one its content. */
function said(given: object, { path }: Walk): unknown {
  const { toJSON } = given as { toJSON?: unknown }
  const value = typeof toJSON === 'function' ? toJSON.call(given, path.at(-1) ?? '') : given
  const isBoxed = value instanceof Number || value instanceof String || value instanceof Boolean
  return isBoxed ? value.valueOf() : value
}

/** Refuses what `toJSON` would hide: a Buffer its bytes, a Date that it is none. */
function rejectHidden(value: object, walk: Walk): void {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof Blob)
    throw loss(walk, 'holds bytes', 'store them with ctx.artifacts.put(...) and return the artifact')
  if (value instanceof Date && Number.isNaN(value.getTime()))
    throw loss(walk, 'is an invalid Date', 'return a valid one, or null')
}

/** A Map, a Promise, a Response: JSON writes `{}` and says nothing. */
function rejectEmptied(value: object, walk: Walk): void {
  if (Array.isArray(value) || isPlain(value)) return
  const isCollection = value instanceof Map || value instanceof Set
  if (Object.keys(value).length > 0 && !isCollection) return
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1)
  const name = tag === 'Object' ? value.constructor.name : tag
  const article = /^[AEIOU]/.test(name) ? 'an' : 'a'
  const instead = value instanceof Promise ? 'await it' : 'return an object or an array'
  throw loss(walk, `is ${article} ${name}`, instead)
}

/** An object of any realm, or without a prototype. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function readList(list: readonly unknown[], walk: Walk): Json[] {
  const { length } = list
  const json: Json[] = []
  let missing = 0
  for (let at = 0; at < length; at++) {
    const value = readAt(list, String(at), walk)
    if (value === undefined && !(at in list) && ++missing > mostMissing) {
      const what = `is an array of ${length} entries of which more than ${mostMissing} are missing`
      throw loss(walk, what, 'return an object, or an array without holes')
    }
    json.push(value ?? null)
  }
  return json
}

/** An array whose length is one far index away from nothing would be written for minutes. */
const mostMissing = 10_000

function readRecord(record: object, walk: Walk): Json {
  const json: Record<string, Json> = {}
  for (const key of Object.keys(record)) {
    const value = readAt(record, key, walk)
    if (value !== undefined) setOwn(json, key, value)
  }
  return json
}

function readAt(holder: object, key: string, walk: Walk): Json | undefined {
  walk.path.push(key)
  const value = (holder as Readonly<Record<string, unknown>>)[key]
  const isNoData = typeof value === 'function' || typeof value === 'symbol'
  const toRead = walk.shown ? readShown : read
  const json = isNoData && !Array.isArray(holder) ? undefined : toRead(value, walk)
  walk.path.pop()
  return json
}

function loss({ path }: Walk, what: string, instead: string, cause?: unknown): JsonLoss {
  const place = path.length > 12 ? `${path.slice(0, 12).join('.')}...` : path.join('.')
  return new JsonLoss(`${place === '' ? 'it' : `"${place}"`} ${what}`, instead, cause)
}
