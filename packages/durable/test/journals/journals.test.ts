import { readdirSync, readFileSync } from 'node:fs'
import type { RunState } from '@capstan/core'
import { readStepKey } from '@capstan/core/internal'
import { expect, test } from 'vitest'
import { approvals, type Entry, runOver, type Segment } from './replay.js'
import { storedRuns } from './stored-runs.js'

const folder = new URL('./version-1/', import.meta.url)
const names = Object.keys(storedRuns)
const read = (name: string): readonly Segment[] =>
  JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'))

function agentOf(name: string) {
  const noted: string[] = []
  const run = storedRuns[name]?.((line) => noted.push(line))
  return { ...(run ?? expect.unreachable(`no run "${name}"`)), noted }
}

test('there is a run for each stored journal', () => {
  const files = readdirSync(folder).map((file) => file.replace('.json', ''))
  expect(files.toSorted()).toEqual(names.toSorted())
})

test.each(names)('prepares the run "%s" as it was stored', async (name) => {
  const { agent, input, options } = agentOf(name)
  const [first, ...later] = read(name)
  expect(await agent.prepare(input, { ...options, runId: 'stored' })).toEqual(first?.given)
  let waiting = first?.end
  for (const { given, end } of later) {
    const state = waiting as RunState
    expect(await agent.prepare(state, { decisions: approvals(state) })).toEqual(given)
    waiting = end
  }
})

test.each(names)('replays the stored journal "%s" step by step and repeats nothing', async (name) => {
  const { agent, noted } = agentOf(name)
  for (const { given, journal, ...stored } of read(name)) {
    const { asked, end } = await runOver(agent, given, journal)
    expect({ asked, end }).toEqual({ ...stored, asked: outsideChildren(stored.asked) })
  }
  expect(noted).toEqual([])
})

test.each(names)('continues the run "%s" after any number of stored steps', async (name) => {
  const { agent } = agentOf(name)
  for (const { given, journal, asked, end } of read(name)) {
    for (let steps = 0; steps < journal.length; steps++) {
      const continued = await runOver(agent, given, asOfNow(journal.slice(0, steps)))
      expect(withoutUsage(continued.end)).toEqual(withoutUsage(end))
      const isChildOver = continued.journal
        .slice(0, steps)
        .some(([key]) => readStepKey(key)?.kind === 'child')
      expect(continued.asked).toEqual(isChildOver ? outsideChildren(asked) : asked)
      expect(continued.end.usage.perTool).toEqual(end.usage.perTool)
    }
  }
})

/** Returns the steps as if the last one had just been stored, because a continued run counts its time from there. */
function asOfNow(entries: readonly Entry[]): readonly Entry[] {
  const timeOf = ([key, recorded]: Entry) =>
    recorded.ok && /now\d+$/.test(key) ? Number(recorded.value) : undefined
  const since = Date.now() - Math.max(...entries.map((entry) => timeOf(entry) ?? 0))
  return entries.map((entry): Entry => {
    const time = timeOf(entry)
    return time === undefined ? entry : [entry[0], { ok: true, value: time + since }]
  })
}

/** A child run that has ended is one step of its parent. */
function outsideChildren(keys: readonly string[]): readonly string[] {
  return keys.filter((key) => !/child\d+\//.test(key))
}

/**
 * A summary that was only in memory is written again, and its request counts. Calls that run again take a different
 * time.
 */
function withoutUsage({ usage: _, ...state }: RunState) {
  return JSON.parse(
    JSON.stringify(state, (key, value: unknown) => (key === 'ms' || key === 'seconds' ? undefined : value)),
  )
}
