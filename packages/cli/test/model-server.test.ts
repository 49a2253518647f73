import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startService } from '@capstan/service'
import { expect, onTestFinished, test } from 'vitest'
import { some } from '../../../scripts/cases.mjs'
import { slowTest } from '../../../scripts/slow-test.mjs'
import { agents, capstan } from './capstan.js'

const question = 'What is the weather in Oslo?'
const local = 'No API key is set, so the local service replies. It follows rules; it is not a language model.'

test('without an address and a key, run asks the local service and says so once', async () => {
  const { exit, out, err } = await capstan(['run', 'weather.ts', question])
  expect({ exit, out }).toEqual({ exit: 0, out: 'get_weather (city Oslo): degrees 7.\n' })
  expect(err.split('\n').filter((line) => line.includes('replies'))).toEqual([local])
})

slowTest('without an address and a key, chat asks the local service and says so once', async () => {
  const { exit, out, err } = await capstan(['chat', 'weather.ts'], { input: `${question}\n${question}\n` })
  expect({ exit, out }).toEqual({ exit: 0, out: 'get_weather (city Oslo): degrees 7.\n'.repeat(2) })
  expect(err.split('\n').filter((line) => line.includes('replies'))).toEqual([local])
})

test.each(some(['run', 'chat']))('with an address alone, %s asks its server and says so', async (command) => {
  const service = await startService({ apiKey: false })
  onTestFinished(() => service.close())
  const env = { OPENAI_BASE_URL: service.baseURL }
  const args = [command, 'weather.ts', ...(command === 'run' ? [question] : [])]
  const { exit, out, err } = await capstan(args, { env, input: `${question}\n` })
  expect({ exit, out }).toEqual({ exit: 0, out: 'get_weather (city Oslo): degrees 7.\n' })
  expect(err.split('\n').filter((line) => line.includes('replies'))).toEqual([`${service.baseURL} replies.`])
})

test('invisible characters are escaped in JSON, which stays the same value', async () => {
  const output = join(agents, '../output')
  mkdirSync(output, { recursive: true })
  const cwd = mkdtempSync(join(output, 'hostile-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const program = `
    import { Agent, tool } from '@capstan/core'
    import { reply, scriptedModel } from '@capstan/testing'
    import * as z from 'zod'
    const hostile = 'a\\u009b31m\\u202eb\\u2066c\\u200d'
    const say = tool({ name: 'say', description: hostile, parameters: z.object({}), execute: () => hostile })
    export default new Agent({ model: scriptedModel([reply.call('say'), reply.text(hostile)]), tools: [say] })`
  writeFileSync(join(cwd, 'hostile.ts'), program)
  const value = 'a\u009b31m\u202eb\u2066c\u200d'
  const called = await capstan(['tool', 'hostile.ts', 'say', '{}'], { cwd })
  expect(JSON.parse(called.out)).toBe(value)
  const listed = await capstan(['tool', 'hostile.ts', '--json'], { cwd })
  expect(JSON.parse(listed.out)[0].function.description).toBe(value)
  const events = await capstan(['run', 'hostile.ts', 'Hi.', '--json'], { cwd })
  const ends = events.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(ends.find(({ type }) => type === 'tool-end')).toMatchObject({ content: value })
  const checked = await capstan(['check', 'hostile.ts', '--json'], { cwd })
  for (const { out, err } of [called, listed, events, checked])
    expect(out + err).not.toMatch(/[\u0080-\u009f\u202a-\u202e\u2066-\u2069]/)
})
