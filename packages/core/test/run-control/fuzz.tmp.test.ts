import { expect, test } from 'vitest'
import { Agent, allowOnly, askOncePerTool, budget, hasCalled, readOnly, type RunEvent, type RunState, type ChatModel } from '../../src/index.js'
import { strictConversation } from './strict-conversation.js'
import { expectSound, expectWholeStory, throughJson } from './scenario.js'
import { hostWith } from './host-with.js'
import { conflictsOf, toolbox } from './toolbox.js'

function rngOf(seed: number) {
  let a = seed >>> 0
  return () => {
    a = (a + 0x6d2b79f5) >>> 0
    let t = a
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

async function play(seed: number) {
  const rng = rngOf(seed)
  const chance = (p: number) => rng() < p
  const pick = <T>(xs: readonly T[]): T => xs[Math.floor(rng() * xs.length)] as T
  const int = (n: number) => Math.floor(rng() * n)
  const box = toolbox()
  const faults: string[] = []
  const tools = box.tools.filter(({ name }) => name !== 'sleeper')
  let asked = 0
  const model: ChatModel = {
    name: 'm',
    async complete(request, sink) {
      asked++
      faults.push(...strictConversation(request.messages).map((f) => `${f} ${JSON.stringify(request.messages)}`))
      if (request.tools.length === 0 && request.messages.some((m) => m.role === 'tool') && chance(0.2)) throw Object.assign(new Error('x'), { name: 'CapstanError', code: 'invalid_request', retryable: false })
      if (chance(0.05)) throw new Error('model down')
      const tokens = chance(0.8) ? { inputTokens: int(30), outputTokens: int(30), totalTokens: 40 } : undefined
      const finish = chance(0.1) ? pick(['length', 'content_filter']) : undefined
      const extra = { ...(tokens ? { tokens } : {}), ...(finish ? { finishReason: finish } : {}) }
      if (chance(0.2)) {
        sink?.({ type: 'text', text: 'hm' })
        return { message: { role: 'assistant', content: pick(['Done.', '', 'ok']), ...(chance(0.1) ? { refusal: 'no' } : {}) }, ...extra, ...(chance(0.1) ? { incomplete: true } : {}) }
      }
      const made = Array.from({ length: 1 + int(4) }, () => {
        const name = pick(['search', 'search', 'page', 'save', 'send', 'question', 'report', 'broken', 'studio', 'nope', ''])
        const args = pick([{ q: pick(['a', 'b']), to: 'x', text: pick(['', 't']), images: int(2), model: pick(['m', 'z']), n: asked }, { q: 'a', text: 't', to: 'x' }, {}])
        return { id: pick(['', `c${asked}-${int(100)}`, 'same']), type: 'function' as const, function: { name, arguments: chance(0.1) ? '{"q":' : JSON.stringify(args) } }
      })
      return { message: { role: 'assistant', content: pick([null, 'Let me see.']), tool_calls: made }, ...extra }
    },
  }
  const price = { m: { inputTokens: 1, outputTokens: 1, images: 10 } }
  const limitsOf = () => ({
    ...(chance(0.3) ? { steps: int(6) } : {}),
    ...(chance(0.3) ? { toolCalls: int(8) } : {}),
    ...(chance(0.2) ? { perTool: { search: int(3), send: pick([0, 1, Infinity]) } } : {}),
    ...(chance(0.2) ? { tokens: 100 + int(300) } : {}),
    ...(chance(0.2) ? { images: int(4) } : {}),
    ...(chance(0.2) ? { cost: int(400) } : {}),
    ...(chance(0.1) ? { seconds: pick([0, 100]) } : {}),
  })
  const options = {
    model, tools, price,
    concurrency: pick([1, 2, 8]),
    limits: limitsOf(),
    landing: chance(0.8),
    taint: chance(0.7),
    ...(chance(0.3) ? { stuck: pick([false as const, { land: 1 }, { withhold: 1, land: 2 }]) } : {}),
    ...(chance(0.4) ? { policy: pick([allowOnly(['search', 'page', 'report']), readOnly(), budget({ toolCalls: 2 }), askOncePerTool(), () => { throw new Error('policy') }]) } : {}),
    ...(chance(0.2) ? { stopWhen: hasCalled('save') } : {}),
    ...(chance(0.2) ? { toolChoice: pick(['search', 'required', 'none']) } : {}),
    ...(chance(0.2) ? { prepareStep: () => pick([undefined, { tools: ['search'] }, { tools: [] }, { toolChoice: 'search' }]) } : {}),
  }
  let input: any = 'Go.'
  let runId = 'r0'
  const log: string[] = []
  for (let act = 0; act < 10; act++) {
    const events: RunEvent[] = []
    const stop = new AbortController()
    const abortAt = chance(0.3) ? int(60) : -1
    const failAt = chance(0.2) ? int(20) : -1
    let moments = 0
    let kept: RunState | undefined
    let dead = false
    const host = hostWith(async () => { if (moments++ === failAt) { dead = true; throw new Error('host down') } })
    const observe = (e: RunEvent) => { events.push(e); if (events.length === abortAt) stop.abort(new Error('stop')) }
    const isState = typeof input === 'object' && !Array.isArray(input)
    const pending = isState ? input.pending : []
    const decisions = Object.fromEntries(pending.filter(() => chance(0.7)).map((p: any) => [p.callId, chance(0.2) ? { type: 'deny', reason: 'no' } : p.kind === 'result' || chance(0.2) ? { type: 'result', value: { a: 1 } } : { type: 'approve' }]))
    const more: any = isState && input.stopReason === 'limit' ? { limits: { [input.limit]: input.limit === 'perTool' ? { search: 9 } : 5 + int(1000) } } : chance(0.1) ? { limits: limitsOf() } : {}
    const opts = { observe, signal: stop.signal, host, runId, decisions, ...more, onCheckpoint: (s: RunState) => { if (!dead) kept = throughJson(s) } } as any
    const agent = new Agent(options as any)
    log.push(`${act}: ${JSON.stringify({ abortAt, failAt, decisions, more, in: typeof input === 'string' ? input : Array.isArray(input) ? 'messages' : input.stopReason })}`)
    try {
      let result
      if (chance(0.4)) {
        const run = agent.stream(throughJson(input), { ...opts, wait: true } as never)
        run.on('call-pending', (p) => void run.decide(p.callId, p.kind === 'result' ? { type: 'result', value: 1 } : { type: 'approve' }).catch(() => {}))
        result = await run.result
      } else result = await agent.run(throughJson(input), opts as never)
      log.push(`   -> ${result.stopReason} ${result.limit ?? ''}`)
      if (process.env.SEED && process.env.N === '1') console.log(JSON.stringify(options), events.map((e: any) => e.type + ' ' + (e.callId ?? '') + (e.status ?? '')).join('\n'), JSON.stringify(result.messages.slice(-4)))
      expectSound(result)
      if (failAt < 0) expectWholeStory(events, result)
      expect(result.usage.toolCalls).toBe(usageBase + result.messages.filter((m: any, i: number) => m.role === 'tool' && i >= base).length)
      expect(Object.values(result.usage.perTool as Record<string, number>).reduce((a: number, b) => a + b, 0)).toBe(result.usage.toolCalls)
      if (result.stopReason === 'aborted') expect(stop.signal.aborted).toBe(true)
      if (result.stopReason === 'done' || chance(0.2)) {
        input = [...result.messages, { role: 'user', content: 'More.' }]
        runId = `r${act + 1}`
        base = input.length + (strictOpen(result.messages))
        usageBase = 0
      } else input = result.state
    } catch (error: any) {
      const known = String(error.message).includes('model down') || String(error.message).includes('host down') || error.message === 'x'
      if (!known) { error.message += `\nseed ${seed}\n${log.join('\n')}`; throw error }
      expect(error.state).toBeDefined()
      log.push(`   -> error ${error.message}`)
      input = chance(0.5) || !kept ? error.state : kept
      if (chance(0.2)) { base = error.state.messages.length + 1 + strictOpen(error.state.messages); input = [...error.state.messages, { role: 'user', content: 'More.' }]; runId = `r${act + 1}`; usageBase = 0 }
    }
    if (faults.length > 0) throw new Error(`${faults[0]}\nseed ${seed}\n${log.join('\n')}`)
    if (conflictsOf(box.ledger).length > 0) throw new Error(`conflict ${conflictsOf(box.ledger).map((k) => `${k} ${[...(box.ledger.get(k) ?? [])]}`)}\nseed ${seed}\n${log.join('\n')}`)
  }
  function strictOpen(messages: readonly any[]) {
    const last = messages.at(-1)
    return last?.role === 'assistant' ? (last.tool_calls?.length ?? 0) : 0
  }
}
let base = 0
let usageBase = 0

test('fuzz', async () => {
  const from = Number(process.env.SEED ?? 0)
  const failures: string[] = []
  for (let seed = from; seed < from + Number(process.env.N ?? 2000); seed++) {
    base = 0; usageBase = 0
    try { await play(seed) } catch (e: any) { failures.push(`${e.message} ${JSON.stringify(e.actual)?.slice(0,600)} ${JSON.stringify(e.expected)?.slice(0,300)} ${e.stack?.match(/(scenario|fuzz)[^\n]*:\d+:\d+/g)?.slice(0,3)}`.slice(0, 2500)); if (failures.length >= 4) break }
  }
  if (failures.length) throw new Error(failures.join('\n=======\n'))
}, 200000)
