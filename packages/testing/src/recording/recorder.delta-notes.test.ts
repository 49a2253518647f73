import type { ModelDelta } from '@capstan/core'
import { Redactor } from '@capstan/core/internal'
import { expect, test } from 'vitest'
import { DeltaRecorder } from './recorder.js'

const secret = 'q7Zr-4kWm2_XvB9t'
const redactor = new Redactor([secret])

function written(deltas: readonly ModelDelta[]): readonly unknown[] {
  const notes = new DeltaRecorder()
  for (const delta of deltas) notes.take(delta)
  return notes.deltas((pieces) => redactor.pieces(pieces))
}

const text = (said: string): ModelDelta => ({ type: 'text', text: said })
const reasoning = (said: string): ModelDelta => ({ type: 'reasoning', text: said })
const call = (index: number, said: string): ModelDelta => ({
  type: 'call',
  index,
  name: 'look',
  arguments: said,
})

test('deltas without secrets stay unchanged', () => {
  expect(written([text('a'), reasoning('b'), text('c'), call(0, '{'), call(1, '{'), call(0, '}')])).toEqual([
    'a',
    { reasoning: 'b' },
    'c',
    { call: 0, name: 'look', arguments: '{' },
    { call: 1, name: 'look', arguments: '{' },
    { call: 0, name: 'look', arguments: '}' },
  ])
})

test('redacts a secret in text between other deltas', () => {
  const pieces = [...secret]
  const shown = written(pieces.flatMap((piece) => [text(piece), reasoning('.')]))
  expect(shown).toEqual(['[redacted]', ...pieces.map(() => ({ reasoning: '.' }))])
})

test('redacts a secret in a call between other deltas, and its arguments stay JSON', () => {
  const shown = written(
    ['{"password"', ':1234', '5678}'].flatMap((said, at) => [call(0, said), call(1, `${at}`)]),
  )
  expect(shown).toEqual([
    { call: 0, name: 'look', arguments: '{"password":"[redacted]"}' },
    { call: 1, name: 'look', arguments: '0' },
    { call: 1, name: 'look', arguments: '1' },
    { call: 1, name: 'look', arguments: '2' },
  ])
})
