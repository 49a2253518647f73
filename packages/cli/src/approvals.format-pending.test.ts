import { expect, test } from 'vitest'
import { formatPendingCalls } from './approvals.js'

const pay = { callId: 'c1', name: 'pay', arguments: { amount: 1 }, kind: 'approval' } as const
const ask = { callId: 'c 2', name: 'ask', arguments: {}, kind: 'result', agent: 'clerk' } as const

test('shows the command that resumes the run, quoted for a shell', () => {
  expect(formatPendingCalls([pay, ask], { file: 'my agent.ts', agent: 'a', state: 'run.json' })).toEqual([
    'Pending:',
    '  c1: pay: needs approval',
    '    {',
    '      "amount": 1',
    '    }',
    '  c 2: ask (called by clerk): needs a result from you',
    '    {}',
    "To resume: capstan run 'my agent.ts' --agent a --resume run.json --approve c1 --result 'c 2=JSON'",
    'To deny a call, replace --approve ID with --deny ID=REASON',
  ])
})

test('shows how to save the run without --state', () => {
  expect(formatPendingCalls([ask], { file: 'a.ts' }).at(-1)).toBe(
    'To decide later, save the run with --state FILE.',
  )
})

test('shows arguments completely, one field a line, with nothing hidden', () => {
  const long = 'Lists the files. '.repeat(1000)
  const blob = 'QUJD'.repeat(1000)
  const call = {
    callId: 'c\u202e',
    name: 'sh\u2066ell',
    arguments: { long, deep: { blob }, 'k\u200bey\u001b[2J': 'a\u202eb\u009bc\nd' },
    kind: 'approval',
    reason: 'it\u061c asks\nfor "this"',
  } as const
  expect(formatPendingCalls([call], { file: 'a.ts' }).slice(0, -1)).toEqual([
    'Pending:',
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
