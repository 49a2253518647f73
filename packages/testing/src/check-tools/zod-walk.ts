import type { Json } from '@capstan/core'
import { isRecord, listOf, messageOf, toJson } from '@capstan/core/internal'
import { maxNodes, toPath } from './schema-walk.js'

/** A node of a schema from zod 3, zod 4 or zod mini. */
export interface ZodNode {
  /** The path, in the same form as a path in the JSON Schema. */
  readonly path: string
  readonly kind: string
  readonly checks: readonly ZodCheck[]
  readonly coerces: boolean
  /**
   * The default value when the check runs. If it comes from a function, the function may return a different value each
   * time.
   */
  readonly defaultValue?: Json | undefined
  /** The message of the error that the schema's own code threw. Absent if the code did not throw. */
  readonly failure?: string
}

interface ZodPosition {
  readonly path: string
  readonly schema: unknown
  readonly around?: ZodPosition
  readonly depth: number
}

/** Maximum number of levels to follow, because a schema's code may create new schemas forever. */
const maxDepth = 64

/** Returns all nodes of a zod schema that describe what a model sends. Empty if the schema is not from zod. */
export function zodNodes(root: unknown): readonly ZodNode[] {
  const found: ZodNode[] = []
  const waiting: ZodPosition[] = [{ path: '', schema: root, depth: 0 }]
  for (let place = waiting.pop(); place && found.length < maxNodes; place = waiting.pop()) {
    const { part, inner = [] } = readNode(place)
    if (part) found.push(part)
    if (place.depth < maxDepth) for (const child of inner.reverse()) waiting.push(child)
  }
  return found
}

/** Reads a node and its children. If the schema's own code throws, returns a node with the error. */
function readNode(place: ZodPosition): { readonly part?: ZodNode; readonly inner?: ZodPosition[] } {
  const { path } = place
  try {
    const given = zodDef(place.schema)
    if (given === undefined || isAncestor(place)) return {}
    // Read each getter only once.
    const def = { ...given }
    const kind = zodKind(def)
    // Zod uses `never` for additional properties if an object does not accept them.
    if (kind === 'never') return {}
    const part = { path, kind, checks: zodChecks(def), coerces: def.coerce === true, ...defaultOf(kind, def) }
    return { part, inner: childPositions(place, kind, def) }
  } catch (error) {
    return { part: { path, kind: 'unreadable', checks: [], coerces: false, failure: messageOf(error) } }
  }
}

function isAncestor({ schema, around }: ZodPosition): boolean {
  for (let place = around; place; place = place.around) if (place.schema === schema) return true
  return false
}

function defaultOf(kind: string, { defaultValue }: Fields): Pick<ZodNode, 'defaultValue'> {
  if (kind !== 'default' && kind !== 'prefault') return {}
  return { defaultValue: toJson(typeof defaultValue === 'function' ? defaultValue() : defaultValue) }
}

function childPositions(place: ZodPosition, kind: string, def: Fields): ZodPosition[] {
  const { path } = place
  const at = (schema: unknown, path: string): ZodPosition => ({
    path,
    schema,
    around: place,
    depth: place.depth + 1,
  })
  if (kind === 'object') return objectFields(def).map(([name, schema]) => at(schema, toPath(path, name)))
  if (kind === 'array') return [at(def.element ?? def.type, `${path}[]`)]
  if (kind === 'record') return [at(def.valueType, toPath(path, '*'))]
  if (kind === 'tuple') return listOf(def.items).map((schema, index) => at(schema, `${path}[${index}]`))
  if (kind === 'union') return listOf(def.options).map((schema) => at(schema, path))
  if (kind === 'intersection') return [at(def.left, path), at(def.right, path)]
  if (kind === 'lazy' && typeof def.getter === 'function') return [at(def.getter(), path)]
  // A model sends the input. With `preprocess`, code accepts any input, so only the schema after that code is useful.
  if (kind === 'preprocess') return [at(def.out ?? def.schema, path)]
  return [def.in, def.innerType, def.schema, def.type]
    .filter((inner) => typeof inner === 'object')
    .map((inner) => at(inner, path))
}

function objectFields({ shape, catchall }: Fields): [string, unknown][] {
  const fields: unknown = typeof shape === 'function' ? shape() : shape
  return [...Object.entries(isRecord(fields) ? fields : {}), ['*', catchall]]
}

type Fields = Readonly<Record<string, unknown>>

/** Returns a zod schema's definition (zod 4, mini or 3). Undefined if the value is not a zod schema. */
function zodDef(schema: unknown): Fields | undefined {
  const { _zod, _def } = Object(schema) as { _zod?: { def?: unknown }; _def?: unknown }
  const def = _zod?.def ?? _def
  return isRecord(def) && (typeof def.type === 'string' || typeof def.typeName === 'string') ? def : undefined
}

/**
 * Returns a schema's kind, named as in zod 4, such as `string`, `object` or `default`. Code that runs before or after
 * a schema counts as a separate kind: `preprocess`, `transform`, `refinement`, and `piped` for a schema after a
 * transform.
 */
function zodKind(def: Fields): string {
  const { typeName, type, effect } = def
  if (typeof typeName !== 'string') return type === 'pipe' ? pipeKind(def) : String(type)
  if (typeName === 'ZodEffects') return isRecord(effect) ? String(effect.type) : 'refinement'
  const kind = typeName.replace(/^Zod/, '').toLowerCase()
  if (kind === 'pipeline') return pipeKind(def)
  return kind === 'discriminatedunion' ? 'union' : kind
}

function pipeKind(def: Fields): string {
  const [before, after] = [def.in, def.out].map((schema) => zodDef(schema) ?? {})
  if (before?.type === 'transform') return 'preprocess'
  if (after?.type === 'transform' || 'reverseTransform' in def) return 'transform'
  return before && ['transform', 'piped'].includes(zodKind(before)) ? 'piped' : 'pipe'
}

/** A check in a zod schema, with names as in zod 4. */
export interface ZodCheck {
  /** The check's name, such as `custom`, `min_length`, `greater_than` or `string_format`. */
  readonly name: string
  /** The format that a `string_format` check requires. */
  readonly format?: string
  readonly pattern?: RegExp
  /** The error message if the check fails. Absent if it is unknown. */
  readonly refusal?: string
}

/** Returns the checks that a schema makes. */
function zodChecks(def: Fields): readonly ZodCheck[] {
  if (typeof def.typeName === 'string') return listOf(def.checks).flatMap((check) => fromZod3(check, def))
  return [def, ...listOf(def.checks).map(innerDef)].flatMap(fromZod4)
}

function innerDef(check: unknown): unknown {
  const { _zod } = Object(check) as { _zod?: { def?: unknown } }
  return _zod?.def
}

function fromZod4(def: unknown): ZodCheck[] {
  if (!isRecord(def) || typeof def.check !== 'string') return []
  const format = typeof def.format === 'string' ? { format: def.format } : {}
  const pattern = def.pattern instanceof RegExp ? { pattern: def.pattern } : {}
  return [{ name: def.check, ...format, ...pattern, ...messageOfCheck(def.error) }]
}

/**
 * Returns a check's error message. If the message is a string, zod has wrapped it in a function. A function from the
 * user may throw, because it does not get a real issue.
 */
function messageOfCheck(error: unknown): Pick<ZodCheck, 'refusal'> {
  if (typeof error !== 'function') return {}
  try {
    const said: unknown = error({ code: 'custom', path: [] })
    return typeof said === 'string' ? { refusal: said } : {}
  } catch {
    return {}
  }
}

/**
 * Converts a zod 3 check to the names that zod 4 uses. For strings, `min` and `max` limit the length. For other types,
 * they limit the value.
 */
function fromZod3(check: unknown, { typeName }: Fields): ZodCheck[] {
  if (!isRecord(check)) return []
  const { kind, regex, value } = check
  const isText = typeName === 'ZodString'
  // These are the limits of `safe()`, which models do not need to know.
  if (Number.isSafeInteger(value) && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) return []
  if (kind === 'min') return [{ name: isText ? 'min_length' : 'greater_than' }]
  if (kind === 'max') return [{ name: isText ? 'max_length' : 'less_than' }]
  if (kind === 'length') return [{ name: 'length_equals' }]
  if (kind === 'multipleOf') return [{ name: 'multiple_of' }]
  if (kind === 'regex' && regex instanceof RegExp)
    return [{ name: 'string_format', format: 'regex', pattern: regex }]
  return []
}
