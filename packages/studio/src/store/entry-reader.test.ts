import { appendFileSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CutValue, Entry } from '../types.js'
import { cutEntry, partOf, readEntries, tailEntries } from './entry-reader.js'
import { runFiles } from './run-folder.js'

function line(seq: number, text = 'x'): Entry {
  return { seq, t: seq, console: 'log', text }
}

function folderWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'entries-'))
  writeFileSync(join(folder, runFiles.entries), text)
  return folder
}

test('reads ranges; a line that is cut off is left out', async () => {
  const folder = folderWith(`${[0, 1, 2].map((seq) => JSON.stringify(line(seq))).join('\n')}\n{"seq":3,`)
  expect(await readEntries(folder)).toEqual([line(0), line(1), line(2)])
  expect(await readEntries(folder, { after: 0, limit: 1 })).toEqual([line(1)])
})

test('a long value is cut with its size, and its part is the value', () => {
  const value = { list: [{ 'a/b~c': 'y'.repeat(20_000) }], short: 'z' }
  const event = { type: 'tool-progress', runId: 'r', seq: 0, step: 0, callId: 'c', name: 'n', value } as const
  const cut = cutEntry({ seq: 7, t: 0, event }) as unknown as {
    event: { value: { list: [Record<string, CutValue>]; short: string } }
  }
  const found = cut.event.value.list[0]['a/b~c']
  expect(found).toEqual({ cut: { bytes: 20_002, part: '7/event/value/list/0/a~1b~0c' } })
  expect(cut.event.value.short).toBe('z')
  expect(partOf({ seq: 7, t: 0, event }, 'event/value/list/0/a~1b~0c')).toBe('y'.repeat(20_000))
  expect(partOf({ seq: 7, t: 0, event }, 'event/value/constructor')).toBeUndefined()
})

test('many short values that are long together are cut as one', () => {
  const value = Array.from({ length: 10_000 }, (_, at) => at)
  const event = { type: 'tool-progress', runId: 'r', seq: 0, step: 0, callId: 'c', name: 'n', value } as const
  expect(cutEntry({ seq: 1, t: 0, event })).toMatchObject({
    event: { value: { cut: { part: '1/event/value' } } },
  })
})

test('a tail reports what was there, then each new entry once', async () => {
  const folder = folderWith(`${JSON.stringify(line(0))}\n${JSON.stringify(line(1))}\n`)
  const seen: number[] = []
  const tail = tailEntries(folder, {
    after: 0,
    onEntries: (entries) => seen.push(...entries.map(({ seq }) => seq)),
  })
  await expect.poll(() => seen).toEqual([1])
  const text = `${JSON.stringify(line(2))}\n`
  appendFileSync(join(folder, runFiles.entries), text.slice(0, 5))
  tail.check()
  appendFileSync(join(folder, runFiles.entries), text.slice(5))
  tail.check()
  await expect.poll(() => seen).toEqual([1, 2])
  tail.close()
})
