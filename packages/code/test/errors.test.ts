import { Agent, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { expectLinear } from '../../core/test/expect-linear.js'
import { createMachine } from '../src/engine/machine.js'
import { defaultBounds } from '../src/engine/program.js'
import { withScript } from '../src/engine/rewrite.js'
import { type CodeModeOptions, codeMode, type ProgramBounds, programCalls } from '../src/index.js'

const echo = tool({
  name: 'echo',
  description: 'Returns its text.',
  parameters: z.object({ text: z.string() }),
  effects: 'read',
  execute: ({ text }) => {
    if (text === 'bad') throw new Error('no such text')
    return text === 'nothing' ? undefined : { text }
  },
})

async function run(code: string, options: CodeModeOptions = {}) {
  const model = scriptedModel([reply.call('run_program', { code }), reply.text('ok'), reply.text('ok')])
  const result = await new Agent({ model, tools: [echo], middleware: [codeMode(options)] }).run('Go')
  return {
    content: result.toolCalls[0]?.content,
    status: result.toolCalls[0]?.status,
    calls: programCalls(result),
  }
}

test.each([
  [
    'a program that does not parse',
    'const a = 1\nconst b = = 2\nreturn a',
    "Error: SyntaxError: unexpected token in expression: '=' (line 2, column 11)\n  1 | const a = 1\n> 2 | const b = = 2\n  3 | return a\n\nNo call had run.",
  ],
  [
    'a program that is not closed',
    'for (;;) {',
    'Error: SyntaxError: a bracket, a quote or a block is not closed, or closed twice (line 1, column 1)\n> 1 | for (;;) {\n\nNo call had run.',
  ],
  [
    'a program that throws',
    "await tools.echo({ text: 'a' })\nconst x = null\nx.y()\nreturn 1",
    "Error: TypeError: cannot read property 'y' of null (line 3, column 2)\n  2 | const x = null\n> 3 | x.y()\n  4 | return 1\n\nCalls that had run: echo (1 ok).",
  ],
  [
    'an unknown tool',
    "await tools.ecco({ text: 'a' })",
    'Error: TypeError: Programs have no tool "ecco". Tools: echo (line 1, column 17)\n> 1 | await tools.ecco({ text: \'a\' })\n\nNo call had run.',
  ],
  [
    'wrong arguments',
    'const a = 1\nawait tools.echo({ txt: a })',
    'Error: invalid arguments for "echo", the tool did not run: text: Invalid input: expected string, received undefined (given: nothing)\nExpected: { text: string } (line 2, column 17)\n  1 | const a = 1\n> 2 | await tools.echo({ txt: a })\n\nCalls that had run: echo (1 rejected).',
  ],
  [
    'a call that fails',
    "await tools.echo({ text: 'bad' })",
    "Error: no such text (line 1, column 17)\n> 1 | await tools.echo({ text: 'bad' })\n\nCalls that had run: echo (1 error).",
  ],
  [
    'a bracket that is closed twice',
    'return 1 }',
    'Error: SyntaxError: a bracket, a quote or a block is not closed, or closed twice (line 1, column 1)\n> 1 | return 1 }\n\nNo call had run.',
  ],
  ...['"a"', '5', 'null', '[1]'].map((args): [string, string, string] => [
    `arguments that are no object: ${args}`,
    `await tools.echo(${args})`,
    `Error: TypeError: tools.echo takes one object of arguments (line 1, column 17)\n> 1 | await tools.echo(${args})\n\nNo call had run.`,
  ]),
  ['a thrown object', 'throw { code: 7 }', 'Error: {"code":7}\n\nNo call had run.'],
  [
    'a value with the promise of an async function',
    'return [1, 2].map(async (one) => one)',
    'Error: TypeError: The returned value is not JSON: it contains a promise. Use await (line 1, column 8)\n> 1 | return [1, 2].map(async (one) => one)\n\nNo call had run.',
  ],
  ['a thrown text', "throw 'stop'", 'Error: stop\n\nNo call had run.'],
  [
    'a promise that nothing resolves',
    'await new Promise(() => {})',
    'Error: The program is waiting for a promise that nothing resolves. Only await tool calls.\n\nNo call had run.',
  ],
  [
    'a rejected call that nobody awaits, after the calls in flight',
    "tools.echo({ text: 'bad' })\nawait tools.echo({ text: 'a' })\nawait tools.echo({ text: 'never' })",
    "Error: no such text (line 1, column 11)\n> 1 | tools.echo({ text: 'bad' })\n  2 | await tools.echo({ text: 'a' })\n\nCalls that had run: echo (1 error, 1 ok).",
  ],
  [
    'a failed async function that nobody awaits',
    "const f = async () => {\n  throw new Error('lost')\n}\nf()\nreturn 1",
    "Error: lost (line 2, column 18)\n  1 | const f = async () => {\n> 2 |   throw new Error('lost')\n  3 | }\n\nNo call had run.",
  ],
  [
    'a failed callback that nobody awaits, after the calls in flight',
    "['a'].forEach(async ({ length }) => { if (length) null.x })\nawait tools.echo({ text: 'a' })\nreturn 1",
    "Error: TypeError: cannot read property 'x' of null (line 1, column 55)\n> 1 | ['a'].forEach(async ({ length }) => { if (length) null.x })\n  2 | await tools.echo({ text: 'a' })\n\nCalls that had run: echo (1 ok).",
  ],
  [
    'a failed method that nobody awaits',
    'class A { static async f(a, b = a) { throw b } }\nA.f(7)',
    'Error: 7\n\nNo call had run.',
  ],
  [
    'calls at once that nobody awaits',
    "Promise.all([1, 2].map((text) => tools.echo({ text })))\nreturn 'all'",
    'Error: invalid arguments for "echo", the tool did not run: text: Invalid input: expected string, received number (given: 1)\nExpected: { text: string } (line 1, column 44)\n> 1 | Promise.all([1, 2].map((text) => tools.echo({ text })))\n  2 | return \'all\'\n\nCalls that had run: echo (2 rejected).',
  ],
  [
    'a rejected promise that nobody awaits',
    "Promise.reject(new Error('lost'))\nreturn 1",
    "Error: lost (line 1, column 25)\n> 1 | Promise.reject(new Error('lost'))\n  2 | return 1\n\nNo call had run.",
  ],
  [
    'a promise that it rejects and nobody awaits',
    "new Promise((_, reject) => reject(new Error('lost')))\nreturn 1",
    "Error: lost (line 1, column 44)\n> 1 | new Promise((_, reject) => reject(new Error('lost')))\n  2 | return 1\n\nNo call had run.",
  ],
  [
    'an error in then, whose promise nobody awaits',
    "Promise.resolve().then(() => { throw new Error('lost') })\nreturn 1",
    "Error: lost (line 1, column 47)\n> 1 | Promise.resolve().then(() => { throw new Error('lost') })\n  2 | return 1\n\nNo call had run.",
  ],
  [
    'an error before finally, whose promise nobody awaits',
    "Promise.reject(new Error('lost')).finally(() => 1)\nreturn 1",
    "Error: lost (line 1, column 25)\n> 1 | Promise.reject(new Error('lost')).finally(() => 1)\n  2 | return 1\n\nNo call had run.",
  ],
  [
    'a value with a promise',
    "return [tools.echo({ text: 'a' })]",
    "Error: TypeError: The returned value is not JSON: it contains a promise. Use await (line 1, column 8)\n> 1 | return [tools.echo({ text: 'a' })]\n\nCalls that had run: echo (1 ok).",
  ],
  [
    'a value that is not JSON',
    'const a = {}; a.a = a; return a',
    'Error: TypeError: The returned value is not JSON: circular reference (line 1, column 31)\n> 1 | const a = {}; a.a = a; return a\n\nNo call had run.',
  ],
  [
    'a clock',
    'return new Date()',
    'Error: TypeError: Programs have no clock and no Date. Take times from tools or from your messages (line 1, column 16)\n> 1 | return new Date()\n\nNo call had run.',
  ],
])('%s', async (_name, code, content) => {
  const result = await run(code)
  expect(result.content).toBe(content)
  expect(result.status).toBe('error')
})

test.each([
  ['a value', 'return { a: [1, "x", null] }', '{"a":[1,"x",null]}'],
  ['no value', 'await tools.echo({ text: "a" })', 'The program returned nothing.'],
  [
    'console output',
    'console.log("a", { b: 1 }, [2], new Error("x")); console.error("c"); return 1',
    '1\n\nConsole:\na {"b":1} [2] Error: x\nc',
  ],
  [
    'numbers and undefined on the console',
    'console.log(NaN, -Infinity, undefined, null, 5n, true); return 1',
    '1\n\nConsole:\nNaN -Infinity undefined null 5 true',
  ],
  [
    'arguments with halves of characters',
    'return [(await tools.echo({ text: "a\\ud800\\\\ud800😀" })).text, (await tools.echo({ text: "", "\\udc00": 1 })).text]',
    '["a�\\\\ud800😀",""]',
  ],
  ['maps and sets', 'return [new Map([["a", 1]]), { b: new Set([2, 3]) }]', '[[["a",1]],{"b":[2,3]}]'],
  [
    'a function that nobody calls',
    'async () => { return await tools.echo({ text: "a" }) }',
    'The program did nothing: it called no tool, wrote nothing and returned nothing. Write the body of an async function, with `return`.',
  ],
  ['the value of a call', 'return (await tools.echo({ text: "hi" })).text', '"hi"'],
  ['a call that returns nothing', 'return [await tools.echo({ text: "nothing" })]', '[null]'],
  [
    'an error that it catches',
    'try { await tools.echo({ text: "bad" }) } catch (error) { return [error.name, error.message, error.status, error.tool] }',
    '["ToolError","no such text","error","echo"]\n\nCalls that failed: echo (1 error).',
  ],
  ['calls that it did not await', 'tools.echo({ text: "a" }); return 1', '1'],
  [
    'the first of a race: the first in call order',
    'return (await Promise.race([tools.echo({ text: "a" }), tools.echo({ text: "b" })])).text',
    '"a"',
  ],
  [
    'Promise.any, allSettled, finally',
    'const bad = tools.echo({ text: "bad" }); return [(await Promise.any([bad, tools.echo({ text: "b" })])).text, (await Promise.allSettled([bad]))[0].status, await tools.echo({ text: "x" }).finally(() => 1).then((one) => one.text)]',
    '["b","rejected","x"]\n\nCalls that failed: echo (1 error).',
  ],
  [
    'generators and classes',
    'class A { #x = 1; get x() { return this.#x } } function* g() { yield* [1, 2] } return [new A().x, ...g()]',
    '[1,1,2]',
  ],
  [
    'an async function that is awaited after a call',
    'const f = async () => { throw new Error("late") }; const p = f(); await tools.echo({ text: "a" }); try { await p } catch (error) { return error.message }',
    '"late"',
  ],
  [
    'promises that it handles after a call',
    `const all = [Promise.reject(1), new Promise((_, no) => no(2)), Promise.resolve().then(() => { throw 3 }), Promise.reject(4).finally(() => 0)]
await tools.echo({ text: 'a' })
const settled = await Promise.allSettled(all)
return [...settled.map((one) => one.reason), all.every((one) => one instanceof Promise), await Promise.reject(5).catch((error) => error), await Promise.resolve(6).finally(() => 7)]`,
    '[1,2,3,4,true,5,6]',
  ],
  [
    'async functions of all forms',
    `const a = async x => x
const b = async function name(x) /* ) => */ { return [typeof name, x, arguments.length] }
async function c({ x }, ...y) { return [x, y] }
const d = { async m(x = 1) { return [this === d, x] }, async ['n']() { return 'n' } }
class E { async #p() { return 'p' } async q() { return this.#p() } static async s() { return super.toString !== undefined } }
return [await a(1), await b(2, 3), await c({ x: 4 }, 5, 6), await d.m(), await d.n(), await new E().q(), await E.s()]`,
    '[1,["function",2,2],[4,[5,6]],[true,1],"n","p",true]',
  ],
  [
    'tools under other names',
    'const all = { tools }; const { echo } = all.tools; const list = [tools.echo]; return [(await echo({ text: "a" })).text, (await list[0]({ text: "b" })).text, Object.keys(tools), "echo" in tools, typeof tools]',
    '["a","b",["echo"],true,"object"]',
  ],
  [
    'fields with the names of built-in members',
    'class A extends Error { constructor() { super("m"); this.name = "A"; this.toString = 1 } } const o = {}; o.constructor = 2; o.__proto__ = 3; return [new A().name, new A().toString, o]',
    '["A",1,{"constructor":2,"__proto__":3}]',
  ],
  [
    'async iteration',
    'const out = []; for await (const one of ["a", "b"].map((text) => tools.echo({ text }))) out.push(one.text); return out',
    '["a","b"]',
  ],
])('%s', async (_name, code, content) => {
  const result = await run(code)
  expect(result.content).toBe(content)
  expect(result.status).toBe('ok')
})

/** Programs that pass a bound, with the line that does. */
const passing: readonly (readonly [keyof ProgramBounds, number, line: number, source: string])[] = [
  ['fuel', 20, 2, "await tools.echo({ text: 'a' })\nfor (;;) {\n  let i = 0\n}"],
  ['fuel', 20, 3, "await tools.echo({ text: 'a' })\nwhile (true)\n  [].at(0)"],
  [
    'fuel',
    20,
    3,
    'const f = (n) => {\n  let s = 0\n  for (let i = 0; i < n; i++) s += i\n  return s\n}\nreturn f(1e9)',
  ],
  [
    'fuel',
    20,
    3,
    'async function f(n) {\n  let s = 0\n  while (n > 0) {\n    s += n\n  }\n}\nconst b = [1].at(0)\nawait f(b)',
  ],
  ['fuel', 20, 4, 'class A {\n  run() {\n    let x = 1\n    do x++; while (x > 0)\n  }\n}\nnew A().run()'],
  ['fuel', 20, 2, 'await null;\n[1].map((x) => { while (x) x++ })\nreturn 1'],
  [
    'fuel',
    20,
    3,
    'function* g() {\n  let i = 0\n  for (const _ of Array(1e7)) i++\n  yield i\n}\nreturn [...g()]',
  ],
  ['fuel', 20, 3, 'const f = (x) => {\n  if (x > 30) return 1\n  return f(x + 1) + f(x + 1)\n}\nreturn f(0)'],
  ['fuel', 20, 2, "const f = (s) =>\n  /(a+)+b/.test(s)\nreturn f('a'.repeat(40))"],
  ['timeMs', 30, 3, 'const f = (n) => {\n  let s = 0\n  while (s < n) s += 1\n}\nf(1e12)'],
  ['stackKb', 64, 3, 'function f(n) {\n  const x = n\n  return f(x + 1) + 1\n}\nconst y = 1\nf(y)'],
  [
    'memoryMb',
    20,
    4,
    "const all = []\nconst f = () => {\n  for (;;) {\n    all.push('x'.repeat(100000))\n  }\n}\nf()",
  ],
  [
    'calls',
    2,
    3,
    "const f = () => {\n  for (let i = 0; i < 9; i++)\n    tools.echo({ text: 'a' })\n}\nf()\nreturn 1",
  ],
  ['output', 100, 5, "const f = () => {\n  const s = 'x'.repeat(200)\n  return s\n}\nreturn f()"],
]

test.each(passing)(
  'a program that passes %s (%i) is told the line: %i',
  async (bound, most, line, source) => {
    const bounds = { ...defaultBounds, [bound]: most }
    const program = { source, seed: 's', tools: ['echo'], refused: {}, bounds }
    const machine = await createMachine(await withScript(program))
    let turn = machine.start()
    while ('calls' in turn)
      turn = machine.advance({ calls: turn.calls, outcomes: turn.calls.map(() => ({ ok: true, value: 1 })) })
    expect(turn.end.error).toMatchObject({ bound, line })
  },
)

test('parts of a program that begin or end at one place keep their order', async () => {
  const code = `let n = 0
for (const f of [1]) n = async () => tools.echo({ text: 'a' })
for (const text of ['b']) tools.echo({ text })
for (;;) if (n) break
return async () => 1, (await n()).text`
  expect((await run(code)).content).toBe('"a"')
})

test('a program gets the whole value of a call, however long its text for models may be', async () => {
  const long = tool({
    name: 'long',
    description: 'Returns a long text.',
    parameters: z.object({}),
    maxResultBytes: 256,
    toModel: () => 'something else',
    execute: () => ({ text: 'x'.repeat(100_000) }),
  })
  const code = 'return (await tools.long()).text.length'
  const model = scriptedModel([reply.call('run_program', { code }), reply.text('ok')])
  const { toolCalls } = await new Agent({ model, tools: [long], middleware: [codeMode()] }).run('Go')
  expect(toolCalls[0]?.content).toBe('100000')
})

test('console output is bounded, and says what is left out', async () => {
  const { content = '' } = await run('for (let i = 0; i < 1000; i++) console.log("x".repeat(100))', {
    output: 1000,
  })
  expect(content.length).toBeLessThan(1300)
  expect(content).toMatch(/990 more lines: console output is bounded at 1000 characters\.$/)
})

test('the same seed gives the same random numbers, and another run others', async () => {
  const values: (string | undefined)[] = []
  for (const runId of ['a', 'a', 'b']) {
    const model = scriptedModel([
      reply.call('run_program', { code: 'return Math.random()' }),
      reply.text('ok'),
    ])
    const { toolCalls } = await new Agent({ model, tools: [echo], middleware: [codeMode()] }).run('Go', {
      runId,
    })
    values.push(toolCalls[0]?.content)
  }
  expect(values[0]).toBe(values[1])
  expect(values[0]).not.toBe(values[2])
})

test('two programs of a run have other random numbers', async () => {
  const call = reply.call('run_program', { code: 'return Math.random()' })
  const model = scriptedModel([reply.calls(call, call), reply.text('ok')])
  const { toolCalls } = await new Agent({ model, tools: [echo], middleware: [codeMode()] }).run('Go')
  expect(toolCalls[0]?.content).not.toBe(toolCalls[1]?.content)
})

test('programCalls has the calls of a program that was stopped, and the model reads why', async () => {
  const { content, calls } = await run('for (;;) try { await tools.echo({}) } catch { console.log("again") }')
  expect(content).toBe(
    'Error: The program was stopped before its end: too many of its calls in a row were rejected.\n\nCalls that had run: echo (3 rejected).',
  )
  expect(calls.map(({ name, status }) => [name, status])).toEqual(Array(3).fill(['echo', 'rejected']))
})

const fenced = 'const a = "```"\nreturn (await tools.echo({ text: a })).text'
test.each([
  `\`\`\`js\n${fenced}\n\`\`\``,
  `\n\`\`\`\n${fenced}\n\`\`\`\n`,
  `~~~javascript\r\n${fenced}\r\n~~~`,
  `\`\`\`\`ts title="a.ts"\n${fenced}\n\`\`\`\``,
  `Here is the program (it's short):\n\n\`\`\`js\n${fenced}\n\`\`\`\nIt returns the text.`,
  `\`\`\`js\n${fenced}`,
  `${fenced}\n\`\`\``,
  `/*\n\`\`\`js\nexample()\n\`\`\`\n*/\n${fenced}`,
  // Fences that are texts of the program.
  `const t = \`\n~~~\nreturn 1\n~~~\n\`\n${fenced}`,
  `\`\`\`js\nconst t = \`\n~~~\nreturn 1\n~~~\n\`\n${fenced}\n\`\`\``,
  `~~~js\n${fenced}\n\`\`\``,
])('a fence of Markdown around a program is left out: %j', async (code) => {
  expect(await run(code)).toMatchObject({ status: 'ok', content: '"```"' })
})

test('of several fences none is taken for the program', async () => {
  const { content } = await run('```js\nreturn 1\n```\nor\n```js\nreturn 2\n```')
  expect(content).toBe(
    'Error: the code contains several Markdown fences. Send one program, without fences. The program did not start.',
  )
})

test('a program of more than 100,000 characters does not start', async () => {
  const { status, content } = await run(`return "${'a'.repeat(100_000)}"`)
  expect([status, content]).toEqual([
    'rejected',
    'Error: the code has 100009 characters, of at most 100000. Pass long texts to tools by artifact id. The program did not start.',
  ])
})

test.each([
  ['a mark', (length: number) => `${'~'.repeat(length)}\`\nreturn 1`],
  ['names', (length: number) => `return "$c${'$'.repeat(length)}".length`],
  ['braces', (length: number) => `${'{'.repeat(length)}`],
  ['names of tools', (length: number) => 'tools '.repeat(length / 6)],
])('%s: what runs before the engine takes linear time', async (_name, code) => {
  await expectLinear((length) => () => run(code(length)), 20_000)
})
