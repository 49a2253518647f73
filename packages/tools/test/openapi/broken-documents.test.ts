import { isCapstanError } from '@capstan/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../scripts/cases.mjs'
import { openapiTools } from '../../src/openapi.js'
import { styledDocument } from './styled-document.js'

const junk = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(
    { $ref: '#/paths' },
    { $ref: '#' },
    { $ref: '' },
    { $ref: '#/components/schemas/Tree' },
    '__proto__',
    [[]],
    { __proto__: null },
    -1,
    true,
  ),
)

/** Every place of a document. */
function placesOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, inner]) => placesOf(inner, [...path, key]))]
}

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by
  const copy = structuredClone(value) as Record<string, unknown>
  copy[key] = replaced(copy[key], rest, by)
  return copy
}

test('a document that is broken in some places gives tools and reasons, or a CapstanError', () => {
  const document = styledDocument('3.1')
  const places = placesOf(document).filter((path) => path.length > 0)
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...places), junk), { minLength: 1, maxLength: 3 }),
      (changes) => {
        const broken = changes.reduce<unknown>(
          (last, [path, by]) => (hasPlace(last, path) ? replaced(last, path, by) : last),
          document,
        )
        try {
          const { tools, skipped } = openapiTools(broken as object, {
            allow: '*',
            baseURL: 'http://127.0.0.1:1',
          })
          for (const { name } of tools) expect(name).toMatch(/^[\w-]{1,64}$/)
          // A reason tells of the document, not of our code.
          for (const { reason } of skipped)
            expect(reason).not.toMatch(/undefined|is not a function|Cannot read|object Object/)
        } catch (error) {
          if (!isCapstanError(error)) throw error
        }
      },
    ),
    { numRuns: cases(2000) },
  )
})

function hasPlace(value: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return true
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.hasOwn(value, key) &&
    hasPlace((value as Record<string, unknown>)[key], rest)
  )
}
