import { expect, test } from 'vitest'
import { pendingLines } from './approvals.js'

const pay = { callId: 'c1', name: 'pay', arguments: { amount: 1 }, kind: 'approval' } as const
const ask = { callId: 'c 2', name: 'ask', arguments: {}, kind: 'result', agent: 'clerk' } as const

test('with a state the command to go on is told, as a shell reads it', () => {
  expect(pendingLines([pay, ask], { file: 'my agent.ts', agent: 'a', state: 'run.json' })).toEqual([
    'Waiting:',
    '  c1: pay: it needs a yes or no',
    '    {',
    '      "amount": 1',
    '    }',
    '  c 2: ask (of clerk): its result is yours to give',
    '    {}',
    "To go on: capstan run 'my agent.ts' --agent a --resume run.json --approve c1 --result 'c 2=JSON'",
    'To refuse a call: --deny ID=REASON in place of --approve ID',
  ])
})

test('without one it is told how to have one', () => {
  expect(pendingLines([ask], { file: 'a.ts' }).at(-1)).toBe(
    'To decide later, run it with --state FILE, which keeps the run.',
  )
})

test('arguments are told whole, a field a line, and nothing in them is hidden', () => {
  const long = 'Lists the files. '.repeat(1000)
  const blob = 'QUJD'.repeat(1000)
  const call = {
    callId: 'c\u202e',
    name: 'sh\u2066ell',
    arguments: { long, deep: { blob }, 'k\u200bey\u001b[2J': 'a\u202eb\u009bc\nd' },
    kind: 'approval',
    reason: 'it\u061c asks\nfor "this"',
  } as const
  expect(pendingLines([call], { file: 'a.ts' }).slice(0, -1)).toEqual([
    'Waiting:',
    '  c\\u202e: sh\\u2066ell: it\\u061c asks\\u000afor "this"',
    '    {',
    `      "long": "${long}",`,
    '      "deep": {',
    `        "blob": "${blob}"`,
    '      },',
    '      "k\\u200bey\\u001b[2J": "a\\u202eb\\u009bc\\nd"',
    '    }',
  ])
})
