import { expect, test } from 'vitest'
import { isLong } from '../../../../scripts/cases.mjs'
import { cpuTime } from '../../test/cpu-time.js'
import { Redactor } from './redactor.js'

/** So long that what takes the square of it takes minutes. */
const length = 200_000

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

test.each(parts)('a long text of %j takes no time to speak of', async (part) => {
  const text = part.repeat(length / part.length)
  const took = await cpuTime(() => {
    for (const before of startsOf(part))
      expect(new Redactor().text(before + text)).toEqual(expect.any(String))
  })
  expect(took).toBeLessThan(20_000)
})
