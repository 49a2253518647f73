import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reply } from '@capstan/testing'
import { explain, forkRun, recordRun, replayRun } from '@capstan/testing/recording'
import { afterAll, expect, test } from 'vitest'
import { done, loop, makeAgent, type Payment } from './waiting-agent.js'

const folder = mkdtempSync(join(tmpdir(), 'capstan-code-'))
afterAll(() => rmSync(folder, { recursive: true }))

const asks = reply.call(
  'run_program',
  { code: loop.replace('salt, again: Math.random()', 'salt') },
  { id: 'program' },
)

async function record(name: string) {
  const file = join(folder, `${name}.jsonl`)
  const paid: Payment[] = []
  const agent = makeAgent([asks, done], (_, one) => paid.push(one))
  const first = await agent.run('Pay my bills', { ...recordRun(file), runId: 'run-1' })
  return { file, first, paid }
}

/** A program that ends: three payments that need no approval. */
const small = `
const paid = []
for (const bill of await tools.bills()) if (bill.amount < 100) paid.push((await tools.pay(bill)).receipt)
return paid`

async function recordSmall(name: string) {
  const file = join(folder, `${name}.jsonl`)
  const made = makeAgent([reply.call('run_program', { code: small }), reply.text('Three.')], () => {})
  return { file, result: await made.run('Pay the small bills', recordRun(file)) }
}

test('a recording shows a program with its source, and its calls', async () => {
  const { file } = await recordSmall('explained')
  expect(withoutTimes(explain(file))).toMatchInlineSnapshot(`
    "Run 1 of the agent "clerk", limits: steps 20
      gets: Pay the small bills
      step 0: scripted gets 1 message and 1 tool
        reply with 1 call (10 tokens in, 5 out)
        run_program runs a program:
          1 |
          2 | const paid = []
          3 | for (const bill of await tools.bills()) if (bill.amount < 100) paid.push((await tools.pay(bill)).receipt)
          4 | return paid
          in the program: bills() ok
          in the program: pay({"to":"ada","amount":20}) ok
          in the program: pay({"to":"cid","amount":30}) ok
          in the program: pay({"to":"eve","amount":40}) ok
        run_program ok: ["ada-20","cid-30","eve-40"]
      step 1: scripted gets 3 messages and 1 tool
        reply: Three. (10 tokens in, 5 out)
      ends as done: the model replied (2 steps, 5 calls, 30 tokens)"
  `)
})

test('a recorded program is repeated from its file alone, and calls nothing', async () => {
  const { file, result } = await recordSmall('alone')
  const [again] = await replayRun(file)
  expect(again?.messages).toEqual(result.messages)
})

test('a recorded program is repeated with its agent, and waits at the same call', async () => {
  const { file, first } = await record('replayed')
  const paid: Payment[] = []
  const agent = makeAgent([], (_, one) => paid.push(one))
  const [checked] = await replayRun(file, { agent })
  expect(checked?.pending).toEqual(first.pending)
  expect(paid).toEqual([])
  const [ran] = await replayRun(file, { agent, tools: 'run' })
  expect(ran?.pending).toEqual(first.pending)
  expect(paid.map(({ to }) => to)).toEqual(['ada'])
})

test('two recordings of one program are equal to the byte, but for times', async () => {
  const [one, other] = [await record('a'), await record('b')]
  const bytes = ({ file }: { readonly file: string }) =>
    readFileSync(file, 'utf8').replace(/"(at|ms|seconds|startedAt|date|time)":("[^"]*"|[\d.]+)/g, '"$1":0')
  expect(bytes(one)).toBe(bytes(other))
})

test('a fork goes on behind the program, without its calls', async () => {
  const { file } = await recordSmall('forked')
  const paid: Payment[] = []
  const agent = makeAgent([reply.text('All small ones.')], (_, one) => paid.push(one))
  const fork = await forkRun(file, { agent, at: 1, ask: 'all' })
  expect(fork.text).toBe('All small ones.')
  expect(paid).toEqual([])
})

test('a fork with another program asks before what may change something', async () => {
  const { file } = await recordSmall('rewritten')
  const paid: Payment[] = []
  const agent = makeAgent([], (_, one) => paid.push(one))
  const code = "return (await tools.pay({ to: 'fay', amount: 1 })).receipt"
  const called = { name: 'run_program', arguments: JSON.stringify({ code }) }
  const written = {
    role: 'assistant' as const,
    content: null,
    tool_calls: [{ id: 'other', type: 'function' as const, function: called }],
  }
  const fork = await forkRun(file, { agent, at: 0, reply: written })
  expect(fork.pending?.map(({ name, arguments: args }) => [name, args])).toEqual([
    ['pay', { to: 'fay', amount: 1 }],
  ])
  expect(paid).toEqual([])
})

function withoutTimes(text: string): string {
  return text.replace(/\d+ ms/g, '0 ms')
}
