import type { Json } from '@capstan/core'
import { isRecord, listOf, messageOf, toJson } from '@capstan/core/internal'
import { mostParts, toPath } from './schema-part.js'
import { type ZodCheck, zodChecks } from './zod-checks.js'
import { type Fields, zodDef, zodKind } from './zod-kind.js'

/** A place in a zod schema, whatever zod it is of: 3, 4 or mini. */
export interface ZodPart {
  /** As in the JSON Schema. */
  readonly path: string
  readonly kind: string
  readonly checks: readonly ZodCheck[]
  readonly coerces: boolean
  /** What its default is now. */
  readonly defaultValue?: Json | undefined
  /** Why it cannot be looked into: its own code threw. */
  readonly failure?: string
}

interface Place {
  readonly path: string
  readonly schema: unknown
  readonly around?: Place
  readonly depth: number
}

/** Schemas that make themselves anew hold themselves without end. */
const maxDepth = 64

/** Every place of a zod schema, as far as a model is asked for it; none for what is no zod schema. */
export function zodParts(root: unknown): readonly ZodPart[] {
  const found: ZodPart[] = []
  const waiting: Place[] = [{ path: '', schema: root, depth: 0 }]
  for (let place = waiting.pop(); place && found.length < mostParts; place = waiting.pop()) {
    const { part, inner = [] } = read(place)
    if (part) found.push(part)
    if (place.depth < maxDepth) for (const child of inner.reverse()) waiting.push(child)
  }
  return found
}

/** A schema is code of others, with getters: what it throws is part of what was found. */
function read(place: Place): { readonly part?: ZodPart; readonly inner?: Place[] } {
  const { path } = place
  try {
    const given = zodDef(place.schema)
    if (given === undefined || isAround(place)) return {}
    // Each getter is asked once, and here.
    const def = { ...given }
    const kind = zodKind(def)
    // Zod says so of the further fields that an object does not take.
    if (kind === 'never') return {}
    const part = { path, kind, checks: zodChecks(def), coerces: def.coerce === true, ...defaultOf(kind, def) }
    return { part, inner: innerOf(place, kind, def) }
  } catch (error) {
    return { part: { path, kind: 'unreadable', checks: [], coerces: false, failure: messageOf(error) } }
  }
}

function isAround({ schema, around }: Place): boolean {
  for (let place = around; place; place = place.around) if (place.schema === schema) return true
  return false
}

function defaultOf(kind: string, { defaultValue }: Fields): Pick<ZodPart, 'defaultValue'> {
  if (kind !== 'default' && kind !== 'prefault') return {}
  return { defaultValue: toJson(typeof defaultValue === 'function' ? defaultValue() : defaultValue) }
}

function innerOf(place: Place, kind: string, def: Fields): Place[] {
  const { path } = place
  const at = (schema: unknown, path: string): Place => ({
    path,
    schema,
    around: place,
    depth: place.depth + 1,
  })
  if (kind === 'object') return fieldsOf(def).map(([name, schema]) => at(schema, toPath(path, name)))
  if (kind === 'array') return [at(def.element ?? def.type, `${path}[]`)]
  if (kind === 'record') return [at(def.valueType, toPath(path, '*'))]
  if (kind === 'tuple') return listOf(def.items).map((schema, index) => at(schema, `${path}[${index}]`))
  if (kind === 'union') return listOf(def.options).map((schema) => at(schema, path))
  if (kind === 'intersection') return [at(def.left, path), at(def.right, path)]
  if (kind === 'lazy' && typeof def.getter === 'function') return [at(def.getter(), path)]
  // A model is asked for what goes in; before a schema, code takes anything.
  if (kind === 'preprocess') return [at(def.out ?? def.schema, path)]
  return [def.in, def.innerType, def.schema, def.type]
    .filter((inner) => typeof inner === 'object')
    .map((inner) => at(inner, path))
}

function fieldsOf({ shape, catchall }: Fields): [string, unknown][] {
  const fields: unknown = typeof shape === 'function' ? shape() : shape
  return [...Object.entries(isRecord(fields) ? fields : {}), ['*', catchall]]
}
