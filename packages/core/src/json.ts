/** A value that JSON can hold. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** What a value of type `T` is after a trip through JSON: a Date a string, a function gone. */
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

/** An optional field is there with a value or not at all: JSON holds no undefined. */
type Field<T, K extends keyof T> = Jsonified<
  Partial<Pick<T, K>> extends Pick<T, K> ? Exclude<T[K], undefined> : T[K]
>

/** Whether a value is an object with fields: no list, and not null. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value that is a list; none of what is no list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Sets an own field: plain assignment would let a key named `__proto__` change what the record is. */
export function setOwn(record: Record<string, unknown>, name: string, value: unknown): void {
  if (Object.hasOwn(record, name) || !(name in record)) record[name] = value
  else Object.defineProperty(record, name, { value, enumerable: true, writable: true, configurable: true })
}

/** A short text to notice change by (FNV-1a, 32 bits from each end); nothing secret rests on it. */
export function hash(text: string): string {
  let forward = 0x811c9dc5
  let backward = 0x811c9dc5
  for (let i = 0; i < text.length; i++) {
    forward = Math.imul(forward ^ text.charCodeAt(i), 0x01000193)
    backward = Math.imul(backward ^ text.charCodeAt(text.length - 1 - i), 0x01000193)
  }
  return toHex(forward) + toHex(backward)
}

const bytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function toHex(half: number): string {
  return `${bytes[half >>> 24]}${bytes[(half >>> 16) & 255]}${bytes[(half >>> 8) & 255]}${bytes[half & 255]}`
}

/** An environment variable, where there is an environment; empty counts as not set. */
export function getEnv(name: string): string | undefined {
  return globalThis.process?.env?.[name] || undefined
}

/** A place in a JSON Schema as one reads it: the names of parameters, without the `properties` between them. */
export function schemaPlace(path: readonly (string | number)[]): string {
  return path.join('.').replace(/(^|\.)properties\./g, '$1') || 'the root'
}
