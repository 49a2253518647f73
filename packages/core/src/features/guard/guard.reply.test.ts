import { expect, test, vi } from 'vitest'
import * as z from 'zod'
import { named } from '../../../test/call-context.js'
import { type Journal, journalHost } from '../../../test/run-control/host-with.js'
import { type Said, scriptedModel } from '../../../test/scripted-model.js'
import {
  Agent,
  type GuardOptions,
  guard,
  memoryHost,
  partialOutput,
  type RunEvent,
  verdict,
} from '../../index.js'

const look = named('look', () => 'a gate')

/** Replaces numbers, and denies swords. */
const reply: NonNullable<GuardOptions['reply']> = async (text) => {
  if (text.includes('sword')) return verdict.deny('no weapons')
  return /\d/.test(text) ? verdict.replace(text.replace(/\d+/g, '#')) : verdict.allow
}

function guarded(script: readonly Said[], options: GuardOptions = { reply }) {
  const model = scriptedModel(script)
  return { model, agent: new Agent({ model, tools: [look], middleware: [guard(options)] }) }
}

async function streamed(script: readonly Said[], options?: GuardOptions) {
  const { agent, model } = guarded(script, options)
  const run = agent.stream('Go.', { runId: 'r' })
  const events: RunEvent[] = []
  for await (const event of run) events.push(event)
  const shown = events.flatMap((event) => {
    if (event.type === 'text-delta') return event.text
    if (event.type === 'retry-scheduled') return '<void>'
    return event.type === 'call-delta' ? `<${event.name}>` : []
  })
  return { shown, events, model, result: await run.result }
}

test('a replaced reply is replaced in history, result and events', async () => {
  const { shown, events, result } = await streamed(['Gate 17 is open. Gate 18 too.'])
  expect(result.text).toBe('Gate # is open. Gate # too.')
  expect(shown.join('')).toBe('Gate # is open. Gate # too.')
  expect(JSON.stringify([events, result.state])).not.toMatch(/1[78]/)
  const [reported] = events.filter(({ type }) => type === 'middleware')
  expect(reported).toMatchObject({ name: 'guard', action: 'replaced', data: { of: 'reply' } })
})

test('a replaced reply keeps no reasoning', async () => {
  const message = { role: 'assistant', content: 'Gate 17.', reasoning_content: 'It is 17.' } as const
  const { result, events } = await streamed([{ message }])
  expect(result.messages.at(-1)).toEqual({ role: 'assistant', content: 'Gate #.' })
  expect(JSON.stringify(events)).not.toContain('17')
})

test('streamed reasoning of an allowed reply is dropped, and the history keeps it', async () => {
  const message = { role: 'assistant', content: 'A gate.', reasoning_content: 'Hm.' } as const
  const { result, events } = await streamed([{ message }])
  expect(events.some(({ type }) => type === 'reasoning-delta')).toBe(false)
  expect(result.messages.at(-1)).toEqual(message)
})

test('the model is told once why its reply was denied, and nothing of it is kept', async () => {
  const { agent, model } = guarded(['Take a sword.', 'Take a rope.'])
  const events: RunEvent[] = []
  const result = await agent.run('What now?', { observe: (event) => events.push(event) })
  expect(result).toMatchObject({ stopReason: 'done', text: 'Take a rope.', stepCount: 1 })
  expect(result.messages).toEqual([
    { role: 'user', content: 'What now?' },
    { role: 'assistant', content: 'Take a rope.' },
  ])
  expect(model.requests[1]?.messages.slice(1)).toEqual([
    { role: 'assistant', content: 'Take a sword.' },
    {
      role: 'user',
      content: 'Your reply was not allowed: no weapons\nReply again without it.',
    },
  ])
  expect(result.usage.requests).toBe(2)
  expect(JSON.stringify(events)).not.toContain('sword')
  expect(events.filter(({ type }) => type === 'middleware')).toEqual([
    expect.objectContaining({ action: 'denied', data: { of: 'reply', reason: 'no weapons' } }),
  ])
})

test('a second denial ends the run as a refusal', async () => {
  const { agent, model } = guarded(['Take a sword.', 'Take two swords.'])
  const result = await agent.run('What now?')
  expect(result).toMatchObject({ stopReason: 'refusal', refusal: 'no weapons', text: '' })
  expect(JSON.stringify(result.state)).not.toContain('sword')
  expect(model.requests).toHaveLength(2)
})

test('after a denial the model may call tools, and is told again in a later step', async () => {
  const { agent, model } = guarded(['A sword.', [['look']], 'Two swords.', 'A gate.'])
  expect(await agent.run('Go.')).toMatchObject({ stopReason: 'done', text: 'A gate.', stepCount: 2 })
  expect(model.requests).toHaveLength(4)
})

test('sentences are released once the text so far is allowed', async () => {
  const allowed: string[] = []
  const { shown } = await streamed(['There is one gate here. Is it open, by the way, today? Three'], {
    reply: (text) => {
      allowed.push(text)
    },
  })
  expect(shown).toEqual(['There is one gate here. ', 'Is it open, by the way, today? ', 'Three'])
  expect(allowed).toEqual(shown.map((_, at) => shown.slice(0, at + 1).join('')))
})

test('the rest of a denied reply is never streamed, and its beginning is void', async () => {
  const { shown, events, result } = await streamed(['Take a rope. Take a sword. Go.', 'Take a lamp. Go.'])
  expect(shown).toEqual(['Take a rope. ', '<void>', 'Take a lamp. ', 'Go.'])
  expect(JSON.stringify(events)).not.toContain('sword')
  expect(result.text).toBe('Take a lamp. Go.')
})

test('the beginning of a reply that ends as a refusal is void', async () => {
  const { shown, result } = await streamed(['A sword.', 'Well. A sword. No.'])
  expect(shown).toEqual(['Well. ', '<void>'])
  expect(result).toMatchObject({ stopReason: 'refusal', text: '' })
})

test('a text that only its whole allows is released at its end', async () => {
  const { shown } = await streamed(['A gate. It is open. [source]'], {
    reply: (text) => (text.includes('[source]') ? verdict.allow : verdict.deny('name the source')),
  })
  expect(shown).toEqual(['A gate. It is open. [source]'])
})

test('a replacement that begins otherwise makes the released text void', async () => {
  const { shown, result } = await streamed(['A gate. Number 17.'], {
    reply: (text) => (/\d/.test(text) ? verdict.replace('None.') : verdict.allow),
  })
  expect(shown).toEqual(['A gate. ', '<void>', 'None.'])
  expect(result.text).toBe('None.')
})

test('a judge that is slow delays text, and keeps its order', async () => {
  const waiting: (() => void)[] = []
  const { agent } = guarded(['One. Two. Three.'], {
    reply: () => new Promise<void>((resolve) => waiting.push(resolve)),
  })
  const run = agent.stream('Go.')
  const shown: string[] = []
  run.on('text-delta', ({ text }) => shown.push(text))
  await expect.poll(() => waiting).toHaveLength(1)
  expect(shown).toEqual([])
  waiting[0]?.()
  await expect.poll(() => waiting).toHaveLength(2)
  expect(shown).toEqual(['One. '])
  waiting[1]?.()
  await expect.poll(() => waiting).toHaveLength(3)
  expect(shown.join('')).toBe('One. Two. ')
  waiting[2]?.()
  expect((await run.result).text).toBe('One. Two. Three.')
  expect(shown.join('')).toBe('One. Two. Three.')
})

test('an aborted run has the released text only', async () => {
  const { agent } = guarded(['A gate. A sword. Go.'])
  const run = agent.stream('Go.')
  run.on('text-delta', () => run.abort())
  expect(await run.result).toMatchObject({ stopReason: 'aborted', text: 'A gate. ', incomplete: true })
})

test('denied text beside calls is left out, and the calls run', async () => {
  const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } } as const
  const message = { role: 'assistant', content: 'A sword. Hm.', tool_calls: [call] } as const
  const { shown, result, events } = await streamed([{ message }, 'A gate.'])
  expect(shown).toEqual(['<look>', 'A gate.'])
  expect(result.messages[1]).toEqual({ role: 'assistant', content: null, tool_calls: [call] })
  expect(result.toolCalls).toHaveLength(1)
  expect(JSON.stringify(events)).not.toContain('sword')
})

test('allowed text beside calls comes before them', async () => {
  const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } } as const
  const message = { role: 'assistant', content: 'I look. Now', tool_calls: [call] } as const
  const { shown } = await streamed([{ message }, 'A gate.'])
  expect(shown).toEqual(['I look. ', 'Now', '<look>', 'A gate.'])
})

test('the text of an agent with an output is judged before it is read', async () => {
  const output = z.object({ gate: z.string() })
  const script: Said[] = ['{"gate":"sword"}', '{"gate":"17"}']
  const model = { ...scriptedModel(script), structuredOutput: true }
  const agent = new Agent({ model, output, middleware: [guard({ reply })] })
  const result = await agent.run('Go.')
  expect(result).toMatchObject({ stopReason: 'done', output: { gate: '#' } })
  expect(JSON.stringify(result.messages)).not.toMatch(/17|sword/)
})

test('an answer by the tool of the output is judged, and held back while it is streamed', async () => {
  const output = z.object({ gate: z.string() })
  const script: Said[] = [[['final_answer', { gate: 'sword' }]], [['final_answer', { gate: '17' }]]]
  const model = scriptedModel(script)
  const agent = new Agent({ model, output, middleware: [guard({ reply })] })
  const run = agent.stream('Go.')
  const parts: unknown[] = []
  for await (const part of partialOutput(run)) parts.push(part)
  const result = await run.result
  expect(result).toMatchObject({ stopReason: 'done', output: { gate: '#' } })
  expect(parts.at(-1)).toEqual({ gate: '#' })
  expect(JSON.stringify([parts, result.messages, result.toolCalls])).not.toMatch(/17|sword/)
  expect(model.requests).toHaveLength(2)
})

test('a second denial of an answer by the tool is a refusal', async () => {
  const model = scriptedModel([[['final_answer', { gate: 'sword' }]], [['final_answer', { gate: 'sword' }]]])
  const agent = new Agent({ model, output: z.object({ gate: z.string() }), middleware: [guard({ reply })] })
  const result = await agent.run('Go.')
  expect(result.stopReason).toBe('refusal')
  expect(JSON.stringify(result.state)).not.toContain('sword')
})

test('a denied final answer at a limit is left out, and the run ends by its limit', async () => {
  const model = scriptedModel([[['look']], 'A sword.'])
  const agent = new Agent({ model, tools: [look], limits: { steps: 1 }, middleware: [guard({ reply })] })
  const result = await agent.run('Go.')
  expect(result).toMatchObject({ stopReason: 'limit', refusal: 'no weapons', text: '' })
  expect(JSON.stringify(result.state)).not.toContain('sword')
})

test('of two guards each judges what the other one releases', async () => {
  const calm = guard({ name: 'calm', reply: (text) => verdict.replace(text.replaceAll('!', '.')) })
  const model = scriptedModel(['A sword! Go!', 'Gate 17! Go!'])
  const agent = new Agent({ model, middleware: [guard({ reply }), calm] })
  const run = agent.stream('Go.')
  let shown = ''
  run.on('text-delta', ({ text }) => {
    shown += text
  })
  run.on('retry-scheduled', () => {
    shown = ''
  })
  expect((await run.result).text).toBe('Gate #. Go.')
  expect(shown).toBe('Gate #. Go.')
})

test('a judge that throws ends the run, and nothing is released', async () => {
  const { agent } = guarded(['One. Two.'], {
    reply: () => {
      throw new Error('the filter is down')
    },
  })
  const run = agent.stream('Go.')
  const shown: string[] = []
  run.on('text-delta', ({ text }) => shown.push(text))
  await expect(run.result).rejects.toThrow('the filter is down')
  expect(shown).toEqual([])
})

test.each([true, false])('a replayed run has the recorded reply (streamed: %s)', async (isStreamed) => {
  const journal: Journal = new Map()
  const options = { host: journalHost(journal, memoryHost), runId: 'r' }
  const judge = vi.fn(() => verdict.deny('other'))
  const script = [[['look']], 'A sword.', 'Gate 17. Open.'] as const
  const [first, again] = [guarded(script).agent, guarded([], { reply: judge }).agent]
  const run = (agent: typeof first) =>
    isStreamed ? agent.stream('Go.', options).result : agent.run('Go.', options)
  const before = await run(first)
  expect(before.text).toBe('Gate #. Open.')
  expect([...journal.values()].join()).not.toMatch(/sword|Gate 17/)
  expect((await run(again)).state).toEqual(before.state)
  expect(judge).not.toHaveBeenCalled()
})
