import { readFileSync } from 'node:fs'
import { Agent, chatModel, tool } from '@capstan/core'
import { expect, test } from 'vitest'
import * as z from 'zod'

// The column of Capstan on the page that compares frameworks: each row of behaviour, run.
const page = readFileSync(new URL('../docs/reference/comparison.md', import.meta.url), 'utf8')
/** The cell of Capstan in each row of the table of behaviour. */
const [, table = ''] = /^\| Server or model \| Capstan \|.*\n\| --- .*\n((?:\|.*\n)+)/m.exec(page) ?? []
const rows = table
  .trim()
  .split('\n')
  .map((row) => row.split(' | '))
  .map(([name = '', ours = '']) => [name.replace(/^\| /, ''), ours] as const)

const call = (name: string, given: unknown, id: string | undefined = 'call_1') => ({
  ...(id !== undefined && { id }),
  type: 'function',
  function: { name, arguments: given },
})
const calling = (calls: readonly object[], end: object = { finish_reason: 'tool_calls' }) => ({
  choices: [{ index: 0, ...end, message: { role: 'assistant', content: null, tool_calls: calls } }],
})
const add = (given: unknown) => calling([call('add', given)])
const saying = (content: unknown, end: object = { finish_reason: 'stop' }) => ({
  choices: [{ index: 0, ...end, message: { role: 'assistant', content } }],
})

interface Failure {
  readonly status: number
  readonly headers?: Record<string, string>
}

type Answer = { readonly choices: readonly object[] } | Failure

/** The answers of the server, the last one again and again; then what was seen. */
const cases: Readonly<Record<string, { answers: readonly Answer[]; seen: object; cell: string }>> = {
  'a call, and no `finish_reason`': {
    answers: [calling([call('now', '{}')], {}), saying('Done.')],
    seen: { ran: ['now'], text: 'Done.' },
    cell: 'runs',
  },
  'a text, and no `finish_reason`': {
    answers: [saying('Done.', {})],
    seen: { requests: 1, text: 'Done.' },
    cell: 'the text',
  },
  '`arguments: ""` for a tool without parameters': {
    answers: [calling([call('now', '')]), saying('Done.')],
    seen: { ran: ['now'], text: 'Done.' },
    cell: 'runs',
  },
  'arguments cut off': {
    answers: [add('{"a":1,"b'), saying('Done.')],
    seen: { ran: [], told: [expect.stringContaining('not JSON at position 9')], text: 'Done.' },
    cell: 'told to the model',
  },
  'arguments as an object, not a text': {
    answers: [add({ a: 1, b: 2 }), saying('Done.')],
    seen: { ran: ['add'], text: 'Done.' },
    cell: 'runs',
  },
  'a tool that does not exist': {
    answers: [calling([call('ad', '{}')]), saying('Done.')],
    seen: { ran: [], told: [expect.stringContaining('"ad"')], text: 'Done.' },
    cell: 'told to the model',
  },
  'a tool that throws': {
    answers: [calling([call('fail', '{}')]), saying('Done.')],
    seen: { told: [expect.stringContaining('out of paper')], text: 'Done.' },
    cell: 'told to the model',
  },
  'the same id for two calls': {
    answers: [calling([call('now', '{}'), call('now', '{}')]), saying('Done.')],
    seen: { ran: ['now', 'now'], text: 'Done.' },
    cell: 'both run',
  },
  'a call without an id': {
    answers: [calling([{ type: 'function', function: { name: 'now', arguments: '{}' } }]), saying('Done.')],
    seen: { ran: ['now'], text: 'Done.' },
    cell: 'runs',
  },
  'the same call forever': {
    answers: [calling([call('now', '{}')])],
    seen: { requests: 6, stopReason: 'stuck' },
    cell: '6 requests, ends as `stuck`',
  },
  'an empty list of `choices`': {
    answers: [{ choices: [] }],
    seen: { error: 'invalid_response' },
    cell: 'an error',
  },
  'HTTP 500 once': {
    answers: [{ status: 500 }, saying('Done.')],
    seen: { requests: 2, text: 'Done.' },
    cell: 'repeated',
  },
  'HTTP 429 with `Retry-After`': {
    answers: [{ status: 429, headers: { 'retry-after': '0.01' } }, saying('Done.')],
    seen: { requests: 2, text: 'Done.' },
    cell: 'waits as asked',
  },
  'a result with a BigInt': {
    answers: [calling([call('big', '{}')]), saying('Done.')],
    seen: { told: [expect.stringContaining('"count" is a BigInt')], text: 'Done.' },
    cell: 'told to the model',
  },
  'a last text as a list of parts': {
    answers: [saying([{ type: 'text', text: 'Done.' }])],
    seen: { text: 'Done.' },
    cell: 'the text',
  },
}

test('each row of behaviour is run here', () => {
  expect(rows.map(([name]) => name)).toEqual(Object.keys(cases))
})

test('the size and the CPU are those of the README', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const size = /\| size \| (\d+ kB) for a program/.exec(readme)?.[1]
  const cpu = /\| CPU \| (\d\.\d+) of a loop/.exec(readme)?.[1]
  expect(page).toContain(`| a program with one tool, minified, gzip | ${size} |`)
  expect(page).toContain(`a loop by hand is 1.00 | ${cpu} |`)
})

test('the installed size is that of the page of sizes', () => {
  const sizes = readFileSync(new URL('../docs/reference/sizes.md', import.meta.url), 'utf8')
  const [, megabytes, packages] = /\| `@capstan\/core` \| [\d.]+ \| ([\d.]+) \| (\d+) \|/.exec(sizes) ?? []
  expect(page).toContain(`| installed, with zod | ${megabytes} MB, ${packages} packages |`)
})

test.each(Object.entries(cases))('%s', async (name, { answers, seen, cell }) => {
  expect(await outcomeOf(answers)).toMatchObject(seen)
  expect(Object.fromEntries(rows)[name]).toBe(cell)
})

async function outcomeOf(answers: readonly Answer[]) {
  const ran: string[] = []
  const noted = <Result>(name: string, result: () => Result) => {
    ran.push(name)
    return result()
  }
  const tools = [
    tool({
      name: 'add',
      description: 'Adds',
      parameters: z.object({ a: z.number(), b: z.number() }),
      execute: ({ a, b }) => noted('add', () => a + b),
    }),
    tool({
      name: 'now',
      description: 'The time',
      parameters: z.object({}),
      execute: () => noted('now', () => 12),
    }),
    tool({
      name: 'fail',
      description: 'Fails',
      parameters: z.object({}),
      execute: () => {
        throw new Error('out of paper')
      },
    }),
    tool({ name: 'big', description: 'Counts', parameters: z.object({}), execute: () => ({ count: 10n }) }),
  ]
  let requests = 0
  const fetch = async () => {
    const answer = answers[requests] ?? answers.at(-1) ?? { choices: [] }
    requests++
    if ('status' in answer) return Response.json({ error: { message: 'Later.' } }, answer)
    return Response.json(answer)
  }
  const model = chatModel('scripted', { baseURL: 'https://api.example.com/v1', apiKey: 'key', fetch })
  try {
    const { text, stopReason, messages } = await new Agent({ model, tools }).run('Go.')
    const told = messages.flatMap((message) => (message.role === 'tool' ? [String(message.content)] : []))
    return { ran, told, requests, text, stopReason }
  } catch (error) {
    return { ran, requests, error: Object(error).code }
  }
}
