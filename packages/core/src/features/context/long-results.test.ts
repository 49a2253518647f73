import { expect, test } from 'vitest'
import { testLongResults } from '../../../test/features/long-results.suite.js'
import { memoryArtifacts, readBytes } from '../../artifacts/memory-artifacts.js'
import { shortenResult } from '../../tools/render-result.js'
import { longResults, readArtifact } from './long-results.js'

const origin = { tool: 'read_log', callId: 'call_1', runId: 'run-1' }

test('a result that is short enough is told as it is, to the byte', async () => {
  const store = memoryArtifacts()
  const text = 'é'.repeat(500)
  expect(await shortenResult({ content: text }, { maxResultBytes: 1000 }, () => ({ store, origin }))).toEqual(
    {
      content: text,
    },
  )
  expect(await store.list()).toEqual([])
  expect(
    (await shortenResult({ content: text }, { maxResultBytes: 999 }, () => ({ store, origin }))).whole,
  ).toBeDefined()
})

test('of a longer one its ends are told, and where the whole is, without half a character', async () => {
  const store = memoryArtifacts()
  const text = `begin${'😀'.repeat(1000)}end`
  const { content, whole } = await shortenResult({ content: text }, { maxResultBytes: 400 }, () => ({
    store,
    origin,
  }))
  expect(content).toMatch(
    /^begin(😀)+\n\[\d+ of 2008 characters omitted. Use read_artifact with artifact "txt_/u,
  )
  expect(content).toMatch(/(😀)+end$/u)
  expect(content).not.toContain('\ufffd')
  expect(new TextDecoder().decode(await readBytes(await store.open(whole?.id ?? '')))).toBe(text)
  expect(whole?.origin).toEqual(origin)
})

testLongResults(longResults, readArtifact)
