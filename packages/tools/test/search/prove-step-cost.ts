// What a step with 300 deferred tools costs beside one with 6, in CPU of the process. A step is one reply with one call,
// without a network; a request has six or seven tools in each case. Fails above 1.2 times the cost.
// Usage: node --conditions=development --import=tsx packages/tools/test/search/prove-step-cost.ts [ROUNDS]
import { Agent, type AnyTool, type ChatModel, chatModel } from '@capstan/core'
import { cpuTime } from '../../../core/test/cpu-time.js'
import { deferred } from '../../src/search.js'
import { githubTools, named } from './tools.js'

const rounds = Number(process.argv[2] ?? 40)
const most = 1.2
const steps = 40
const runs = 4

/** Listed in each case, and called in each step. */
const plain = named('plain')
const inFront: readonly AnyTool[] = [plain, ...githubTools.slice(0, 4)]
const sixth = githubTools[4] as AnyTool
const others = githubTools.slice(4)

/** A model over HTTP without a network: of 41 replies all but the last call `plain`, and the first another tool. */
function modelOf(first: readonly [name: string, args: string]): ChatModel {
  let count = 0
  const answer: typeof fetch = async () => {
    const at = count++ % (steps + 1)
    // Other arguments each time: the run would be stuck.
    const [name, args] = at === 0 ? first : ['plain', `{"at":${at}}`]
    const call = { id: `call_${at}`, type: 'function', function: { name, arguments: args } }
    const message =
      at === steps
        ? { role: 'assistant', content: 'Done.' }
        : { role: 'assistant', content: null, tool_calls: [call] }
    const finish_reason = at === steps ? 'stop' : 'tool_calls'
    return Response.json({ choices: [{ finish_reason, message }] })
  }
  return chatModel('m', { baseURL: 'http://localhost:1/v1', apiKey: '', fetch: answer })
}

const usual = ['plain', '{}'] as const
const agents = {
  '6 listed': new Agent({ model: modelOf(usual), tools: [...inFront, sixth] }),
  '6, one of them deferred': new Agent({ model: modelOf(usual), tools: [...inFront, deferred([sixth])] }),
  '300 deferred': new Agent({ model: modelOf(usual), tools: [...inFront, deferred(others)] }),
  '300 deferred, one of them found': new Agent({
    model: modelOf([sixth.name, '{}']),
    tools: [...inFront.slice(0, 4), deferred(others)],
  }),
  '300 deferred, by call': new Agent({
    model: modelOf(usual),
    tools: [...inFront.slice(0, 4), deferred(others, { by: 'call' })],
  }),
  '300 listed': new Agent({ model: modelOf(usual), tools: [...inFront, ...others] }),
}

async function costOf(agent: (typeof agents)[keyof typeof agents]): Promise<number> {
  return cpuTime(async () => {
    for (let at = 0; at < runs; at++) await agent.run('Go.', { limits: { steps: steps + 1 } })
  })
}

function turned<One>(list: readonly One[], by: number): readonly One[] {
  const at = (by * 5) % list.length
  const moved = [...list.slice(at), ...list.slice(0, at)]
  return by % 2 ? moved.reverse() : moved
}

const costs = new Map(Object.keys(agents).map((name) => [name, [] as number[]]))
for (let round = -5; round < rounds; round++)
  // In another order each time: one leaves work for the collector to the next.
  for (const [name, agent] of turned(Object.entries(agents), round + 5)) {
    const cost = await costOf(agent)
    if (round >= 0) costs.get(name)?.push(cost)
  }

const median = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0
const base = median(costs.get('6, one of them deferred') ?? [])
let isDear = false
for (const [name, values] of costs) {
  const ratio = median(values) / base
  isDear ||= ratio > most && name !== '300 listed'
  console.log(
    `${name}: ${((median(values) / steps / runs) * 1000).toFixed(0)} µs a step, ${ratio.toFixed(2)} times`,
  )
}
if (isDear) {
  console.error(`A step costs more than ${most} times that of a step with 6 tools.`)
  process.exitCode = 1
}
