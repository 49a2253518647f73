import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Message, RunState } from '@capstan/core'
import { noUsage } from '@capstan/core/internal'
import { expect, test } from 'vitest'
import { compareStates, lastCheckpoint, readState } from './checkpoints.js'
import { runFiles } from './run-folder.js'

function stateWith(fields: Partial<RunState>): RunState {
  return {
    schema: 1,
    runId: 'r',
    agent: 'a',
    definitionHash: 'h',
    stepCount: 0,
    messages: [],
    results: {},
    pending: [],
    usage: noUsage,
    limits: {},
    flags: {},
    kept: {},
    ...fields,
  } as RunState
}

const hello: Message = { role: 'user', content: 'Hello' }
const reply: Message = { role: 'assistant', content: 'Hi' }

test('each line is the difference, and every state can be read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'checkpoints-'))
  const states = [
    stateWith({ messages: [hello] }),
    stateWith({ messages: [hello, reply], stepCount: 1, extra: { citations: ['a'] } }),
    stateWith({ messages: [hello], stepCount: 2, stopReason: 'done' }),
  ]
  let before: RunState | undefined
  const lines = states.map((state, checkpoint) => {
    const line = { checkpoint, ...compareStates(before, state) }
    before = state
    return line
  })
  writeFileSync(join(folder, runFiles.checkpoints), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  expect(lines[1]).toEqual({
    checkpoint: 1,
    set: { stepCount: 1, extra: { citations: ['a'] } },
    lists: { messages: { keep: 1, items: [reply] } },
  })
  for (const [at, state] of states.entries()) expect(await readState(folder, at)).toEqual(state)
  expect(await lastCheckpoint(folder)).toBe(2)
  await expect(readState(folder, 3)).rejects.toMatchObject({ code: 'not_found' })
})

test('equal states have no difference', () => {
  expect(
    compareStates(stateWith({ messages: [hello] }), stateWith({ messages: [{ ...hello }] })),
  ).toBeUndefined()
})
