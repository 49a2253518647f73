import { expect, test } from 'vitest'
import { isLong } from '../../../../scripts/cases.mjs'
import { expectLinear } from '../../test/expect-linear.js'
import { Redactor } from './redactor.js'

/** The shorter of the two lengths that are compared. */
const length = 50_000

/** Texts before the long one. `npm test` takes one for each part, in turn. */
const starts = ['', 'password', 'Bearer', 'cookie: a=b', '"password":"']

const startsOf = (part: string) => (isLong ? starts : [starts[parts.indexOf(part) % starts.length] as string])

const parts = [
  '\\',
  ' ',
  'password:"',
  'password:\\"',
  "password:'a",
  'authorization: ',
  'authorization: a b=',
  'cookie: a="',
  '["',
  'x-',
  '-eyJaaaaaaaa',
  'sk-',
  '://a:',
  '-----BEGIN PRIVATE KEY-----a',
  'data:;a',
  'aB3/',
]

test.each(parts)('a long text of %j is redacted in linear time', (part) =>
  expectLinear((characters) => {
    const text = part.repeat(characters / part.length)
    return () => {
      for (const before of startsOf(part))
        expect(new Redactor().text(before + text)).toEqual(expect.any(String))
    }
  }, length),
)

const manyCharacters = 10_000_000

test.each([
  ['base64', 'data:image/png;base64,', 'aB3/', ''],
  ['base64 in lines', '', `${'aB3/'.repeat(19)}\n`, ''],
  ['base64 in JSON', '{"picture":"', 'aB3/', '"}'],
])('ten megabytes of %s are redacted', (_, start, part, end) => {
  const shown = new Redactor().text(start + part.repeat(manyCharacters / part.length) + end)
  expect(shown).toMatch(/^(\{"picture":"|data:image\/png;)?\[base64, \d+ characters, \w+\]("\})?$/)
})

test('ten megabytes of escapes in JSON are shown', () => {
  const text = JSON.stringify({ text: '\n'.repeat(manyCharacters / 2) })
  expect(new Redactor().text(text) === text).toBe(true)
})

test('a quoted value that is too long to be looked through is not shown', () => {
  const shown = new Redactor().text(`password="${'\\"a'.repeat(manyCharacters / 3)}`)
  expect(shown).toBe('[10000009 characters, not shown: too many to look for secrets]')
})
