import { expect, test } from 'vitest'
import { serialByKey } from './async.js'

test('work of one key is done one after another, also after work that failed; other keys do not wait', async () => {
  const turn = serialByKey()
  const seen: string[] = []
  const work = (name: string, steps: number) => async () => {
    seen.push(`${name} begins`)
    for (let step = 0; step < steps; step++) await Promise.resolve()
    seen.push(`${name} ends`)
    if (name === 'a1') throw new Error('a1 failed')
    return name
  }
  const all = [
    turn('a', work('a1', 20)),
    turn('a', work('a2', 5)),
    turn('b', work('b', 1)),
    turn('a', work('a3', 1)),
  ]
  const outcomes = await Promise.allSettled(all)
  expect(outcomes.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)))).toEqual([
    'Error: a1 failed',
    'a2',
    'b',
    'a3',
  ])
  expect(seen.filter((one) => one.startsWith('a'))).toEqual(
    ['a1', 'a2', 'a3'].flatMap((name) => [`${name} begins`, `${name} ends`]),
  )
  expect(seen.indexOf('b ends')).toBeLessThan(seen.indexOf('a1 ends'))
})
