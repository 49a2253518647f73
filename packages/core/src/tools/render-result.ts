import {
  type Artifact,
  type ArtifactOrigin,
  type ArtifactStore,
  artifactReader,
  isArtifact,
} from '../artifacts/artifact.js'
import { fromUtf8, toUtf8 } from '../bytes.js'
import { CapstanError, messageOf } from '../errors.js'
import { isFunction, isObject, isString, type Json, setOwn } from '../json.js'
import { withoutCredentials } from '../secrets/secrets.js'
import type { ToolSettings } from './tool-options.js'

/** A tool's result, in the forms that the model and the caller get. */
export interface Rendered {
  /** The text for the model: strings are unchanged, other values are JSON, and artifacts are references. */
  readonly content: string
  /** The value as JSON. Absent if the tool returned no value. */
  readonly result?: Json
  readonly artifacts: readonly Artifact[]
}

/**
 * Renders a tool's return value. An object counts as an artifact only if its id is in `given`, and is then described as
 * in `given`. Other objects of that shape are ordinary data.
 * @throws CapstanError `invalid_tool` for a value that JSON would lose: bytes, BigInt, NaN, Map, a function, a cycle.
 * Also throws an Error that the tool returned.
 */
export function renderOutput(value: unknown, given: ReadonlyMap<string, Artifact> = new Map()): Rendered {
  if (value instanceof Error) throw value
  if (isString(value)) return { content: value.toWellFormed(), result: value, artifacts: [] }
  let result: Json | undefined
  try {
    result = toJson(value)
  } catch (error) {
    const { message: reason, instead } = error as JsonLoss
    // Text for the model.
    const message = `The tool ran, but its result is not JSON: ${reason}.`
    throw new CapstanError('invalid_tool', message, { cause: error, evidence: { fix: instead } })
  }
  // Text for the model.
  if (result === undefined) return { content: 'Done. The tool returned no value.', artifacts: [] }
  if (given.size === 0) return { content: JSON.stringify(result), result, artifacts: [] }
  const artifacts = new Map<string, Artifact>()
  const content = JSON.stringify(result, (_key, part) => {
    const artifact = isArtifact(part) ? given.get(part.id) : undefined
    if (!artifact) return part
    artifacts.set(artifact.id, artifact)
    return toReference(artifact)
  })
  return { content, result, artifacts: [...artifacts.values()] }
}

/** Renders the return value of a tool that has `toModel`: the model gets what `toModel` returns for the value. */
export async function renderForModel(
  value: unknown,
  toModel: (value: unknown) => unknown,
  given?: ReadonlyMap<string, Artifact>,
): Promise<Rendered> {
  const whole = renderOutput(value, given)
  const { content, artifacts } = renderOutput(await toModel(value), given)
  return { ...whole, content, artifacts: [...new Set([...whole.artifacts, ...artifacts])] }
}

/** Returns an artifact as the model sees it: its id, media type, size in pixels and duration. */
export function toReference({
  id,
  mediaType,
  width,
  height,
  durationMs,
}: Artifact): Readonly<Record<string, unknown>> {
  return { artifact: id, mediaType, width, height, durationMs }
}

/** Thrown for a part of a value that JSON would lose. The message contains the part's path and type. */
export class JsonLoss extends Error {
  constructor(
    message: string,
    /** What the tool should return instead. */
    readonly instead: string,
    cause?: unknown,
  ) {
    super(message, { cause })
  }
}

/**
 * Returns a value as plain JSON; undefined if there is no value. Calls `toJSON`, replaces an Error with its message,
 * and omits properties that are functions or symbols.
 * @throws JsonLoss for a part that JSON would change or drop
 */
export function toJson(value: unknown): Json | undefined {
  const position: Position = { path: [], ancestors: [] }
  try {
    return read(value, position)
  } catch (error) {
    if (error instanceof JsonLoss) throw error
    throw loss(position, `cannot be read (${messageOf(error)})`, 'return a plain value', error)
  }
}

/** Returns a value as plain JSON for display. Parts that JSON would lose are described as text. Never throws. */
export function toShownJson(value: unknown): Json | undefined {
  return readShown(value, { path: [], ancestors: [], display: { objects: 0 } })
}

/** Returns the JSON text of any value. Parts that JSON cannot represent are described as text. Never throws. */
export function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    return JSON.stringify(toShownJson(value)) ?? 'null'
  }
}

/** The current position in a value. After an error, the position of the part that caused the error. */
interface Position {
  readonly path: string[]
  readonly ancestors: object[]
  /** Set when the value is only displayed: lost parts, and objects beyond a maximum number, are replaced by text. */
  readonly display?: { objects: number }
}

function readShown(value: unknown, position: Position): Json | undefined {
  const { path, ancestors } = position
  const [steps, depth] = [path.length, ancestors.length]
  try {
    return read(value, position)
  } catch (error) {
    path.length = steps
    ancestors.length = depth
    const reason = error instanceof JsonLoss ? error.message : `it cannot be read (${messageOf(error)})`
    return typeof value === 'object' ? `[${reason}]` : String(value)
  }
}

function read(value: unknown, position: Position): Json | undefined {
  if (isString(value) || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'object') return readObject(value, position)
  if (value === undefined) return undefined
  // Negative zero is 0 in JSON.
  if (Number.isFinite(value)) return Number(value) + 0
  if (typeof value === 'number') throw loss(position, `is ${value}`, 'return null or text')
  if (typeof value === 'bigint') throw loss(position, 'is a BigInt', 'return a string or a number')
  throw loss(position, `is a ${typeof value}`, 'return a value')
}

function readObject(given: object, position: Position): Json | undefined {
  if (position.display && ++position.display.objects > maxObjects)
    throw loss(position, `comes after ${maxObjects} other objects`, 'show less')
  const isOrdinary = (isPlain(given) || Array.isArray(given)) && !('toJSON' in given)
  if (!isOrdinary) rejectHidden(given, position)
  if (given instanceof Error) return { error: withoutCredentials(messageOf(given)) }
  if (position.ancestors.includes(given)) throw loss(position, 'is circular', 'return a plain value')
  if (position.ancestors.length === maxDepth)
    throw loss(position, `is nested ${maxDepth} levels deep`, 'return a flatter value')
  const value = isOrdinary ? given : contentOf(given, position)
  if (!isObject(value)) return read(value, position)
  if (!isOrdinary) rejectEmptied(value, position)
  position.ancestors.push(given)
  const record: Record<string, Json> = {}
  const json = Array.isArray(value) ? readList(value, position) : record
  if (json === record)
    for (const key of Object.keys(value)) {
      const part = readAt(value, key, position)
      if (part !== undefined) setOwn(record, key, part)
    }
  position.ancestors.pop()
  return json
}

const maxDepth = 1000

/**
 * Maximum number of objects to write. A shared object is written once per path to it, and there can be far too many
 * paths.
 */
const maxObjects = 100_000

/** Returns the result of `toJSON`, or the primitive inside a boxed value. */
function contentOf(given: object, { path }: Position): unknown {
  const { toJSON } = given as { toJSON?: (key: string) => unknown }
  const value = isFunction(toJSON) ? toJSON.call(given, path.at(-1) ?? '') : given
  const isBoxed = value instanceof Number || value instanceof String || value instanceof Boolean
  return isBoxed ? value.valueOf() : value
}

/** Rejects values that JSON would change without an error: a Buffer's bytes, an invalid Date. */
function rejectHidden(value: object, position: Position): void {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof Blob)
    throw loss(position, 'holds bytes', 'return await ctx.artifacts.put(...)')
  if (value instanceof Date && Number.isNaN(value.getTime()))
    throw loss(position, 'is an invalid Date', 'return a valid one, or null')
}

/** Rejects values that JSON silently writes as `{}`: a Map, a Promise, a Response. */
function rejectEmptied(value: object, position: Position): void {
  if (Array.isArray(value) || isPlain(value)) return
  const isCollection = value instanceof Map || value instanceof Set
  if (Object.keys(value).length > 0 && !isCollection) return
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1)
  const name = tag === 'Object' ? value.constructor.name : tag
  const article = /^[AEIOU]/.test(name) ? 'an' : 'a'
  const instead = value instanceof Promise ? 'await it' : 'return an object or an array'
  throw loss(position, `is ${article} ${name}`, instead)
}

/** Whether a value is a plain object: from any realm, or without a prototype. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function readList(list: readonly unknown[], position: Position): Json[] {
  const { length } = list
  const json: Json[] = []
  let missing = 0
  for (let at = 0; at < length; at++) {
    const value = readAt(list, String(at), position)
    if (value === undefined && !(at in list) && ++missing > maxHoles) {
      const what = `is an array of ${length} entries with over ${maxHoles} missing`
      throw loss(position, what, 'return an object')
    }
    json.push(value ?? null)
  }
  return json
}

/**
 * Maximum number of missing items in an array. An almost empty array with one huge index would take minutes to write.
 */
const maxHoles = 10_000

function readAt(holder: object, key: string, position: Position): Json | undefined {
  position.path.push(key)
  const value = (holder as Readonly<Record<string, unknown>>)[key]
  const isNoData = typeof value === 'function' || typeof value === 'symbol'
  const toRead = position.display ? readShown : read
  const json = isNoData && !Array.isArray(holder) ? undefined : toRead(value, position)
  position.path.pop()
  return json
}

function loss({ path }: Position, what: string, instead: string, cause?: unknown): JsonLoss {
  const place = path.length > 12 ? `${path.slice(0, 12).join('.')}...` : path.join('.')
  return new JsonLoss(`${place === '' ? 'it' : `"${place}"`} ${what}`, instead, cause)
}

/** A result's text for the model, which may be shortened. */
interface TruncatedResult {
  readonly content: string
  /** An artifact with the full text. Set if the model gets only the start and end of the text. */
  readonly whole?: Artifact
}

/**
 * Shortens a result that exceeds the tool's `maxResultBytes` to its start, its end and the id of an artifact with the
 * full text. Returns other results unchanged.
 */
export function shortenResult<Result extends TruncatedResult>(
  result: Result,
  // A result that becomes the run's answer is not sent to the model.
  {
    returnDirect,
    maxResultBytes: maxBytes = returnDirect ? Infinity : 64 * 1024,
  }: Pick<ToolSettings, 'returnDirect' | 'maxResultBytes'>,
  keep: () => ResultKeeper,
): (Result & TruncatedResult) | Promise<Result & TruncatedResult> {
  // A UTF-16 code unit takes at most three bytes.
  return result.content.length * 3 <= maxBytes ? result : shortened(result, maxBytes, keep())
}

/** Where to store a long result, and the origin to store with it. */
interface ResultKeeper {
  readonly store: Pick<ArtifactStore, 'put'>
  readonly origin: ArtifactOrigin
}

async function shortened<Result extends TruncatedResult>(
  result: Result,
  maxBytes: number,
  { store, origin }: ResultKeeper,
): Promise<Result & TruncatedResult> {
  const { content } = result
  const bytes = toUtf8(content)
  if (bytes.byteLength <= maxBytes) return result
  const whole = await store.put(bytes, { kind: 'text', mediaType: 'text/plain', origin })
  const head = decode(bytes.subarray(0, Math.floor(maxBytes * 0.75)))
  const tail = decode(bytes.subarray(bytes.byteLength - Math.floor(maxBytes * 0.25)))
  // Text for the model.
  const left = `[${content.length - head.length - tail.length} of ${content.length} characters omitted. Use ${artifactReader} with artifact "${whole.id}" to read any part.]`
  return { ...result, content: `${head}\n${left}\n${tail}`, whole }
}

/** Decodes bytes that were cut at any position. Removes incomplete characters at both ends. */
function decode(bytes: Uint8Array): string {
  return fromUtf8([bytes]).replace(/^\ufffd+|\ufffd+$/g, '')
}
