import { expect, test } from 'vitest'
import { cases } from '../../../../scripts/cases.mjs'
import { cpuTime } from '../../test/cpu-time.js'
import { Redactor } from './redactor.js'

/** So long that what takes the square of it takes minutes. */
const length = 200_000

/** Texts before the long one, of which `npm test` takes two. */
const starts = ['', 'password', 'Bearer', 'cookie: a=b', '"password":"'].slice(0, cases(5, 2))

test.each([
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
])('a long text of %j takes no time to speak of', async (part) => {
  const text = part.repeat(length / part.length)
  const took = await cpuTime(() => {
    for (const before of starts) expect(new Redactor().text(before + text)).toEqual(expect.any(String))
  })
  expect(took).toBeLessThan(20_000)
})
