import type { RunEvent } from '@capstan/core'
import { expect, test } from 'vitest'
import { toProgress } from './call-tool.js'

const event = (body: object) => ({ runId: 'r', seq: 0, step: 0, callId: 'c', ...body }) as unknown as RunEvent

test.each([
  ['text', { type: 'tool-progress', name: 'own', value: 'half' }, { message: 'half' }],
  ['text of another tool', { type: 'tool-progress', name: 'draw', value: 'half' }, { message: 'draw: half' }],
  ['a value', { type: 'tool-progress', name: 'own', value: { at: 1 } }, { message: '{"at":1}' }],
  ['a number beyond JSON', { type: 'tool-progress', name: 'own', value: 10n }, { message: '10' }],
  [
    'an object beyond JSON',
    { type: 'tool-progress', name: 'own', value: { at: 10n } },
    { message: '{"at":"10"}' },
  ],
  ['nothing', { type: 'tool-progress', name: 'own', value: undefined }, { message: 'undefined' }],
  [
    'a progress of the protocol',
    { type: 'tool-progress', name: 'own', value: { progress: 3, total: 4, message: 'three' } },
    { message: 'three', progress: 3, total: 4 },
  ],
  ['the start of another tool', { type: 'tool-start', name: 'draw' }, { message: 'draw: started' }],
  ['its end', { type: 'tool-end', name: 'draw', status: 'ok' }, { message: 'draw: done' }],
  ['its failure', { type: 'tool-end', name: 'draw', status: 'error' }, { message: 'draw: error' }],
  ['the start of the called tool', { type: 'tool-start', name: 'own' }, undefined],
  ['any other event', { type: 'step-start' }, undefined],
])('reports progress for %s', (_what, body, expected) => {
  expect(toProgress(event(body), 'own')).toEqual(expected)
})

test('cuts long messages', () => {
  const said = toProgress(event({ type: 'tool-progress', name: 'own', value: 'x'.repeat(10_000) }), 'own')
  expect(said?.message).toHaveLength(1000)
})
