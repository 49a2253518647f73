import { Agent, type AnyTool, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { type CodeModeOptions, codeMode, programCalls, saveProgram } from '../src/index.js'

const forecast = tool({
  name: 'forecast',
  description: 'The temperatures of the next days.',
  parameters: z.object({ city: z.string(), days: z.number() }),
  effects: 'read',
  execute: ({ city, days }) => Array.from({ length: days }, (_, day) => city.length + day),
})
const send = tool({
  name: 'send',
  description: 'Sends a text.',
  parameters: z.object({ to: z.string(), text: z.string() }),
  needsApproval: true,
  execute: ({ to }) => ({ sent: to }),
})

const code = `// Oslo, 3 days
const days = await tools.forecast({ city: 'Oslo', days: 3 })
const mean = days.reduce((a, b) => a + b) / 3
await tools.send({ to: "ada", text: 'Oslo: ' + mean })
return { "Oslo": mean }`

async function runOnce() {
  const model = scriptedModel([reply.call('run_program', { code }, { id: 'p' }), reply.text('Sent.')])
  const agent = new Agent({ model, tools: [forecast, send], middleware: [codeMode()] })
  const { state } = await agent.run('Tell Ada the mean of Oslo')
  return agent.run(state, { decisions: { 'p/call1': { type: 'approve' } } })
}

const options = {
  name: 'tell_mean',
  description: 'Tells a person the mean of the next days.',
  parameters: { city: 'Oslo', days: 3, person: 'ada' },
}

test('a program that worked is a tool with parameters, under the same rules', async () => {
  const saved = saveProgram(await runOnce(), options)
  expect(saved.definition.function.parameters).toMatchObject({
    properties: { city: { type: 'string' }, days: { type: 'number' }, person: { type: 'string' } },
    required: ['city', 'days', 'person'],
  })
  const call = reply.call('tell_mean', { city: 'Bergen', days: 5, person: 'bob' }, { id: 'q' })
  const agent = new Agent({
    model: scriptedModel([call, reply.text('Done.')]),
    tools: [saved, forecast, send],
  })
  const first = await agent.run('Tell Bob')
  expect(first.pending).toMatchObject([
    { callId: 'q/call1', name: 'send', arguments: { to: 'bob', text: 'Oslo: 8' } },
  ])
  const last = await agent.run(first.state, { decisions: { 'q/call1': { type: 'approve' } } })
  expect(last.toolCalls[0]).toMatchObject({ name: 'tell_mean', status: 'ok', content: '{"Oslo":8}' })
})

test('arguments that do not fit are rejected before the program starts', async () => {
  const saved = saveProgram(await runOnce(), options)
  const call = reply.call('tell_mean', { city: 'Bergen', days: 'five', person: 'bob' })
  const agent = new Agent({
    model: scriptedModel([call, reply.text('Done.')]),
    tools: [saved, forecast, send],
  })
  const { toolCalls } = await agent.run('Tell Bob')
  expect(toolCalls[0]).toMatchObject({ status: 'rejected' })
})

test('a saved program may be called by a program', async () => {
  const saved = saveProgram(await runOnce(), options)
  const outer =
    "return await Promise.all(['bob', 'cid'].map((person) => tools.tell_mean({ city: 'Rome', days: 2, person })))"
  const model = scriptedModel([reply.call('run_program', { code: outer }, { id: 'o' }), reply.text('Done.')])
  const agent = new Agent({ model, tools: [saved, forecast, send], middleware: [codeMode()] })
  const first = await agent.run('Tell both')
  expect(first.pending?.map(({ callId }) => callId)).toEqual(['o/call0/call1', 'o/call1/call1'])
  const yes = first.pending?.map(({ callId }) => [callId, { type: 'approve' }] as const) ?? []
  const last = await agent.run(first.state, { decisions: Object.fromEntries(yes) })
  const ofModel = programCalls(last).filter(({ via }) => via === 'run_program')
  expect(ofModel.map(({ name, status }) => [name, status])).toEqual([
    ['tell_mean', 'ok'],
    ['tell_mean', 'ok'],
  ])
})

test('a result without a program, or a literal that is not there, is an error', async () => {
  const result = await runOnce()
  expect(() => saveProgram({ toolCalls: [] }, options)).toThrow('contains no program that succeeded')
  expect(() => saveProgram(result, { ...options, callId: 'x' })).toThrow('contains no program "x"')
  expect(() => saveProgram(result, { ...options, parameters: { city: 'Roma' } })).toThrow(
    'does not contain the literal "Roma" (parameter "city")',
  )
  expect(() => saveProgram(result, { ...options, name: 'a b' })).toThrow('not a valid tool name')
})

type Values = Record<string, string | number | boolean>

const echo = tool({
  name: 'echo',
  description: 'Returns its value.',
  parameters: z.object({ value: z.unknown() }),
  effects: 'read',
  execute: ({ value }) => value ?? null,
})

/** Runs a program. */
async function runProgram(code: string, options: CodeModeOptions = {}) {
  const model = scriptedModel([reply.call('run_program', { code }), reply.text('Done.')])
  const result = await new Agent({ model, tools: [echo], middleware: [codeMode(options)] }).run('Go')
  expect(result.toolCalls[0]).toMatchObject({ status: 'ok' })
  return result
}

/** Saves a program that worked, and calls the tool with each of these values. Returns the results' texts. */
async function callSaved(code: string, parameters: Values, calls: readonly Values[]) {
  const result = await runProgram(code)
  const saved = saveProgram(result, { name: 'again', description: 'Again.', parameters })
  const made = [parameters, ...calls].map((values, at) => reply.call('again', values, { id: `c${at}` }))
  const model = scriptedModel([reply.calls(...made), reply.text('Done.')])
  const { toolCalls } = await new Agent({ model, tools: [saved, echo] }).run('Go')
  const [same, ...others] = toolCalls.filter(({ name }) => name === 'again').map(({ content }) => content)
  // With the literals themselves, the tool does what the program did.
  expect(same).toBe(result.toolCalls[0]?.content)
  return others
}

test.each<[subject: string, code: string, parameters: Values, values: Values, expected: unknown]>([
  [
    'strings',
    "return ['a', \"a\", \"b\", 'it\\'s']",
    { x: 'a', y: "it's" },
    { x: 'c', y: 'd' },
    ['c', 'c', 'b', 'd'],
  ],
  ['a template without ${}', 'return [`a`, `a${1}`]', { x: 'a' }, { x: 'c' }, ['c', 'a1']],
  ['a literal within ${}', 'return `${"a"}-${["b", `${\'a\'}`]}-a`', { x: 'a' }, { x: 'c' }, 'c-b,c-a'],
  [
    'numbers',
    'return [3, 3.0, 0x3, 3.5, 1_000, "3"]',
    { n: 3, k: 1000 },
    { n: 7, k: 8 },
    [7, 7, 7, 3.5, 8, '3'],
  ],
  ['a negative number', 'return [-3, - 3, 5 - -3, 5 -3, - -3]', { n: -3 }, { n: 4 }, [4, 4, 1, 2, -4]],
  ['a number whose negative also occurs', 'return [3, -3]', { n: 3 }, { n: 4 }, [4, -3]],
  ['a number and its negative', 'return [3, -3]', { n: 3, m: -3 }, { n: 4, m: 5 }, [4, 5]],
  ['booleans', 'return [true, false, !true]', { on: true }, { on: false }, [false, false, true]],
  [
    'words before a literal',
    "if (typeof'a'==='string') return'a'\nelse throw'a'",
    { x: 'a' },
    { x: 'c' },
    'c',
  ],
  [
    'a member of a number',
    'return [3..toFixed(1), 3 .toFixed(1), -3..toFixed(1)]',
    { n: 3 },
    { n: 4 },
    ['4.0', '4.0', -4],
  ],
  [
    'an index',
    "const row = { a: 1, c: 2, b3: [5, 6, 7, 8] }; return [row['a'], row.b3[3]]",
    { x: 'a', n: 3 },
    { x: 'c', n: 0 },
    [2, 5],
  ],
  [
    'keys',
    "const { 'a': one, ['a']: two } = { 'a': 'a', 3: 3, c: 9 }; return { 'a': one, 3: two }",
    { x: 'a', n: 3 },
    { x: 'c', n: 4 },
    { 3: 9, a: 'c' },
  ],
  [
    'names of methods and fields',
    "class A { 3() { return 3 } 'a'() { return 'a' } static 'b' = 'b' }; return [new A()[1 + 2](), new A().a(), A.b]",
    { n: 3, x: 'a', y: 'b' },
    { n: 4, x: 'c', y: 'd' },
    [4, 'c', 'd'],
  ],
  ['a tagged template', 'return [String.raw`a`, String.raw`a${"a"}`]', { x: 'a' }, { x: 'c' }, ['a', 'ac']],
  [
    'comments and regular expressions',
    "/* 'a' */ return [/'a'/.test('a'), 4 / 2] // 'a'",
    { x: 'a', n: 2 },
    { x: "'a'", n: 1 },
    [true, 4],
  ],
])('replaces %s', async (_, code, parameters, values, expected) => {
  const [content = ''] = await callSaved(code, parameters, [values])
  expect(JSON.parse(content)).toEqual(expected)
})

test.each([
  ["const args = { value: 'a' }; return await tools.echo(args)", 'c'],
  ["const list = []; for (const args of [{ to: 'b' }]) list.push(args.to + 'a'); return list.join()", 'bc'],
  ["const \\u0061rgs = { to: 'b' }; return args.to + 'a'", 'bc'],
  ["const args = 'b'; { const args$ = 'a'; return args + args$ }", 'bc'],
  ["return typeof args + 'a'", 'undefinedc'],
])('the object of parameters has a name that the program does not use: %s', async (code, expected) => {
  expect(await callSaved(code, { x: 'a' }, [{ x: 'c' }])).toEqual([JSON.stringify(expected)])
})

test.each(["'use strict'\n", "'use strict'; ", "'use strict' // as ever\n", "'a'\n'use strict'\n"])(
  'a directive stays one: %j',
  async (directive) => {
    const code = `${directive}return (function () { return String(this) })() + 'a'`
    expect(await callSaved(code, { x: 'a' }, [{ x: 'c' }])).toEqual(['"undefinedc"'])
  },
)

test('a program without parameters runs unchanged', async () => {
  expect(await callSaved("'use strict'; return 'a'", {}, [])).toEqual([])
})

test('an error names the line of the program', async () => {
  const result = await runProgram("'use strict'\nconst x = 'a'\nif (x === 'b') null.y\nreturn x")
  const saved = saveProgram(result, { name: 'again', description: 'Again.', parameters: { x: 'a' } })
  const model = scriptedModel([reply.call('again', { x: 'b' }), reply.text('Done.')])
  const { toolCalls } = await new Agent({ model, tools: [saved] }).run('Go')
  expect(toolCalls[0]?.content).toContain(
    '(line 3, column 20)\n  2 | const x = args["x"]\n> 3 | if (x === \'b\') null.y',
  )
})

test.each<[code: string, parameters: Values, message: string]>([
  ["return { 'a': 1, b() {} }", { x: 'a' }, 'does not contain the literal "a" (parameter "x")'],
  ["class A { 'a'() {} }", { x: 'a' }, 'does not contain the literal "a"'],
  ["'use strict'; return 1", { x: 'use strict' }, 'does not contain the literal "use strict"'],
  ['return `a${1}`', { x: 'a' }, 'does not contain the literal "a"'],
  ['return String.raw`a`', { x: 'a' }, 'does not contain the literal "a"'],
  ["return ['-3', -3, Number(3n)]", { n: 3 }, 'does not contain the literal 3 (parameter "n")'],
  ['return 3', { n: -3 }, 'does not contain the literal -3 (parameter "n")'],
  ['return /a/.source', { x: 'a' }, 'does not contain the literal "a"'],
  ['return null', { x: null as never }, 'does not contain the literal null'],
])('%s does not have the literal of %j', async (code, parameters, message) => {
  const result = await runProgram(code)
  expect(() => saveProgram(result, { name: 'again', description: 'Again.', parameters })).toThrow(
    expect.objectContaining({ code: 'not_found', message: expect.stringContaining(message) }),
  )
})

test('two parameters with the same literal are an error, which names both', async () => {
  const result = await runProgram("return [3, '3']")
  const save = (parameters: Values) =>
    saveProgram(result, { name: 'again', description: 'Again.', parameters })
  expect(() => save({ a: 3, b: 3 })).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      message: expect.stringContaining('the parameters "a" and "b" replace the same literal 3.'),
    }),
  )
  // Of different types, they are different literals.
  expect(save({ a: 3, b: '3' }).name).toBe('again')
})

test('a program that does not parse cannot be saved', async () => {
  const model = scriptedModel([
    reply.call('run_program', { code: 'const a = = 3' }, { id: 'p' }),
    reply.text('No.'),
  ])
  const result = await new Agent({ model, middleware: [codeMode()] }).run('Go')
  const options = { name: 'again', description: 'Again.', parameters: { a: 3 }, callId: 'p' }
  expect(() => saveProgram(result, options)).toThrow(
    expect.objectContaining({ code: 'unsupported', message: expect.stringContaining('does not parse') }),
  )
})

describe('bounds', () => {
  const code = 'for (let at = 0; at < 12; at++) await tools.echo({ value: at })\nreturn 12'
  const counting = { name: 'again', description: 'Again.', parameters: { most: 12 } }

  async function callWith(saved: AnyTool, options?: CodeModeOptions) {
    const program = reply.call('again', { most: 12 })
    const model = scriptedModel([program, reply.text('Done.')])
    const middleware = options ? [codeMode({ keep: ['again'], ...options })] : []
    const { toolCalls } = await new Agent({ model, tools: [saved, echo], middleware }).run('Go')
    return toolCalls[0]?.content
  }

  test('are those of code mode in the agent', async () => {
    const saved = saveProgram(await runProgram(code), counting)
    expect(await callWith(saved)).toBe('12')
    expect(await callWith(saved, {})).toBe('12')
    expect(await callWith(saved, { calls: 11 })).toContain('11 calls')
    expect(await callWith(saved, { calls: 12 })).toBe('12')
  })

  test('of the saved program come before those of the agent', async () => {
    const result = await runProgram(code)
    const strict = saveProgram(result, { ...counting, calls: 11 })
    expect(await callWith(strict)).toContain('11 calls')
    expect(await callWith(strict, { calls: 1000 })).toContain('11 calls')
    const open = saveProgram(result, { ...counting, calls: 12 })
    expect(await callWith(open, { calls: 11 })).toBe('12')
    // Each bound by itself.
    expect(await callWith(open, { calls: 11, output: 1 })).toContain('of at most 1.')
  })

  test('apply also if a program calls the saved program', async () => {
    const saved = saveProgram(await runProgram(code), counting)
    const outer = reply.call('run_program', { code: 'return await tools.again({ most: 12 })' })
    const model = scriptedModel([outer, reply.text('Done.')])
    const agent = new Agent({ model, tools: [saved, echo], middleware: [codeMode({ calls: 11 })] })
    const { toolCalls } = await agent.run('Go')
    expect(toolCalls[0]?.content).toContain('11 calls')
  })

  test('let a program that made many calls do so again', async () => {
    const many = 'for (let at = 0; at < 520; at++) await tools.echo({ value: at })\nreturn 520'
    const saved = saveProgram(await runProgram(many, { calls: 1000 }), {
      ...counting,
      parameters: { most: 520 },
      calls: 1000,
    })
    const model = scriptedModel([reply.call('again', { most: 510 }), reply.text('Done.')])
    const { toolCalls } = await new Agent({ model, tools: [saved, echo] }).run('Go')
    expect(toolCalls[0]?.content).toBe('510')
  })

  test('have the kinds of those of code mode', async () => {
    const result = await runProgram(code)
    expect(() => saveProgram(result, { ...counting, calls: 0 })).toThrow('calls is 0.')
    expect(() => saveProgram(result, { ...counting, memoryMb: 16 })).toThrow('17 to 4096')
    expect(() => saveProgram(result, { ...counting, fule: 1 } as never)).toThrow('"fuel"')
  })

  test('that are undefined are not set', async () => {
    const saved = saveProgram(await runProgram(code, { calls: undefined } as never), {
      ...counting,
      calls: undefined,
    } as never)
    expect(await callWith(saved, { calls: 11 })).toContain('11 calls')
  })
})
