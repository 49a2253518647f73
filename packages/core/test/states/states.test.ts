import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readState } from '../../src/features/resume/resume.js'
import type { RunOptions, RunState } from '../../src/index.js'
import { hash } from '../../src/json.js'
import { expectSound, throughJson } from '../run-control/soundness.js'
import { startStrictServer } from '../run-control/strict-server.js'
import { oldAgent } from './old-agent.js'

const folder = new URL('./schema-1/', import.meta.url)
const textOf = (name: string) => readFileSync(new URL(`${name}.json`, folder), 'utf8')
const stateOf = (name: string): RunState => JSON.parse(textOf(name))

const approve = { type: 'approve' } as const
const milk = 'Milk and bread.'

/** How to resume each state, and the checks of its result. */
const kept: Readonly<Record<string, readonly [options: RunOptions, expected: object]>> = {
  aborted: [{}, { stepCount: 2, toolCalls: [] }],
  'crashed-with-open-calls': [
    {},
    { toolCalls: [{ result: milk }, { status: 'rejected' }, { status: 'rejected' }, { status: 'ok' }] },
  ],
  'failed-with-spending': [
    {},
    {
      toolCalls: [{ result: { kind: 'image' } }, { result: milk }],
      usage: { images: 2, cost: expect.closeTo(0.48) },
    },
  ],
  limit: [{ limits: { toolCalls: 9 } }, { stepCount: 3, usage: { toolCalls: 3, perTool: { read: 3 } } }],
  'limit-with-incomplete-text': [
    { limits: { steps: 3 } },
    { state: { flags: expect.not.objectContaining({ incomplete: true }) } },
  ],
  pending: [
    {
      decisions: {
        call_1_1: { ...approve, arguments: { what: 'oat milk' } },
        call_1_2: { type: 'result', value: 'blue' },
        call_1_3: { type: 'deny', reason: 'we have some' },
      },
    },
    {
      toolCalls: [
        { result: milk },
        { result: 'bought', arguments: { what: 'oat milk' } },
        { result: 'blue' },
        { status: 'denied' },
      ],
    },
  ],
  'pending-partly-decided': [
    { decisions: { call_1_3: approve } },
    {
      toolCalls: [
        { result: milk },
        { result: 'bought', arguments: { what: 'oat milk' } },
        { result: { color: 'blue' } },
        { result: 'bought', arguments: { what: 'bread' } },
      ],
    },
  ],
  stuck: [
    {},
    { stepCount: 6, state: { kept: expect.not.objectContaining({ 'stuck-detection': expect.anything() }) } },
  ],
  'tainted-and-approved': [
    { decisions: { call_6_0: approve } },
    {
      usage: { images: 1, toolCalls: 4, cost: expect.closeTo(0.61) },
      state: { taintedBy: 'page', approved: ['buy', 'paint'] },
    },
  ],
}

const fingerprints = {
  aborted: '7278183b75f59e6b',
  'crashed-with-open-calls': 'd895568a0d31362a',
  'failed-with-spending': 'f73c323c0365cf66',
  limit: '49e7871e9404ed68',
  'limit-with-incomplete-text': 'dc8ee101315ed545',
  pending: '9d296d43b24413a3',
  'pending-partly-decided': 'a621db9baeeab75b',
  stuck: '2a2a045c8cb0bec4',
  'tainted-and-approved': '72f4dd9902a95fd9',
}

test.each(Object.entries(kept))(
  'the kept state "%s" is gone on with to the end',
  async (name, [options, expected]) => {
    await using server = await startStrictServer([{ text: 'Done.' }])
    const result = await oldAgent({ ...server.model, name: 'clerk' }).run(stateOf(name), options)
    expect(result).toMatchObject({ stopReason: 'done', text: 'Done.', ...expected })
    expectSound(result)
    expect(server.faults).toEqual([])
  },
)

test.each(Object.keys(kept))('reads the stored state "%s" and writes it unchanged', (name) => {
  expect(throughJson(readState(stateOf(name)))).toEqual(stateOf(name))
})

test('every stored state exists and is unchanged', () => {
  const files = readdirSync(folder).map((file) => file.replace('.json', ''))
  expect(files.toSorted()).toEqual(Object.keys(kept))
  expect(Object.fromEntries(files.map((name) => [name, hash(textOf(name))]))).toEqual(fingerprints)
})
