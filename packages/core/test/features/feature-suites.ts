// What each feature does, alone: run with the agents of a bundle, so these import nothing of it.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import type * as Lean from '../../src/lean.js'
import { adderOf, modelOf } from './loop-suite.js'

type Check = (entry: typeof Lean) => Promise<void>

const call = [['add', '{"a":1,"b":2}']] as const

const replyOf = (content: string) => ({
  id: 'r',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
})

/** Options of a model whose server gives these bodies: an error with status 400. */
function serverOf(...answers: readonly unknown[]) {
  const bodies: Record<string, unknown>[] = []
  const answer: typeof fetch = async (_url, init) => {
    const given = answers[bodies.length]
    bodies.push(JSON.parse(String(init?.body)))
    const status = Object(given).error ? 400 : 200
    return new Response(typeof given === 'string' ? given : JSON.stringify(given), { status })
  }
  const chatOptions = { baseURL: 'http://model.test/v1', apiKey: '', maxRetries: 0, fetch: answer } as const
  return { chatOptions, bodies }
}

/** A check for each feature, by the name of its file or folder. */
export const featureSuites: Readonly<Record<string, Check>> = {
  async 'stuck-detection'(entry) {
    const agent = new entry.Agent({
      model: modelOf([call, call, call, call, call]),
      tools: [adderOf(entry)],
      features: [entry.stuckDetection()],
    })
    equal((await agent.run('Go.')).stopReason, 'stuck')
  },
  async 'taint-tracking'(entry) {
    const agent = new entry.Agent({
      model: modelOf([call, 'Done.']),
      tools: [adderOf(entry, { untrusted: true })],
      features: [entry.taintTracking()],
    })
    equal((await agent.run('Go.')).state.taintedBy, 'add')
  },
  async prefix(entry) {
    const told: unknown[] = []
    let count = 0
    const agent = new entry.Agent({
      model: modelOf([call, 'Done.']),
      instructions: () => `Request ${count++}.`,
      tools: [adderOf(entry)],
      features: [entry.prefix()],
      observe: (event) => void (event.type === 'prefix-broken' && told.push(event.at, event.because)),
    })
    await agent.run('Go.')
    deepEqual(told, ['instructions', 'instructions'])
  },
  async 'final-answer'(entry) {
    const agent = new entry.Agent({
      model: modelOf([call, 'As far as I know.']),
      tools: [adderOf(entry)],
      features: [entry.finalAnswer()],
      limits: { steps: 1 },
    })
    equal((await agent.run('Go.')).text, 'As far as I know.')
  },
  async 'stop-when'(entry) {
    const agent = new entry.Agent({
      model: modelOf([call, 'Done.']),
      tools: [adderOf(entry)],
      features: [entry.stopWhen()],
      stopWhen: entry.hasCalled('add'),
    })
    equal((await agent.run('Go.')).stopReason, 'condition')
  },
  async policies(entry) {
    const agent = new entry.Agent({
      model: modelOf([call, 'Done.']),
      tools: [adderOf(entry)],
      features: [entry.policies()],
      policy: entry.allowOnly([]),
    })
    equal((await agent.run('Go.')).toolCalls[0]?.status, 'denied')
  },
  async 'prepare-step'(entry) {
    const model = modelOf(['Done.'])
    const prepareStep = () => ({ instructions: 'Short.' })
    await new entry.Agent({ model, features: [entry.prepareStep()], prepareStep }).run('Go.')
    equal(model.requests[0]?.messages[0]?.content, 'Short.')
  },
  async output(entry) {
    const agent = new entry.Agent({
      model: modelOf([[['final_answer', '{"city":"Oslo"}']]]),
      features: [entry.structuredOutput()],
      output: entry.jsonSchema<{ city: string }>({
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
      }),
    })
    deepEqual((await agent.run('Where?')).output, { city: 'Oslo' })
  },
  async streaming(entry) {
    const run = new entry.Agent({ model: modelOf(['Hello.']), features: [entry.streaming()] }).stream('Hi.')
    const types: string[] = []
    for await (const { type } of run) types.push(type)
    deepEqual([types[0], (await run.result).text], ['run-start', 'Hello.'])
  },
  async resume(entry) {
    const agent = new entry.Agent({
      model: modelOf([call, 'Three.']),
      tools: [adderOf(entry, { needsApproval: true })],
      features: [entry.resume()],
    })
    const { state, pending = [] } = await agent.run('Go.')
    const decisions = { [pending[0]?.callId ?? '']: { type: 'approve' } as const }
    equal((await agent.run(state, { decisions })).text, 'Three.')
  },
  async media(entry) {
    const agent = new entry.Agent({ model: modelOf(['Seen.']), features: [entry.messageMedia()] })
    await agent.run('Look.', { attachments: [new TextEncoder().encode('A text.')] })
    equal((await agent.artifacts.list()).length, 1)
  },
  async 'text-calls'(entry) {
    const message = { role: 'assistant', content: '{"name":"add"}' } as const
    const textCalls = { form: 'json', names: ['add'], recovered: false }
    let asked = 0
    const complete: Lean.ChatModel['complete'] = async () =>
      asked++ === 0 ? { message, textCalls } : { message: { ...message, content: 'Three.' } }
    const features = [entry.textCalls()]
    const agent = new entry.Agent({ model: { name: 'm', complete }, tools: [adderOf(entry)], features })
    equal((await agent.run('Go.')).text, 'Three.')
  },
  async 'background-calls'(entry) {
    const agent = new entry.Agent({
      model: modelOf([call, 'Started.']),
      tools: [adderOf(entry, { background: true })],
      features: [entry.backgroundCalls()],
    })
    deepEqual((await agent.run('Go.')).toolCalls[0]?.result, 3)
  },
  async agents(entry) {
    const kid = new entry.Agent({ name: 'kid', model: modelOf(['Mine.']) })
    const model = modelOf([[['kid', '{"input":"Yours?"}']], 'Done.'])
    const { toolCalls } = await new entry.Agent({ model, tools: [entry.agentTool(kid)] }).run('Go.')
    equal(toolCalls[0]?.result, 'Mine.')
    const other = new entry.Agent({ name: 'other', model: modelOf(['Bye.']) })
    const first = modelOf([[['transfer_to_other', '{}']]])
    equal(
      (await new entry.Agent({ model: first, tools: [entry.handoff(other)] }).run('Go.')).lastAgent,
      'other',
    )
  },
  async guard(entry) {
    const reply = () => entry.verdict.replace('Better.')
    const features = [entry.guard({ reply })]
    equal((await new entry.Agent({ model: modelOf(['Bad.']), features }).run('Go.')).text, 'Better.')
  },
  async context(entry) {
    const model = modelOf([call, 'Done.'])
    const tools = [adderOf(entry, { maxResultBytes: 256, execute: () => 'x'.repeat(1000) })]
    await new entry.Agent({ model, tools, features: [entry.longResults()] }).run('Go.')
    ok(model.requests[1]?.tools.some((one) => one.function.name === 'read_artifact'))
    const asked = { role: 'user', content: 'Well?' } as const
    const said = { role: 'assistant', content: 'Yes. '.repeat(300) } as const
    const trimmed = modelOf(['Done.'])
    await new entry.Agent({ model: trimmed, features: [entry.trimHistory({ maxMessages: 1 })] }).run([
      asked,
      said,
      asked,
    ])
    equal(trimmed.requests[0]?.messages.length, 1)
    // The summary is written in two parts, since the window also bounds requests for summaries.
    const replies = ['It was asked.', 'It was asked before.', 'Done.']
    const fitting = Object.assign(modelOf(replies), { contextTokens: 512 })
    await new entry.Agent({ model: fitting, features: [entry.fitWindow()] }).run([asked, said, asked])
    equal(fitting.requests[2]?.messages.length, 1)
  },
  async 'lost-context'(entry) {
    const features = [entry.lostContext()]
    const lost = new entry.Agent({ model: modelOf(['Done.']), features, onContextLost: 'stop' })
    equal((await lost.run('Go.')).text, 'Done.')
  },
  async 'retry-tools'(entry) {
    let runs = 0
    const execute = () => (++runs === 1 ? Promise.reject(new Error('Once.')) : 'Fine.')
    const agent = new entry.Agent({
      model: modelOf([call, 'Done.']),
      tools: [adderOf(entry, { effects: 'read', execute })],
      features: [entry.retryTools({ delayMs: 1, on: () => true })],
    })
    equal((await agent.run('Go.')).toolCalls[0]?.result, 'Fine.')
  },
  async 'cache-tools'(entry) {
    let runs = 0
    const agent = new entry.Agent({
      model: modelOf([call, call, 'Done.']),
      tools: [adderOf(entry, { effects: 'read', execute: () => ++runs })],
      features: [entry.cacheTools({ ttlMs: 60_000 })],
    })
    await agent.run('Go.')
    equal(runs, 1)
  },
  async 'log-runs'(entry) {
    const lines: string[] = []
    const features = [entry.logRuns({ to: (line) => void lines.push(line) })]
    await new entry.Agent({ model: modelOf(['Done.']), features }).run('Go.')
    ok(lines.length > 0)
  },
  async 'hosted-tools'(entry) {
    const model = Object.assign(modelOf(['Found.']), { hostedTools: true })
    await new entry.Agent({ model, tools: [entry.hosted({ type: 'web_search' })] }).run('Go.')
    deepEqual(model.requests[0]?.hostedTools, [{ type: 'web_search' }])
  },
  async 'effect-keys'(entry) {
    let running = 0
    let most = 0
    const execute = async () => {
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      running -= 1
    }
    const tools = [adderOf(entry, { effects: () => 'the sum', execute })]
    const both = [call[0], call[0]] as const
    await new entry.Agent({ model: modelOf([both, 'Done.']), tools, features: [entry.effectKeys()] }).run(
      'Go.',
    )
    equal(most, 1)
  },
  async 'reply-forms'(entry) {
    const chunk = { choices: [{ index: 0, delta: { content: 'Hello.' }, finish_reason: 'stop' }] }
    const { chatOptions } = serverOf(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
    const model = entry.chatModel('m', { ...chatOptions, features: [entry.replyForms()] })
    equal((await new entry.Agent({ model }).run('Hi.')).text, 'Hello.')
  },
  async 'request-forms'(entry) {
    const { chatOptions, bodies } = serverOf(
      { error: { message: 'tool_choice is not supported' } },
      replyOf('Done.'),
    )
    const model = entry.chatModel('m', { ...chatOptions, features: [entry.requestForms()] })
    equal((await new entry.Agent({ model, tools: [adderOf(entry)] }).run('Go.')).text, 'Done.')
    deepEqual(
      bodies.map((body) => 'tool_choice' in body),
      [true, false],
    )
  },
  async 'context-refusals'(entry) {
    const { chatOptions } = serverOf({ error: { message: 'prompt is too long: 9000 tokens > 8192 maximum' } })
    const model = entry.chatModel('m', { ...chatOptions, features: [entry.contextRefusals()] })
    await rejects(new entry.Agent({ model }).run('Hi.'), { code: 'context_length_exceeded' })
  },
  async 'wire-tap'(entry) {
    const { chatOptions } = serverOf(replyOf('Fine.'))
    const model = entry.chatModel('m', chatOptions)
    let requests = 0
    const sent = () => {
      requests += 1
      return { noted() {}, ended() {} }
    }
    const tap = entry.wireTap({ sent })
    const tapped = { ...model, complete: (request: never) => model.complete({ ...Object(request), tap }) }
    equal((await new entry.Agent({ model: tapped }).run('Go.')).text, 'Fine.')
    equal(requests, 1)
  },
  async 'data-parts'(entry) {
    const parts = entry.dataParts({ sum: entry.jsonSchema({ type: 'object', properties: {} }) })
    const sent: unknown[] = []
    await parts.send({ progress: (...given) => void sent.push(given) }, 'sum', { value: 3 }, { id: 'a' })
    deepEqual(sent, [[{ value: 3 }, { type: 'data-part', part: 'sum', id: 'a' }]])
  },
  async ledger(entry) {
    const limits = { requests: 1 }
    const budget = entry.ledger({ store: entry.memoryLedger(), key: () => 'ada', limits, per: 'day' })
    const options = { tools: [adderOf(entry)], middleware: [budget] }
    const agent = new entry.Agent({ model: modelOf([call, 'Done.']), ...options })
    const { stopReason, limit } = await agent.run('Go.')
    deepEqual([stopReason, limit], ['limit', 'ledger'])
  },
  async 'rate-limit'(entry) {
    const rate = entry.rateLimit({ calls: 5, intervalMs: 1000 })
    const tools = [adderOf(entry, { rate })]
    const { toolCalls } = await new entry.Agent({ model: modelOf([call, 'Done.']), tools }).run('Go.')
    equal(toolCalls[0]?.result, 3)
  },
}
