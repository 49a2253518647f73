// Measures what keeping a run costs: the CPU time with and without `keepRun()`, and of the last and the first steps.
//
//   node --conditions=development --import=tsx packages/studio/test/prove-cost-of-keeping.ts [ROUNDS]

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Agent, chatModel, tool, without } from '@capstan/core'
import { z } from 'zod'
import { keepRun } from '../src/keep-run/keep-run.js'

const steps = 420
const rounds = Number(process.argv[2] ?? 7)
/** Limits: CPU milliseconds per step, and the last steps' cost relative to the first. For an otherwise idle machine. */
const bounds = { perStep: 2, growth: 1.5 }

const look = tool({
  name: 'look',
  description: 'Looks',
  parameters: z.object({ at: z.number() }),
  effects: 'read',
  execute: ({ at }) => `${at} ${'word '.repeat(200)}`,
})

/** Replies to each request with the next call, in a separate process, so that its CPU time is not measured. */
function serve(): void {
  let step = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      step += 1
      const call = { name: 'look', arguments: `{"at":${step}}` }
      const calls = { content: null, tool_calls: [{ id: `call_${step}`, type: 'function', function: call }] }
      const isLast = step % steps === 0
      const message = { role: 'assistant', ...(isLast ? { content: 'Done.' } : calls) }
      const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
      const choice = { index: 0, message, finish_reason: isLast ? 'stop' : 'tool_calls' }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ id: 'c', model: 'm', choices: [choice], usage }))
    })
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
}

/** Returns each step's CPU time in milliseconds. */
async function run(port: number, isKept: boolean): Promise<readonly number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'cost-'))
  const model = chatModel('m', { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: 'none' })
  const agent = new Agent({
    model,
    tools: [look],
    limits: { steps: steps + 1 },
    middleware: [without('stuck-detection')],
  })
  const spent: number[] = []
  let before = process.cpuUsage()
  const observe = ({ type }: { readonly type: string }) => {
    if (type !== 'step-end') return
    const { user, system } = process.cpuUsage(before)
    spent.push((user + system) / 1000)
    before = process.cpuUsage()
  }
  await agent.run('Look around.', isKept ? keepRun({ folder, observe }) : { observe })
  rmSync(folder, { recursive: true })
  return spent
}

/** Takes minima, because other work on the machine can only add to a run's cost. */
const least = (values: readonly number[]) => Math.min(...values)
const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0)
/** The CPU time of 80 steps: for every 20 steps, the minimum of all runs. */
const partOf = (all: readonly (readonly number[])[], from: number) =>
  sum([0, 20, 40, 60].map((at) => least(all.map((one) => sum(one.slice(from + at, from + at + 20))))))

async function measure(): Promise<void> {
  const server = fork(fileURLToPath(import.meta.url), ['serve'])
  const [port] = await once(server, 'message')
  // The first runs are slower, until the code has been compiled.
  for (let round = 0; round < 2; round++) await run(port, true)
  const [plain, kept]: [number[][], number[][]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    plain.push([...(await run(port, false))])
    kept.push([...(await run(port, true))])
  }
  server.kill()
  const without = least(plain.map(sum)) / steps
  const perStep = least(kept.map(sum)) / steps - without
  const cost = (from: number) => partOf(kept, from) - partOf(plain, from)
  const growth = cost(340) / cost(5)
  console.log(
    `keeping a run: ${perStep.toFixed(2)} ms of CPU a step (at most ${bounds.perStep}) beside the ` +
      `${without.toFixed(2)} of the run itself; the last steps cost ${growth.toFixed(2)} times what the first ones do ` +
      `(at most ${bounds.growth})`,
  )
  if (perStep > bounds.perStep || growth > bounds.growth) process.exitCode = 1
}

if (process.argv[2] === 'serve') serve()
else await measure()
