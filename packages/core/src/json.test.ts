import { expectTypeOf, test } from 'vitest'
import type { Artifact } from './artifacts/artifact.js'
import type { Json, Jsonified } from './json.js'

test('what JSON holds is the same after a trip through it', () => {
  expectTypeOf<Jsonified<string>>().toEqualTypeOf<string>()
  expectTypeOf<Jsonified<'a' | 1 | true | null>>().toEqualTypeOf<'a' | 1 | true | null>()
  expectTypeOf<Jsonified<{ a: number; b: readonly string[] }>>().toEqualTypeOf<{
    a: number
    b: readonly string[]
  }>()
  expectTypeOf<Jsonified<[number, { a: 'x' }]>>().toEqualTypeOf<[number, { a: 'x' }]>()
  expectTypeOf<Jsonified<Artifact<'image'>>>().toEqualTypeOf<Artifact<'image'>>()
})

test('a Date is a string, wherever it stands, as is all that writes itself', () => {
  expectTypeOf<Jsonified<Date>>().toEqualTypeOf<string>()
  expectTypeOf<Jsonified<{ at: Date | null; all: Date[] }>>().toEqualTypeOf<{
    at: string | null
    all: string[]
  }>()
  expectTypeOf<Jsonified<{ toJSON(): { when: Date } }>>().toEqualTypeOf<{ when: string }>()
})

test('methods are gone, and nothing is undefined', () => {
  expectTypeOf<Jsonified<{ a: number; greet(): string }>>().toEqualTypeOf<{ a: number }>()
  expectTypeOf<Jsonified<undefined>>().toEqualTypeOf<undefined>()
  expectTypeOf<Jsonified<void>>().toEqualTypeOf<undefined>()
  expectTypeOf<Jsonified<() => void>>().toEqualTypeOf<undefined>()
  expectTypeOf<Jsonified<string | undefined>>().toEqualTypeOf<string | undefined>()
})

test('optional and readonly fields stay so', () => {
  expectTypeOf<Jsonified<{ a?: Date; readonly b: Date }>>().toEqualTypeOf<{
    a?: string
    readonly b: string
  }>()
})

test('what is not known is not claimed, and a BigInt never comes through', () => {
  expectTypeOf<Jsonified<unknown>>().toEqualTypeOf<unknown>()
  expectTypeOf<Jsonified<{ a: unknown }>>().toEqualTypeOf<{ a: unknown }>()
  expectTypeOf<Jsonified<bigint>>().toEqualTypeOf<never>()
})

test('Json is closed under itself and open to nothing else', () => {
  expectTypeOf<{ a: (string | null)[]; b: { c: 1 } }>().toExtend<Json>()
  expectTypeOf<Jsonified<Json>>().toExtend<Json>()
  expectTypeOf<Date>().not.toExtend<Json>()
  expectTypeOf<{ a: bigint }>().not.toExtend<Json>()
  expectTypeOf<undefined>().not.toExtend<Json>()
})
