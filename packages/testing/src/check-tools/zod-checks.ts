import { isRecord, listOf } from '@capstan/core/internal'

type Fields = Readonly<Record<string, unknown>>

/** A check of a zod schema, in the words of zod 4. */
export interface ZodCheck {
  /** `custom`, `min_length`, `greater_than`, `string_format` ... */
  readonly name: string
  /** Of a `string_format`: which. */
  readonly format?: string
  readonly pattern?: RegExp
  /** What it says when it refuses, where that is known. */
  readonly refusal?: string
}

/** The checks that a schema says it makes. */
export function zodChecks(def: Fields): readonly ZodCheck[] {
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
  return [{ name: def.check, ...format, ...pattern, ...refusalOf(def.error) }]
}

/** Of a text, zod makes a function; one of the user's may want an issue, and say nothing without. */
function refusalOf(error: unknown): Pick<ZodCheck, 'refusal'> {
  if (typeof error !== 'function') return {}
  try {
    const said: unknown = error({ code: 'custom', path: [] })
    return typeof said === 'string' ? { refusal: said } : {}
  } catch {
    return {}
  }
}

/** Zod 3 says `min` of strings, numbers and dates alike. */
function fromZod3(check: unknown, { typeName }: Fields): ZodCheck[] {
  if (!isRecord(check)) return []
  const { kind, regex, value } = check
  const isText = typeName === 'ZodString'
  // Its safe() stands for no bound that a model must know.
  if (Number.isSafeInteger(value) && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) return []
  if (kind === 'min') return [{ name: isText ? 'min_length' : 'greater_than' }]
  if (kind === 'max') return [{ name: isText ? 'max_length' : 'less_than' }]
  if (kind === 'length') return [{ name: 'length_equals' }]
  if (kind === 'multipleOf') return [{ name: 'multiple_of' }]
  if (kind === 'regex' && regex instanceof RegExp)
    return [{ name: 'string_format', format: 'regex', pattern: regex }]
  return []
}
