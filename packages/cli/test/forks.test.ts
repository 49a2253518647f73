import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { some } from '../../../scripts/cases.mjs'
import { agents, capstan } from './capstan.js'

const folder = mkdtempSync(join(tmpdir(), 'capstan-forks-'))
const path = (name: string) => join(folder, name)
const recording = path('run.jsonl')
const agent = join(agents, 'planted.ts')
afterAll(() => rmSync(folder, { recursive: true }))

let count = 0
/** Runs the command. `done` lists what the agent's model and tools did. */
async function run(...args: readonly string[]) {
  const ledger = path(`ledger-${++count}`)
  const said = await capstan(args, { env: { LEDGER: ledger } })
  const done = existsSync(ledger) ? readFileSync(ledger, 'utf8').trim().split('\n') : []
  return { ...said, done }
}

beforeAll(async () => {
  const made = await run('run', agent, 'How is it in Oslo?', '--record', recording)
  expect(made).toMatchObject({ exit: 0, done: ['asked', 'weather Oslo', 'asked'] })
})

describe('fork', () => {
  test('with nothing changed is the same, asks no model and runs no tool', async () => {
    const forked = await run('fork', recording, '--at', '1', '--record', path('same.jsonl'))
    expect(forked).toMatchObject({ exit: 0, out: 'So: {"city":"Oslo","degrees":-2}\n', done: [] })
    const compared = await run('compare', recording, path('same.jsonl'))
    expect(compared.exit).toBe(0)
    expect(compared.out).toContain('The runs are the same.')
  })

  test('with another result goes on from it', async () => {
    const result = 'step0/call0={"city":"Oslo","degrees":31}'
    const args = ['--at', '1', '--file', agent, '--result', result, '--record', path('warm.jsonl')]
    const forked = await run('fork', recording, ...args)
    expect(forked).toMatchObject({ exit: 0, out: 'So: {"city":"Oslo","degrees":31}\n', done: ['asked'] })
    const compared = await run('compare', recording, path('warm.jsonl'))
    expect(compared.exit).toBe(1)
    expect(compared.out.split('\n').slice(2)).toEqual([
      '  ~ step 0: get_weather, different results',
      '  ~ step 1: answer, different messages, text',
      'The first difference is at step0/request, in results:',
      '- [{"name":"get_weather","status":"ok","content":"{\\"city\\":\\"Oslo\\",\\"degrees\\":-2}"}]',
      '+ [{"name":"get_weather","status":"ok","content":"{\\"city\\":\\"Oslo\\",\\"degrees\\":31}"}]',
      '',
    ])
    const asJson = await run('compare', recording, path('warm.jsonl'), '--json')
    expect(JSON.parse(asJson.out)).toMatchObject({ isSame: false, first: { pair: 0 } })
  })

  test('with other instructions makes new calls wait', async () => {
    writeFileSync(path('rude.md'), 'Book at once.\n')
    const args = ['--at', '0', '--file', agent, '--instructions', path('rude.md')]
    const forked = await run('fork', recording, ...args)
    expect(forked).toMatchObject({
      exit: 3,
      done: ['asked'],
      err: expect.stringContaining('book (call_1) is pending.'),
    })
    const run2 = await run('fork', recording, ...args, '--run-effects')
    expect(run2).toMatchObject({ exit: 0, done: ['asked', 'book Oslo', 'asked'] })
  })

  test.each(
    some([
      [['--at', 'x'], 2, '--at must be a whole number'],
      [[], 2, '--at must be a whole number'],
      [['--at', '9'], 1, 'has no step 9'],
      [['--at', '1', '--result', 'x'], 2, '--result must have the form CALL=JSON'],
      [['--at', '0', '--instructions', 'none.md'], 2, 'Cannot read none.md.'],
    ] as const),
  )('%j ends with code %i', async (args, exit, sentence) => {
    expect(await run('fork', recording, ...args)).toMatchObject({
      exit,
      err: expect.stringContaining(sentence),
    })
  })
})

describe('bisect', () => {
  /** Writes versions of the instructions. From version `bad` on, they contain the planted change. */
  function versions(name: string, number: number, bad: number): readonly string[] {
    return Array.from({ length: number }, (_, at) => {
      const file = path(`${name}-${at}.md`)
      writeFileSync(file, at < bad ? `Be kind, version ${at}.` : `Version ${at}. Book at once.`)
      return file
    })
  }

  test.each(some([1, 5, 2, 7], 2))('finds version %i of 8 in 3 runs, and repeats no effect', async (bad) => {
    const files = versions(`bad-${bad}`, 8, bad)
    const said = await run('bisect', recording, '--file', agent, '--instructions', ...files)
    expect(said.exit).toBe(1)
    expect(said.out).toContain(`${files[bad]} is the first version that differs from the recording.`)
    expect(said.out).toContain('The first difference is at step0/request, in calls:')
    expect(said.err.trim().split('\n')).toHaveLength(3)
    expect(new Set(said.done)).toEqual(new Set(['asked']))
  })

  test('says when none parts', async () => {
    const said = await run('bisect', recording, '--file', agent, '--instructions', ...versions('good', 5, 5))
    expect(said).toMatchObject({ exit: 0, out: 'No version differs from the recording.\n' })
    expect(said.err.trim().split('\n').length).toBeLessThanOrEqual(3)
  })

  test('needs two versions', async () => {
    expect(await run('bisect', recording)).toMatchObject({ exit: 2 })
    expect(await run('bisect', recording, '--instructions', 'v1.md')).toMatchObject({ exit: 2 })
  })
})
