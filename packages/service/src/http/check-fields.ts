import { isRecord } from '../json.js'
import type { Endpoint, ServiceRequest } from './endpoint.js'
import { ServiceError } from './service-error.js'

/** The type of a field. A strict service also checks the field's bounds and values. */
export type FieldType =
  /**
   * A value that the endpoint checks itself. `fields` are the object's fields or, for an array, the fields of each
   * object in it.
   */
  | { readonly type: 'checked'; readonly fields?: Shape }
  /** An uploaded file, which the endpoint checks. */
  | { readonly type: 'file' }
  | { readonly type: 'boolean' }
  | { readonly type: 'string'; readonly values?: readonly string[] }
  | { readonly type: 'number' | 'integer'; readonly least?: number; readonly most?: number }
  | { readonly type: 'object'; readonly fields?: Shape; readonly valuesOf?: 'string' | 'number' }
  | { readonly type: 'array'; readonly of: 'string' }

/** The known fields of an object. */
export type Shape = Readonly<Record<string, FieldType>>

/** An endpoint's known fields, and how they are sent and checked. */
export interface FieldChecks {
  readonly shape: Shape
  /** Whether to reject unknown fields and values out of bounds. */
  readonly strict: boolean
  /** Whether the fields come from a form, in which every value is a string. */
  readonly isForm: boolean
}

/**
 * Checks the fields of each request before its endpoint runs. Throws a 400: `invalid_type` for a value of the wrong
 * type and, with `strict`, `unknown_parameter` for an unknown field or `invalid_value` for a value out of bounds.
 */
export function withChecks(endpoint: Endpoint, checks: FieldChecks): Endpoint {
  return async (request) => {
    checkFields(request, checks)
    return endpoint(request)
  }
}

function checkFields({ fields, files }: ServiceRequest, { shape, strict, isForm }: FieldChecks): void {
  if (strict) {
    // In a form, an inner field is named `outer[inner]`.
    const names = [...Object.keys(fields), ...Object.keys(files)]
    for (const name of names) checkKnown(isForm ? name.replace(/\[.*$/s, '') : name, shape, '')
  }
  for (const [name, type] of Object.entries(shape)) {
    if (type.type !== 'file' && files[name]) {
      throw new ServiceError(
        400,
        'invalid_type',
        `"${name}" must be a text field of the form, not a file.`,
        name,
      )
    }
    const value = fields[name]
    if (value !== undefined && value !== null)
      checkValue(isForm ? fromText(value, type) : value, type, name, strict)
  }
}

// Form fields are strings. A string that cannot be converted is not changed, so it is then rejected for its type.
function fromText(value: unknown, { type }: FieldType): unknown {
  if (type === 'array') return [value].flat()
  if (typeof value !== 'string') return value
  if (type === 'boolean' && /^(true|false)$/.test(value)) return value === 'true'
  if ((type === 'number' || type === 'integer') && value.trim() !== '') return toNumber(value)
  return value
}

function toNumber(text: string): number | string {
  const value = Number(text)
  return Number.isFinite(value) ? value : text
}

function checkValue(value: unknown, type: FieldType, at: string, strict: boolean): void {
  if (!isOfType(value, type)) {
    throw new ServiceError(
      400,
      'invalid_type',
      `"${at}" must be ${describe(type)}, not ${kindOf(value)}.`,
      at,
    )
  }
  const flaw = strict ? findFlaw(value, type) : undefined
  if (flaw !== undefined) throw new ServiceError(400, 'invalid_value', `"${at}" ${flaw}.`, at)
  if ('fields' in type && type.fields) checkInner(value, type.fields, at, strict)
}

function checkInner(value: unknown, shape: Shape, at: string, strict: boolean): void {
  const places = Array.isArray(value)
    ? value.map((item, index) => [item, `${at}[${index}]`] as const)
    : [[value, at] as const]
  for (const [item, place] of places) {
    if (!isRecord(item)) continue
    for (const [name, inner] of Object.entries(item)) {
      if (strict) checkKnown(name, shape, `${place}.`)
      const type = typeOf(name, shape)
      if (type && inner !== undefined && inner !== null) checkValue(inner, type, `${place}.${name}`, strict)
    }
  }
}

function typeOf(name: string, shape: Shape): FieldType | undefined {
  return Object.hasOwn(shape, name) ? shape[name] : undefined
}

function checkKnown(name: string, shape: Shape, before: string): void {
  if (typeOf(name, shape)) return
  const param = `${before}${name.slice(0, 100)}`
  throw new ServiceError(400, 'unknown_parameter', `Unknown parameter: "${param}". Omit it.`, param)
}

function isOfType(value: unknown, type: FieldType): boolean {
  switch (type.type) {
    case 'checked':
    case 'file':
      return true
    case 'integer':
      return Number.isSafeInteger(value)
    case 'object':
      return isRecord(value)
    case 'array':
      return Array.isArray(value) && value.every((one) => typeof one === type.of)
    default:
      return typeof value === type.type
  }
}

function findFlaw(value: unknown, type: FieldType): string | undefined {
  if ('values' in type && type.values && !type.values.includes(String(value)))
    return `must be one of ${type.values.join(', ')}`
  if ('least' in type || 'most' in type) {
    const { least = -Infinity, most = Infinity } = type
    if (Number(value) < least || Number(value) > most) return `must be from ${least} to ${most}`
  }
  const { valuesOf } = type.type === 'object' ? type : {}
  if (
    valuesOf !== undefined &&
    isRecord(value) &&
    Object.values(value).some((one) => typeof one !== valuesOf)
  )
    return `must only contain values of the type ${valuesOf}`
  return undefined
}

const descriptions: Readonly<Record<FieldType['type'], string>> = {
  checked: 'a valid value',
  file: 'a file',
  boolean: 'true or false',
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  object: 'an object',
  array: 'an array of strings',
}

function describe({ type }: FieldType): string {
  return descriptions[type]
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'a whole number' : 'a fraction'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
