import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  Agent,
  type AnyAgent,
  agentTool,
  backgroundCalls,
  CapstanError,
  type Decision,
  type Decisions,
  handoff,
  type Middleware,
  type NextRequest,
  type RunInput,
  rateLimit,
  type StepRequest,
  showImages,
  summarizeHistory,
  tool,
  type Verdict,
  verdict,
  without,
} from '@capstan/core'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { cases } from '../../../../scripts/cases.mjs'
import { slowTest } from '../../../../scripts/slow-test.mjs'
import { cpuTime } from '../../../core/test/cpu-time.js'
import { reply } from '../script.js'
import { scriptedModel } from '../scripted-model.js'
import { explain } from './explain.js'
import { recordRun } from './record.js'
import { replayRun } from './replay-run.js'

const folder = mkdtempSync(join(tmpdir(), 'capstan-replays-'))
afterAll(() => rmSync(folder, { recursive: true }))
let count = 0
const newFile = () => join(folder, `${++count}.jsonl`)

let ran = 0
afterEach(() => {
  ran = 0
})
const parameters = z.object({ city: z.string() })
const weather = tool({
  name: 'get_weather',
  description: 'Weather',
  parameters,
  execute: ({ city }) => {
    ran += 1
    return { city, degrees: city.length }
  },
})
const book = tool({
  name: 'book',
  description: 'Books',
  parameters,
  needsApproval: true,
  execute: ({ city }) => city,
})
const oslo = () => reply.call('get_weather', { city: 'Oslo' })

async function recorded(agent: AnyAgent, input: RunInput = 'Go.') {
  const file = newFile()
  const result = await agent.run(input, { ...recordRun(file), context: undefined as never })
  return { file, result }
}

const inherited = tool({
  name: 'constructor',
  description: 'Builds',
  parameters: z.object({ floors: z.number(), toString: z.string().optional() }),
  execute: ({ floors }) => ({ floors }),
})

const runs: Readonly<Record<string, () => AnyAgent>> = {
  'words alone': () => new Agent({ model: scriptedModel([reply.text('Hello.')]), instructions: 'Be kind.' }),
  'a call with inherited names': () =>
    new Agent({
      name: 'valueOf',
      model: scriptedModel([reply.call('constructor', { floors: 2 }), reply.text('Done.')]),
      tools: [inherited],
    }),
  'calls, good and bad': () =>
    new Agent({
      model: scriptedModel([
        reply.calls(
          oslo(),
          reply.call('get_weather', { town: 1 }),
          reply.call('nothing'),
          reply.call('get_weather', '{"city'),
        ),
        reply.text('Done.'),
      ]),
      tools: [weather],
    }),
  'a limit with a last answer': () =>
    new Agent({
      model: scriptedModel([oslo(), reply.text('As far as I know.')]),
      tools: [weather],
      limits: { steps: 1 },
    }),
  'a limit without one': () =>
    new Agent({
      model: scriptedModel([oslo()]),
      tools: [weather],
      limits: { steps: 1 },
      middleware: [without('final-answer')],
    }),
  repetition: () =>
    new Agent({
      model: scriptedModel([oslo(), oslo(), oslo(), oslo(), reply.text('I give up.')]),
      tools: [weather],
    }),
  'a failure that passed': () =>
    new Agent({ model: scriptedModel([reply.fail('timeout'), reply.text('Late.')], { retries: 1 }) }),
  'a call that waits': () =>
    new Agent({ model: scriptedModel([reply.call('book', { city: 'Oslo' })]), tools: [book] }),
  'a forced tool': () =>
    new Agent({
      model: scriptedModel([oslo(), reply.text('There.')]),
      tools: [weather, book],
      toolChoice: 'get_weather',
    }),
  'an agent within': () => {
    const inner = new Agent({
      name: 'inner',
      model: scriptedModel([oslo(), reply.text('Four.')]),
      tools: [weather],
    })
    const model = scriptedModel([
      reply.calls(reply.call('inner', { input: 'Oslo?' }), oslo()),
      reply.text('It is four.'),
    ])
    return new Agent({ model, tools: [agentTool(inner), weather] })
  },
  'time that is limited': () =>
    new Agent({
      model: scriptedModel([oslo(), reply.text('In time.')]),
      tools: [weather],
      limits: { seconds: 60 },
    }),
}

describe('repeats a run from its recording alone, and with its agent', () => {
  for (const [what, make] of Object.entries(runs))
    test(what, async () => {
      const agent = make()
      const { file, result } = await recorded(agent)
      ran = 0
      for (const options of [{}, { agent }]) {
        const [again] = await replayRun(file, options)
        expect(again?.stopReason).toBe(result.stopReason)
        expect(again?.messages).toEqual(result.messages)
        expect(again?.toolCalls.map(({ status, result: came }) => [status, came])).toEqual(
          result.toolCalls.map(({ status, result: came }) => [status, came]),
        )
      }
      expect(ran).toBe(0)
    })

  test('a resumed run, with its decision', async () => {
    const agent = new Agent({
      model: scriptedModel([reply.call('book', { city: 'Oslo' }), reply.text('Booked.')]),
      tools: [book],
    })
    const file = newFile()
    const options = recordRun(file)
    const { state, pending = [] } = await agent.run('Book.', options)
    const approve: Decision = { type: 'approve' }
    const decisions: Decisions = Object.fromEntries(pending.map(({ callId }) => [callId, approve]))
    await agent.run(state, { ...options, decisions })
    const ends = async (given: object) =>
      (await replayRun(file, given)).map(({ stopReason, text: said }) => [stopReason, said])
    expect(await ends({})).toEqual([
      ['pending', ''],
      ['done', 'Booked.'],
    ])
    expect(await ends({ agent })).toEqual([
      ['pending', ''],
      ['done', 'Booked.'],
    ])
  })

  test('a failed run: it fails again, without a result', async () => {
    const agent = new Agent({ model: scriptedModel([oslo(), reply.fail('quota')]), tools: [weather] })
    const file = newFile()
    await agent.run('Go.', recordRun(file)).catch(() => {})
    expect(await replayRun(file)).toEqual([])
  })
})

test('repeats a run with its functions, those of child agents included', async () => {
  const agent = runs['an agent within']?.() as AnyAgent
  const { file, result } = await recorded(agent)
  ran = 0
  const [again] = await replayRun(file, { agent, tools: 'run' })
  expect(again?.messages).toEqual(result.messages)
  expect(ran).toBe(2)
})

describe('another run fails with the difference', () => {
  const make = (changes: object = {}) =>
    new Agent({
      model: scriptedModel([oslo(), reply.text('Four.')]),
      instructions: 'Be kind.',
      tools: [weather],
      ...changes,
    })

  test('other instructions', async () => {
    const { file } = await recorded(make())
    const replayed = replayRun(file, { agent: make({ instructions: 'Be brief.' }) })
    await expect(replayed).rejects.toMatchObject({ code: 'not_found' })
    await expect(replayed).rejects.toThrow(/-\s+"system": "Be kind\."\n\+\s+"system": "Be brief\."/)
  })

  test('another tool', async () => {
    const { file } = await recorded(make())
    const colder = tool({ name: 'get_weather', description: 'Cold', parameters, execute: () => 1 })
    await expect(replayRun(file, { agent: make({ tools: [colder] }) })).rejects.toThrow(/"Cold"/)
  })

  test('another outcome of a function', async () => {
    const { file } = await recorded(make())
    const colder = tool({ name: 'get_weather', description: 'Weather', parameters, execute: () => -40 })
    await expect(replayRun(file, { agent: make({ tools: [colder] }), tools: 'run' })).rejects.toThrow(/-40/)
  })

  test('an earlier end', async () => {
    const { file } = await recorded(make())
    const agent = make({ stopWhen: () => true })
    await expect(replayRun(file, { agent })).rejects.toThrow(
      /-\s+"stopReason": "done"[\s\S]*\+\s+"stopReason": "condition"/,
    )
  })
})

describe('checks before a call run again, without the function', () => {
  const make = (changes: object = {}, settings: object = {}) =>
    new Agent({
      model: scriptedModel([oslo(), reply.text('Four.')]),
      tools: [{ ...weather, settings }],
      ...changes,
    })
  const asking = { needsApproval: true }
  const policy = (): Verdict => verdict.deny('not today')

  test('and allow what they allowed', async () => {
    const allowing = make(
      { policy: () => ({ type: 'allow' }) },
      { rate: rateLimit({ calls: 1, intervalMs: 3_600_000 }) },
    )
    const { file } = await recorded(make())
    ran = 0
    expect(await replayRun(file, { agent: allowing })).toHaveLength(1)
    expect(ran).toBe(0)
  })

  test('and report that they now deny, ask or reject', async () => {
    const { file } = await recorded(make())
    const narrow = tool({ ...pageOf(z.object({ city: z.string().max(3) })) })
    for (const [agent, seen] of [
      [make({ policy }), /\+\s+"status": "denied"/],
      [make({}, asking), /\+\s+"kind": "approval"/],
    ] as const) {
      const replayed = replayRun(file, { agent })
      await expect(replayed).rejects.toMatchObject({ code: 'conflict' })
      await expect(replayed).rejects.toThrow(seen)
    }
    // The request also contains the schema.
    await expect(replayRun(file, { agent: make({ tools: [narrow] }) })).rejects.toThrow(/"maxLength": 3/)
  })

  test('and report a call that they denied or asked about, without running it', async () => {
    for (const agent of [make({ policy }), make({}, asking)]) {
      const { file } = await recorded(agent)
      expect(await replayRun(file, { agent })).toHaveLength(1)
      const replayed = replayRun(file, { agent: make() })
      await expect(replayed).rejects.toMatchObject({ code: 'conflict' })
      await expect(replayed).rejects.toThrow(/would run now/)
    }
  })

  test('and report another reason', async () => {
    const { file } = await recorded(make({ policy }))
    const agent = make({ policy: () => verdict.deny('never') })
    await expect(replayRun(file, { agent })).rejects.toThrow(/not today[\s\S]*never/)
  })

  test('also in an agent after a handoff', async () => {
    const desk = (changes: object = {}) => {
      const clerk = new Agent({
        name: 'clerk',
        model: scriptedModel([oslo(), reply.text('Four.')]),
        tools: [weather],
        ...changes,
      })
      return new Agent({ model: scriptedModel([reply.call('transfer_to_clerk')]), tools: [handoff(clerk)] })
    }
    const { file } = await recorded(desk())
    ran = 0
    expect(await replayRun(file, { agent: desk() })).toHaveLength(1)
    expect(ran).toBe(0)
    await expect(replayRun(file, { agent: desk({ policy }) })).rejects.toThrow(/"denied"/)
  })

  test('another name or other limits are another agent', async () => {
    const { file } = await recorded(make())
    await expect(replayRun(file, { agent: make({ name: 'other' }) })).rejects.toThrow(/not "other"/)
    await expect(replayRun(file, { agent: make({ limits: { steps: 9 } }) })).rejects.toThrow(
      /-\s+"steps": 20\n\+\s+"steps": 9/,
    )
  })
})

function pageOf<Schema extends z.ZodType>(parameters: Schema) {
  return { name: 'get_weather' as const, description: 'Weather', parameters, execute: () => 1 }
}

describe('a failure must be repeated as it was', () => {
  const make = (changes: object = {}) =>
    new Agent({
      model: scriptedModel([oslo(), reply.fail('invalid_request', { message: 'too long' })]),
      tools: [weather],
      ...changes,
    })
  async function failed() {
    const file = newFile()
    await make()
      .run('Go.', recordRun(file))
      .catch(() => {})
    return file
  }

  test("one of the same code that is not the model's is another", async () => {
    const instructions = () => {
      throw new CapstanError('invalid_request', 'the files are gone')
    }
    const file = await failed()
    expect(await replayRun(file, { agent: make() })).toEqual([])
    await expect(replayRun(file, { agent: make({ instructions }) })).rejects.toThrow('the files are gone')
  })

  test('a request that was not made is missing', async () => {
    const file = await failed()
    const [head, begin, ask, reply, ...rest] = readFileSync(file, 'utf8').split('\n')
    const further = [ask, reply].map((line) => line?.replace('step0/request', 'step9/request'))
    writeFileSync(file, [head, begin, ask, reply, ...further, ...rest].join('\n'))
    await expect(replayRun(file)).rejects.toThrow(/1 of the 3 requests .* step9\/request/)
  })

  test('a failure outside of the model cannot be compared', async () => {
    const file = newFile()
    const instructions = () => {
      throw new Error('the files are gone')
    }
    await make({ instructions })
      .run('Go.', recordRun(file))
      .catch(() => {})
    await expect(replayRun(file, { agent: make({ instructions }) })).rejects.toMatchObject({
      code: 'unsupported',
    })
  })
})

test('outcomes and decisions that the run does not reach are missing', async () => {
  const { file } = await recorded(runs['calls, good and bad']?.() as AnyAgent)
  const lines = readFileSync(file, 'utf8').split('\n')
  const more = [
    { run: 1, at: 'step7/call0', outcome: { name: 'x', came: { status: 'ok', content: '1', ms: 0 } } },
    { run: 1, at: 'step8/decision0', given: { type: 'approve' } },
  ]
  for (const line of more) {
    writeFileSync(file, [...lines.slice(0, -2), JSON.stringify(line), ...lines.slice(-2)].join('\n'))
    const replayed = replayRun(file)
    await expect(replayed).rejects.toMatchObject({ code: 'conflict' })
    await expect(replayed).rejects.toThrow(line.at)
  }
})

test('rejects a file without lines; accepts a last line without its line break', async () => {
  const { file } = await recorded(runs['words alone']?.() as AnyAgent)
  const whole = readFileSync(file, 'utf8')
  writeFileSync(file, whole.trimEnd())
  expect(await replayRun(file)).toHaveLength(1)
  writeFileSync(file, whole.slice(0, whole.indexOf('\n') + 1))
  await expect(replayRun(file)).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('contains no run'),
  })
})

test('compares the usage, without cost and time', async () => {
  const agent = runs['calls, good and bad']?.() as AnyAgent
  const { file } = await recorded(agent)
  const whole = readFileSync(file, 'utf8')
  writeFileSync(file, whole.replace(/("end":.*"toolCalls":)\d+/, '$199'))
  await expect(replayRun(file, { agent })).rejects.toThrow(/-\s+"toolCalls": 99\n\+\s+"toolCalls": 4/)
  writeFileSync(file, whole.replace(/("end":.*"usage":\{)/, '$1"cost":3,'))
  expect(await replayRun(file, { agent })).toHaveLength(1)
})

describe('other options and events of a run', () => {
  const make = (compact?: ReturnType<typeof summarizeHistory>) =>
    new Agent({
      model: scriptedModel([oslo(), reply.text('Four.')]),
      tools: [weather],
      ...(compact ? { middleware: [compact] } : {}),
    })

  test('repeats its settings, tool choice, limits and tools', async () => {
    const far = tool({ ...pageOf(parameters), name: 'far', execute: () => ++ran })
    const options = {
      settings: { temperature: 1 },
      toolChoice: 'get_weather',
      limits: { seconds: 60 },
      tools: [far],
    }
    const file = newFile()
    const model = scriptedModel([
      reply.calls(oslo(), reply.call('far', { city: 'Rome' })),
      reply.text('Four.'),
    ])
    await new Agent({ model, tools: [weather] }).run('Go.', { ...options, ...recordRun(file) })
    ran = 0
    expect(await replayRun(file, { agent: make(), options })).toHaveLength(1)
    expect(ran).toBe(0)
    await expect(replayRun(file, { agent: make() })).rejects.toMatchObject({ code: 'not_found' })
    await expect(replayRun(file, { options })).rejects.toThrow(/require an agent/)
  })

  test('repeats side requests for summaries', async () => {
    const compact = () =>
      summarizeHistory({
        maxTokens: 1000,
        keepTokens: 100,
        model: scriptedModel([reply.text('Much.'), reply.text('Much.'), reply.text('Much.')]),
      })
    const words = ['user', 'assistant', 'user'].map((role) => ({ role, content: 'word '.repeat(700) }))
    const { file } = await recorded(make(compact()), words as never)
    expect(readFileSync(file, 'utf8')).toContain('/ask-')
    expect(await replayRun(file, { agent: make(compact()) })).toHaveLength(1)
  })

  test('repeats its middlewares, without the functions of their tools', async () => {
    const count = () => {
      ran += 1
      return 'counted'
    }
    const far = tool({ ...pageOf(parameters), name: 'far', execute: count })
    const near = tool({ ...pageOf(parameters), name: 'near', execute: count })
    class Guide implements Middleware {
      readonly name = 'guide'
      readonly tools = [far]
      wrapModel(_call: StepRequest, next: NextRequest) {
        return next({ settings: { temperature: 0.5 } })
      }
    }
    const later: Middleware = {
      name: 'later',
      tools: ({ toolCalls }) => (toolCalls.length > 0 ? [near] : []),
    }
    const guided = () =>
      new Agent({
        model: scriptedModel([
          reply.call('far', { city: 'Rome' }),
          reply.call('near', { city: 'Oslo' }),
          reply.text('There.'),
        ]),
        middleware: [new Guide(), later],
      })
    const { file } = await recorded(guided())
    expect(ran).toBe(2)
    expect(await replayRun(file, { agent: guided() })).toHaveLength(1)
    expect(ran).toBe(2)
    expect(await replayRun(file, { agent: guided(), tools: 'run' })).toHaveLength(1)
    expect(ran).toBe(4)
  })

  test('has the events of middlewares', async () => {
    const teller: Middleware = {
      name: 'teller',
      beforeModel: ({ messages }, run) =>
        run.emit({ name: 'teller', action: 'look', data: { messages: messages.length } }),
      afterTool: (result, { callId }, run) => {
        run.emit({ name: 'teller', action: 'keep', callId })
        return result
      },
    }
    const agent = () =>
      new Agent({
        model: scriptedModel([oslo(), reply.text('Four.')]),
        tools: [weather],
        middleware: [teller],
      })
    const { file } = await recorded(agent())
    expect(explain(file)).toContain('the middleware "teller": look {"messages":1}\n')
    expect(explain(file)).toContain('the middleware "teller": keep\n')
    for (const options of [{}, { agent: agent() }]) expect(await replayRun(file, options)).toHaveLength(1)
  })

  test('repeats requests of a middleware that asks again', async () => {
    const again: Middleware = {
      name: 'again',
      async wrapModel(_call, next) {
        await next()
        return next({ settings: { temperature: 1 } })
      },
    }
    const agent = () =>
      new Agent({
        model: scriptedModel([reply.text('One.'), oslo(), reply.text('Two.'), reply.text('Three.')]),
        tools: [weather],
        middleware: [again],
      })
    const { file, result } = await recorded(agent())
    expect(result.text).toBe('Three.')
    expect(
      explain(file).match(/requested again by a middleware: scripted gets 1 message and 1 tool\n/g),
    ).toHaveLength(1)
    const [replayed] = await replayRun(file, { agent: agent() })
    expect(replayed?.text).toBe('Three.')
    expect(replayed?.usage).toMatchObject({ requests: 4 })
  })

  test('repeats its decisions, with its functions running', async () => {
    const waiting = () =>
      new Agent({
        model: scriptedModel([reply.call('book', { city: 'Oslo' }), reply.text('Booked.')]),
        tools: [book],
      })
    const file = newFile()
    const run = waiting().stream('Book.', { ...recordRun(file), wait: true })
    run.on('call-pending', ({ callId }) => run.decide(callId, { type: 'approve' }))
    await run.result
    for (const tools of ['run', 'recorded'] as const) {
      const [again] = await replayRun(file, { agent: waiting(), tools })
      expect(again?.text).toBe('Booked.')
    }
  })

  test('messages that were sent to it cannot be sent again', async () => {
    const file = newFile()
    const run = make().stream('Go.', recordRun(file))
    run.on('tool-start', () => run.send('Hurry.'))
    await run.result
    for (const options of [{}, { agent: make() }])
      await expect(replayRun(file, options)).rejects.toThrow(/messages were sent to it/)
  })

  test('the moments of calls in the background are not in the file', async () => {
    const later = tool({ ...pageOf(parameters), background: true, execute: () => 'there' })
    const script = [oslo(), reply.fail('api'), reply.text('Soon.')]
    const agent = new Agent({ model: scriptedModel(script), tools: [later], middleware: [backgroundCalls()] })
    const file = newFile()
    const recorded = recordRun(file)
    const failed = await agent.run('Go.', recorded).catch((error) => error)
    await agent.run(failed.state, recorded)
    for (const run of [1, 2])
      for (const options of [{}, { agent }, { agent, tools: 'run' }] as const)
        await expect(replayRun(file, { ...options, run })).rejects.toMatchObject({
          code: 'unsupported',
          message: expect.stringContaining('it has background calls'),
        })
  })

  test('repeats its own id in results of tools', async () => {
    const told = tool({ ...pageOf(parameters), execute: (_, { runId }: { runId: string }) => runId })
    const agent = () => new Agent({ model: scriptedModel([oslo(), reply.text('There.')]), tools: [told] })
    const file = newFile()
    await agent().run('Go.', { ...recordRun(file), runId: 'order-7' })
    expect(await replayRun(file, { agent: agent(), tools: 'run' })).toHaveLength(1)
  })

  test('images that its tools showed are not in the file', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    const draw = tool({
      name: 'draw',
      description: 'Draws',
      parameters: z.object({}),
      show: true,
      execute: (_, { artifacts }) => artifacts.put(png, { kind: 'image', mediaType: 'image/png' }),
    })
    const agent = () =>
      new Agent({
        model: scriptedModel([reply.call('draw'), reply.text('A dot.')]),
        tools: [draw],
        middleware: [showImages()],
      })
    const { file } = await recorded(agent())
    for (const options of [{}, { agent: agent() }])
      await expect(replayRun(file, options)).rejects.toMatchObject({ code: 'unsupported' })
    expect(await replayRun(file, { agent: agent(), tools: 'run' })).toHaveLength(1)
  })

  test('pictures of the user need not be in the file', async () => {
    const image = {
      type: 'image_url',
      image_url: { url: `data:image/png;base64,${'iVBORw0KGgo'.repeat(200)}` },
    }
    const ask: RunInput = [{ role: 'user', content: [image, { type: 'text', text: 'What is it?' }] }]
    const agent = () => new Agent({ model: scriptedModel([oslo(), reply.text('A dot.')]), tools: [weather] })
    const { file } = await recorded(agent(), ask)
    expect(readFileSync(file, 'utf8')).not.toMatch(/[A-Za-z0-9+/]{1000}/)
    for (const options of [{}, { agent: agent() }, { agent: agent(), tools: 'run' as const }])
      expect((await replayRun(file, options))[0]?.text).toBe('A dot.')
  })

  test('pictures that its model made are not in the file', async () => {
    const model = scriptedModel([reply.text('A dot.')])
    const url = `data:image/png;base64,${'iVBORw0KGgo'.repeat(200)}`
    const complete: typeof model.complete = async (...given) => {
      const reply = await model.complete(...given)
      return { ...reply, message: { ...reply.message, images: [{ image_url: { url } }] } }
    }
    const agent = new Agent({ model: { ...model, complete } })
    const { file, result } = await recorded(agent)
    expect(result.artifacts).toHaveLength(1)
    await expect(replayRun(file, { agent })).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('its model created files'),
    })
  })

  test('from the file alone: shortened results, and system messages before the conversation', async () => {
    const long = tool({ ...pageOf(parameters), maxResultBytes: 300, execute: () => 'word '.repeat(200) })
    const agent = new Agent({ model: scriptedModel([oslo(), reply.text('Long.')]), tools: [long] })
    const system = { role: 'system' as const, content: 'Be kind.' }
    for (const given of [agent, make()]) {
      const { file } = await recorded(given, [system, { role: 'user', content: 'Go.' }])
      expect(await replayRun(file)).toHaveLength(1)
    }
  })

  test('from the file alone and with the agent: an attached text that the model reads', async () => {
    const notes = new TextEncoder().encode('Meet at noon.')
    const first = await make().prepare('When?', { attachments: [notes] })
    const id = first.messages[0]?.media?.[0]?.artifact
    const model = scriptedModel([reply.call('read_artifact', { artifact: id }), reply.text('At noon.')])
    const agent = new Agent({ model, tools: [weather] })
    const file = newFile()
    const { toolCalls } = await agent.run('When?', { attachments: [notes], ...recordRun(file) })
    expect(toolCalls).toMatchObject([{ name: 'read_artifact', status: 'ok' }])
    expect(await replayRun(file)).toHaveLength(1)
    expect(await replayRun(file, { agent })).toHaveLength(1)
  })
})

slowTest('a replay takes no longer for each step the more steps there were', async () => {
  const took = async (steps: number) => {
    const many = Array.from({ length: steps }, (_, at) => reply.call('get_weather', { city: `Oslo ${at}` }))
    const model = scriptedModel([...many, reply.text('Enough.')])
    const agent = new Agent({
      model,
      tools: [weather],
      limits: { steps: 1000 },
      middleware: [without('stuck-detection')],
    })
    const { file } = await recorded(agent)
    return cpuTime(() => replayRun(file, { agent }))
  }
  await took(20)
  const short = Math.max(await took(60), await took(60))
  const long = Math.min(await took(480), await took(480))
  // With eight times the steps, a replay used to take more than fifty times as long.
  expect(long / short).toBeLessThan(30)
})

describe('rejects what cannot be repeated, with the reason', () => {
  test('structured output, a handoff or a shortened history, without the agent', async () => {
    const form = new Agent({
      model: scriptedModel([reply.call('final_answer', { answer: 1 })]),
      output: z.object({ answer: z.number() }),
    })
    const other = new Agent({ name: 'other', model: scriptedModel([reply.text('Hello.')]) })
    const handing = new Agent({
      model: scriptedModel([reply.call('transfer_to_other')]),
      tools: [handoff(other)],
    })
    for (const agent of [form, handing]) {
      const { file } = await recorded(agent)
      await expect(replayRun(file)).rejects.toMatchObject({
        code: 'unsupported',
        message: expect.stringContaining('replayRun(file, { agent })'),
      })
      expect(await replayRun(file, { agent })).toHaveLength(1)
    }
  })

  test('an aborted run', async () => {
    const file = newFile()
    await new Agent({ model: scriptedModel([]) }).run('Go.', {
      ...recordRun(file),
      signal: AbortSignal.abort(),
    })
    await expect(replayRun(file)).rejects.toThrow(/it was aborted/)
  })

  test('functions without an agent', async () => {
    const { file } = await recorded(runs['words alone']?.() as AnyAgent)
    await expect(replayRun(file, { tools: 'run' })).rejects.toThrow(/require an agent/)
  })

  test('a recording that ends before its run, cut anywhere', async () => {
    const { file } = await recorded(runs['calls, good and bad']?.() as AnyAgent)
    const whole = readFileSync(file, 'utf8')
    const cut = newFile()
    for (let at = 40; at < whole.length - 1; at += 37) {
      copyFileSync(file, cut)
      writeFileSync(cut, whole.slice(0, at))
      const outcome = await replayRun(cut).then(
        (results) => results.length,
        (error) => error.code,
      )
      // Until its first line is complete, the recording contains no run.
      expect(['invalid_request', 'unsupported']).toContain(outcome)
    }
  })

  test('an untrusted file with any content', async () => {
    const { file } = await recorded(runs['calls, good and bad']?.() as AnyAgent)
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    const odd: unknown[] = [null, 5, 'x', [], {}, [null], { toString: 1 }].slice(0, cases(7, 1))
    for (const [at, line] of lines.entries())
      for (const path of pathsOf(JSON.parse(line)))
        for (const value of odd) {
          const changed = JSON.parse(line)
          const inner = path.slice(0, -1).reduce((part, name) => part[name], changed)
          inner[path.at(-1) ?? ''] = value
          writeFileSync(file, `${lines.with(at, JSON.stringify(changed)).join('\n')}\n`)
          const error = await replayRun(file).then(
            () => undefined,
            (thrown) => thrown,
          )
          expect(error?.name ?? 'CapstanError', `${path} ${JSON.stringify(value)}: ${error?.stack}`).toBe(
            'CapstanError',
          )
        }
  })

  test('a file that is nested too deeply', async () => {
    const file = newFile()
    const deep = '['.repeat(8000) + ']'.repeat(8000)
    writeFileSync(
      file,
      `{"capstan":"recording","version":1}\n{"run":1,"at":"step0/decision0","given":${deep}}\n`,
    )
    await expect(replayRun(file)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('nested deeper'),
    })
  })

  test('another version, with its number, and a file that is not a recording', async () => {
    const file = newFile()
    writeFileSync(file, '{"capstan":"recording","version":2}\n')
    await expect(replayRun(file)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(/version 2.*reads only version 1/),
    })
    writeFileSync(file, '{"hello":1}\n')
    await expect(replayRun(file)).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(replayRun(join(folder, 'none.jsonl'))).rejects.toMatchObject({ code: 'not_found' })
    writeFileSync(file, '{"capstan":"recording","version":1}\n{"run":1}\n')
    await expect(replayRun(file)).rejects.toThrow(/Line 2 /)
  })
})

function pathsOf(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [
    [name],
    ...pathsOf(inner).map((path) => [name, ...path]),
  ])
}

test('repeats a recording whose texts have become secrets since', async () => {
  const key = 'q7Zr-4kWm2_XvB9tLd0sYhN6'
  const sign = tool({
    name: 'sign',
    description: 'Signs',
    parameters: z.object({ text: z.string() }),
    execute: ({ text }) => `${text}.signed`,
  })
  const model = scriptedModel([reply.call('sign', { text: key }), reply.text(`Signed: ${key}.`)])
  const agent = new Agent({ model, tools: [sign] })
  const { file } = await recorded(agent, `Sign ${key}.`)
  expect(readFileSync(file, 'utf8')).toContain(key)
  process.env.CAPSTAN_TEST_API_KEY = key
  try {
    for (const options of [{}, { agent }, { agent, tools: 'run' as const }])
      expect(await replayRun(file, options)).toHaveLength(1)
  } finally {
    delete process.env.CAPSTAN_TEST_API_KEY
  }
})
