// docs/guides/sessions.md shows a region of this file.
import { Agent } from '@capstan/core'
import { reply, scriptedModel, sessionStoreChecks } from '@capstan/testing'
import Database from 'libsql'
import { expect, onTestFinished, test, vi } from 'vitest'
import { sqliteSessions } from '../src/sqlite.js'
import { askTwice, change, open, own } from './sessions.examples.js'

test('keeps the conversation of the page, and its branch', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  onTestFinished(() => log.mockRestore())
  const db = new Database(':memory:')
  onTestFinished(() => void db.close())
  const model = scriptedModel(['Snow.', 'Sun.', 'Rain.'].map((text) => reply.text(text)))
  const agent = new Agent({ model })
  expect((await askTwice(agent, db)).session).toEqual({ id: 'ada', version: 4 })
  const { session } = await change(agent, sqliteSessions(db))
  expect(session).toEqual({ id: expect.stringMatching(/^ada~[a-z]{8}$/), version: 4 })
  expect(log.mock.calls.flat()).toEqual([{ id: 'ada', version: 4 }, session])
  expect(model.requests.at(-1)?.messages.map(({ content }) => content)).toEqual([
    'What is the weather in Oslo?',
    'Snow.',
    'And in Lisbon?',
  ])
})

test('opens the databases of the page', () => {
  for (const store of open(':memory:', 'postgres://localhost/none')) expect(store.fork).toBeTypeOf('function')
})

const makeStore = () => own()

// #region checks
for (const { name, run } of sessionStoreChecks(makeStore)) test(name, run)
// #endregion
