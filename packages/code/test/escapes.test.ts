import { describe, expect, test } from 'vitest'
import { some } from '../../../scripts/cases.mjs'
import { nextTurn } from '../src/engine/engine.js'
import { type BoundName, defaultBounds, type ProgramBounds, type Turn } from '../src/engine/program.js'

// No test measures time: what computes ends by its fuel, and only what the engine cannot interrupt by the time.
const bounds: ProgramBounds = { ...defaultBounds, fuel: 500, memoryMb: 32, timeMs: 60_000 }

function run(source: string, other: Partial<ProgramBounds> = {}): Promise<Turn> {
  const program = {
    source,
    seed: 'seed',
    tools: ['add', 'send'],
    refused: {},
    bounds: { ...bounds, ...other },
  }
  return nextTurn(crypto.randomUUID(), program, [])
}

async function endOf(source: string) {
  const turn = await run(source)
  return 'end' in turn ? turn.end : expect.unreachable(`it waits for ${JSON.stringify(turn.calls)}`)
}

/** Each returns what it found of a host. An engine without one returns nothing, `undefined` or a name of its own. */
const walks: readonly (readonly [string, string])[] = [
  ['globals of Node', 'return [typeof process, typeof require, typeof module, typeof Buffer, typeof global]'],
  [
    'globals of browsers',
    'return [typeof window, typeof document, typeof self, typeof navigator, typeof location]',
  ],
  [
    'network',
    'return [typeof fetch, typeof XMLHttpRequest, typeof WebSocket, typeof EventSource, typeof Request]',
  ],
  [
    'timers',
    'return [typeof setTimeout, typeof setInterval, typeof setImmediate, typeof queueMicrotask, typeof requestAnimationFrame]',
  ],
  ['engine modules', 'return [typeof std, typeof os, typeof scriptArgs, typeof print, typeof bjson]'],
  [
    'workers',
    'return [typeof Worker, typeof SharedWorker, typeof MessageChannel, typeof postMessage, typeof importScripts]',
  ],
  ['WebAssembly', 'return [typeof WebAssembly]'],
  ['clocks', 'return [typeof performance, typeof Temporal]'],
  ['shared memory', 'return [typeof SharedArrayBuffer, typeof Atomics]'],
  ['collection of garbage', 'return [typeof WeakRef, typeof FinalizationRegistry, typeof gc]'],
  ['the function constructor', 'return [Function("return typeof process")()]'],
  ['the constructor of an arrow', 'return [(() => {}).constructor?.("return typeof require")?.()]'],
  [
    'the constructor of an async function',
    'return [await (async () => {}).constructor?.("return typeof process")?.()]',
  ],
  [
    'the constructor of a generator',
    'return [(function*(){}).constructor?.("yield typeof process")?.().next().value]',
  ],
  [
    'the constructor of an async generator',
    'return [(await (async function*(){}).constructor?.("yield typeof process")?.().next())?.value]',
  ],
  [
    'a key that is computed',
    'return ["constructor", "__defineGetter__", "__defineSetter__"].map((key) => typeof {}[key])',
  ],
  ['the constructor of a tool', 'return [tools.add.constructor?.("return typeof process")?.()]'],
  ['the constructor of the console', 'return [console.log.constructor?.("return typeof process")?.()]'],
  [
    'the constructor of a promise of a call',
    'return [tools.constructor === undefined || typeof tools.constructor]'.replace(
      'tools.constructor === undefined || ',
      '',
    ),
  ],
  ['indirect eval', 'return [(0, eval)("typeof process")]'],
  ['this of a sloppy function', 'return [typeof (function () { return this })().process]'],
  ['the global object by its prototype', 'return [typeof Object.getPrototypeOf(globalThis).process]'],
  [
    'the caller',
    'return [typeof (function f() { return f.caller })()]'.replace(
      'f.caller',
      '(() => { try { return f.caller } catch { return undefined } })()',
    ),
  ],
  ['the arguments of a caller', 'return [typeof (function f() { try { return f.arguments } catch {} })()]'],
  ['__proto__ of tools', 'return [typeof tools.__proto__?.process]'],
  ['__lookupGetter__', 'return [typeof ({}).__lookupGetter__.call(globalThis, "process")]'],
  ['a stack with paths', 'return [new Error("x").stack.includes("/") ? "path" : "undefined"]'],
  [
    'prepareStackTrace',
    'Error.prepareStackTrace = (_, sites) => sites; return [Array.isArray(new Error("x").stack) ? "sites" : "undefined"]',
  ],
  [
    'captureStackTrace',
    'const o = {}; Error.captureStackTrace?.(o); return [typeof o.stack === "object" ? "sites" : "undefined"]',
  ],
  [
    'symbols of the host',
    'return [Object.getOwnPropertySymbols(globalThis).map(String).some((one) => /node|deno|bun/i.test(one)) ? "host" : "undefined"]',
  ],
  ['a proxy around the global', 'return [typeof new Proxy(globalThis, {}).process]'],
  ['Reflect on tools', 'return [typeof Reflect.get(tools, "__proto__").process]'],
  ['import.meta', 'try { return [typeof (0, eval)("import.meta")] } catch (error) { return ["undefined"] }'],
  ['a label for a debugger', 'debugger; return ["undefined"]'],
]

const isNothing = (found: unknown) => ['undefined', undefined, null].includes(found as undefined)

test.each(walks)('%s lead to nothing of the host', async (_name, source) => {
  const { value, error } = await endOf(source)
  expect(error).toBeUndefined()
  const found = JSON.parse(value ?? '[]') as unknown[]
  const allowed = /constructor of a promise/.test(_name) ? ['function', 'undefined'] : []
  expect(found.filter((one) => !isNothing(one) && !allowed.includes(one as string))).toEqual([])
})

/** Programs that would not end, or would not fit, with the bound that ends them. */
const bombs: readonly (readonly [string, string, readonly BoundName[]])[] = [
  ['an endless loop', 'for (;;);', ['fuel']],
  ['an endless loop in a catch', 'for (;;) { try { for (;;); } catch {} }', ['fuel']],
  ['an endless loop in finally', 'try { for (;;); } finally { for (;;); }', ['fuel']],
  ['an endless loop behind an await', 'await null; for (;;);', ['fuel']],
  [
    'an endless loop in a caught async function',
    'try { await (async () => { for (;;); })() } catch {} return 1',
    ['fuel'],
  ],
  ['an endless loop in a getter', 'return { get a() { for (;;); } }', ['fuel']],
  ['an endless loop in toJSON', 'return { toJSON() { for (;;); } }', ['fuel']],
  [
    'an endless loop in toString',
    'console.log({ toJSON: undefined, toString() { for (;;); }, get x() { throw 1 } })',
    ['fuel'],
  ],
  ['an endless loop in then', 'await { then() { for (;;); } }', ['fuel']],
  ['an endless loop in a proxy', 'return new Proxy({}, { ownKeys() { for (;;); } })', ['fuel']],
  ['an endless loop in a comparison', '[1, 2].sort(() => { for (;;); })', ['fuel']],
  ['an endless loop in valueOf', '+{ valueOf() { for (;;); } }', ['fuel']],
  [
    'an endless loop in an iterator',
    'for (const x of { [Symbol.iterator]: () => ({ next: () => ({}) }) });',
    ['fuel'],
  ],
  ['an endless spread', '[...{ [Symbol.iterator]: () => ({ next: () => ({}) }) }]', ['fuel', 'memoryMb']],
  [
    'an endless generator',
    '(function* () { for (;;) yield 1 })().next(); for (const x of (function* () { for (;;) yield 1 })());',
    ['fuel'],
  ],
  [
    'an endless async generator',
    'for await (const x of (async function* () { for (;;) yield 1 })());',
    ['fuel'],
  ],
  [
    'an endless chain of promises',
    'const f = () => Promise.resolve().then(f); await f()',
    ['fuel', 'memoryMb', 'stackKb'],
  ],
  ['an endless await', 'for (;;) await null', ['fuel']],
  [
    'a flood of promises',
    'const a = []; for (;;) a.push(Promise.resolve().then(() => a))',
    ['fuel', 'memoryMb'],
  ],
  [
    'a microtask that repeats itself',
    'const f = async () => { await null; return f() }; await f()',
    ['fuel', 'memoryMb', 'stackKb'],
  ],
  ['recursion', 'const f = () => f() + 1; f()', ['stackKb']],
  ['mutual recursion', 'const f = () => g() + 1, g = () => f() + 1; f()', ['stackKb']],
  ['recursion in a getter', 'const o = { get a() { return o.a } }; o.a', ['stackKb']],
  ['recursion in a proxy', 'const p = new Proxy({}, { get: (t, k, r) => r[k] }); p.a', ['stackKb']],
  ['recursion in toString', 'const o = { toString() { return "" + o } }; "" + o', ['stackKb']],
  [
    'a nested array to a text',
    'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; String(a)',
    ['stackKb', 'fuel'],
  ],
  [
    'a nested array to JSON',
    'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; JSON.stringify(a)',
    ['stackKb', 'fuel'],
  ],
  ['nested JSON', 'JSON.parse("[".repeat(1e6))', ['stackKb']],
  ['nested source', 'eval("[".repeat(1e5))', ['stackKb']],
  ['a nested pattern', 'new RegExp("(?:".repeat(1e5) + ")".repeat(1e5))', ['stackKb']],
  [
    'a flat of a nested array',
    'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; a.flat(Infinity)',
    ['stackKb', 'fuel'],
  ],
  [
    'a nested chain of bound functions',
    'let f = () => 1; for (let i = 0; i < 1e5; i++) f = f.bind(null); f()',
    ['stackKb', 'memoryMb'],
  ],
  [
    'a chain of prototypes',
    'let o = {}; for (let i = 0; i < 2e6; i++) o = Object.create(o); o.x',
    ['fuel', 'memoryMb'],
  ],
  ['a pattern that backtracks', '/^(a+)+$/.test("a".repeat(40) + "b")', ['fuel']],
  ['a pattern with references that backtracks', '/^(a|aa)+\\1$/.test("a".repeat(60) + "b")', ['fuel']],
  ['a pattern in replace', '"a".repeat(40).replace(/(a*)*b/g, "")', ['fuel']],
  ['a pattern in split', '("a".repeat(40) + "!").split(/^(a+)+$/)', ['fuel']],
  ['a pattern of a lookahead', '/(?=(a+)+$)b/.test("a".repeat(40) + "c")', ['fuel']],
  ['a list that grows', 'const a = []; for (;;) a.push(new Array(1000).fill(1))', ['memoryMb', 'fuel']],
  ['objects that grow', 'const o = {}; for (let i = 0; ; i++) o["k" + i] = { i }', ['memoryMb', 'fuel']],
  ['a map that grows', 'const m = new Map(); for (let i = 0; ; i++) m.set(i, {})', ['memoryMb', 'fuel']],
  ['buffers that grow', 'const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))', ['memoryMb']],

  ['closures that grow', 'let f = () => 1; for (;;) { const g = f; f = () => g }', ['memoryMb', 'fuel']],
  ['texts that grow', 'const a = []; for (let i = 0; ; i++) a.push("x".repeat(1e5) + i)', ['memoryMb']],
  ['a list of holes, searched', 'const a = []; a.length = 2 ** 32 - 1; a.indexOf(1)', ['timeMs']],
  ['an endless list-like, searched', '[].indexOf.call({ length: 2 ** 53 - 1 }, 1)', ['timeMs']],
  ['a sort of holes', 'const a = []; a.length = 2 ** 32 - 1; a.sort()', ['timeMs', 'memoryMb']],
  ['a join of holes', 'const a = []; a.length = 2 ** 31; a.join("")', ['timeMs', 'memoryMb']],
  [
    'a flat of doubled lists',
    'let a = []; for (let i = 0; i < 60; i++) a = [a, a]; a.flat(Infinity)',
    ['timeMs'],
  ],
  [
    'a text searched for its own end',
    'const s = "a".repeat(2e6); s.indexOf("a".repeat(1e6) + "b")',
    ['timeMs'],
  ],
  ['a list-like reversed', '[].reverse.call({ length: 2 ** 53 - 1 })', ['timeMs']],
  ['a flood of calls', 'for (;;) tools.add({})', ['calls']],
  [
    'a flood of calls that is caught',
    'for (;;) try { await Promise.race([tools.add({}).catch(() => {})]) } catch {}',
    ['calls'],
  ],
  ['large arguments', 'tools.add({ a: "x".repeat(2e6) })', ['output']],
  ['a large value', 'return "x".repeat(1e6)', ['output']],
  ['a text joined by itself', 'let s = "ab"; for (;;) s = [s, s].join(s)', ['memoryMb']],
  ['a text that doubles by replaceAll', 'let s = "a"; for (;;) s = s.replaceAll("a", "aa")', ['memoryMb']],
  ['a padded text', '"a".padEnd(2 ** 30 - 1, "b")', ['memoryMb']],
  ['a normalized text', '"\\u1E9B".repeat(3e6).normalize("NFKD")', ['memoryMb']],
  ['a large number as a text', '(3n ** 400000n).toString()', ['timeMs']],
  [
    'a returned object of shared parts',
    'let o = { a: 1 }; for (let i = 0; i < 40; i++) o = { a: o, b: o }; return o',
    ['memoryMb', 'output'],
  ],
  [
    'arguments of shared parts',
    'let o = { a: 1 }; for (let i = 0; i < 40; i++) o = { a: o, b: o }; tools.add(o)',
    ['memoryMb', 'output'],
  ],
  ['a toJSON that nests itself', 'const f = () => ({ toJSON: () => [f(), f()] }); return f()', ['stackKb']],
  ['a generator that yields itself', 'function* g() { yield* g() } g().next()', ['stackKb']],
  [
    'nested helpers of iterators',
    'let it = [1].values(); for (let i = 0; i < 1e5; i++) it = it.map((x) => x); it.next()',
    ['stackKb', 'memoryMb'],
  ],
  [
    'an endless iterator of a map',
    'new Map({ [Symbol.iterator]: () => ({ i: 0, next() { return { value: [this.i++, {}], done: false } } }) })',
    ['memoryMb', 'fuel'],
  ],
  ['a list of a large length', 'Array.from({ length: 2 ** 32 - 1 })', ['memoryMb', 'timeMs']],
  ['a list-like that is copied within', '[].copyWithin.call({ length: 2 ** 53 - 1 }, 1, 0)', ['timeMs']],
  ['a list-like that is shifted', '[].unshift.call({ length: 2 ** 52 }, 1)', ['timeMs']],
  ['a buffer filled without end', 'const a = new Uint8Array(2e7); for (;;) a.fill(1)', ['timeMs']],
  ['nested functions in a source', 'eval("()=>".repeat(1e5) + "1")', ['stackKb']],
  [
    'a chain of classes',
    'let C = class {}; for (let i = 0; i < 1e5; i++) C = class extends C {}',
    ['memoryMb'],
  ],
  ['a chain of proxies', 'let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.a', ['stackKb']],
  ['a promise that resolves itself', 'const t = { then(f) { f(t) } }; await t', ['fuel']],
  [
    'jobs that double',
    'const f = () => { for (const _ of [1, 2]) Promise.resolve().then(f) }; f()',
    ['fuel', 'memoryMb'],
  ],
  ['a job behind the end', 'Promise.resolve().then(() => { for (;;); }); return 1', ['fuel']],
  [
    'a proxy that is a long list',
    'return new Proxy([], { get: (t, k) => (k === "length" ? 2 ** 40 : undefined) })',
    ['fuel', 'memoryMb'],
  ],
  ['a tool by a key that never ends', 'tools[{ toString() { for (;;); } }]', ['fuel']],
  ['arguments that never end', 'tools.add({ get a() { for (;;); } })', ['fuel']],
  ['a value of many parts', 'return Array.from({ length: 1e5 }, (_, i) => i)', ['output']],
]

// With CAPSTAN_LONG=1 all of them.
test.each(some(bombs, 4))('%s ends at its bound', async (_name, source, expected) => {
  const turn = await run(source, expected.includes('timeMs') ? { fuel: 1e6, timeMs: 300 } : {})
  if ('calls' in turn) return expect(turn.calls.length).toBeLessThanOrEqual(bounds.calls)
  expect(turn.end.error?.message).toEqual(expect.any(String))
  expect(expected, turn.end.error?.message).toContain(turn.end.error?.bound)
})

describe('a program that changes built-in objects', () => {
  /** Each makes one call, whatever it has changed before. */
  const tampering: readonly (readonly [string, string])[] = [
    ['JSON.stringify', 'JSON.stringify = () => "[]"'],
    ['JSON.parse', 'JSON.parse = () => { throw 1 }'],
    ['toJSON of all objects', 'Object.prototype.toJSON = () => 1'],
    ['Array.prototype.push', 'Array.prototype.push = () => { throw 1 }'],
    [
      'a setter of the first item',
      'Object.defineProperty(Array.prototype, "0", { set() { throw 1 }, configurable: true })',
    ],
    ['Promise', 'globalThis.Promise = class {}'],
    ['Promise.prototype.then', 'Promise.prototype.then = () => { throw 1 }'],
    ['Promise.resolve', 'Promise.resolve = () => { throw 1 }'],
    ['Symbol.species', 'Object.defineProperty(Promise, Symbol.species, { get() { throw 1 } })'],
    ['Error', 'globalThis.Error = 1'],
    ['String', 'globalThis.String = 1; String.prototype'],
    ['WeakSet.prototype.has', 'WeakSet.prototype.has = () => true'],
    ['Reflect.apply', 'Reflect.apply = () => { throw 1 }'],
    ['Object.defineProperty', 'Object.defineProperty = () => { throw 1 }'],
    ['the prototype of functions', 'Function.prototype.call = Function.prototype.apply = () => { throw 1 }'],
    ['tools', 'try { tools.add = () => 1 } catch {}'],
    ['a tool', 'try { Object.defineProperty(tools, "add", { value: () => 1 }) } catch {}'],
    ['globalThis.tools', 'globalThis.tools = tools; delete globalThis.console'],
  ]

  test.each(tampering)('%s still makes its own calls only', async (name, change) => {
    const turn = await run(`${change}\ntools.add({ a: 1 })`)
    if ('end' in turn) {
      // It may break its own program.
      expect(turn.end.error?.message).toEqual(expect.any(String))
      return
    }
    const site = expect.any(Number)
    expect(turn.calls, name).toEqual([
      { name: 'add', arguments: expect.stringMatching(/^(\{"a":1\}|1)$/), site },
    ])
  })
})

test('arguments, values and lines are plain JSON for the host', async () => {
  const turn = await run('tools.add(JSON.parse(\'{"__proto__": {"x": 1}, "a": "\\\\ud800"}\'))')
  const [call] = 'calls' in turn ? turn.calls : []
  expect(call?.arguments).toBe('{"__proto__":{"x":1},"a":"\ufffd"}')
  const { value, console } = await endOf(
    'console.log(globalThis, Symbol("s"), 10n); return { a: 10n.toString() }',
  )
  expect([value, console.length]).toEqual(['{"a":"10"}', 1])
})
