import { expect, test } from 'vitest'
import { cases } from '../../../scripts/cases.mjs'
import { createMachine } from '../src/engine/machine.js'
import { defaultBounds, type MadeCall } from '../src/engine/program.js'
import { withScript } from '../src/engine/rewrite.js'
import { keptEdges, loadAnalysis } from '../src/labels/analysis.js'
import { engineNames } from '../src/labels/members.js'
import { expressions, pages, programOf, programs, sinks, ways } from './label-programs.js'
import { oddPrograms } from './odd-programs.js'
import { partPrograms } from './part-programs.js'
import { rarePrograms } from './rare-programs.js'
import { smugglingPrograms } from './smuggling-programs.js'
import { subtlePrograms } from './subtle-programs.js'

/** Runs a program with a result of the untrusted tool, and returns its calls. Undefined when it fails. */
async function callsOf(source: string, page: unknown): Promise<readonly MadeCall[] | undefined> {
  const tools = ['page', 'send', 'note', 'read']
  const program = { source, seed: 's', tools, refused: {}, bounds: defaultBounds }
  const machine = await createMachine(await withScript(program))
  const all: MadeCall[] = []
  let turn = machine.start()
  while ('calls' in turn) {
    all.push(...turn.calls)
    const outcomes = turn.calls.map(({ name, arguments: args }) => {
      // A trusted tool may return what it is given.
      const value = name === 'page' ? page : name === 'read' ? JSON.parse(args) : name
      return { ok: true as const, value: value as never }
    })
    turn = machine.advance({ calls: turn.calls, outcomes })
  }
  return turn.end.error ? undefined : all
}

interface Compared {
  /** Calls of one run that another one does not have, without a label. */
  readonly silent: readonly string[]
  /** Whether the runs differ: else nothing was compared. */
  readonly differs: boolean
  /** Whether the last call, which is the same in all runs, has no label. */
  readonly isPrecise: boolean
}

/** Runs a program with different results of the untrusted tool. What differs must be labelled. */
async function compare(source: string): Promise<Compared> {
  const analysis = (await loadAnalysis())(source)
  const runs: (readonly MadeCall[])[] = []
  for (const page of pages) {
    const calls = await callsOf(source, page)
    if (calls) runs.push(calls)
  }
  const untrusted = new Set(runs.flat().flatMap(({ name, site = -1 }) => (name === 'page' ? site : [])))
  const silent: string[] = []
  let differs = false
  for (const one of runs)
    for (const other of runs) {
      const left = other.map(keyOf)
      for (const call of one) {
        const at = left.indexOf(keyOf(call))
        if (at >= 0) left.splice(at, 1)
        else {
          differs = true
          if (!isLabelled(call, analysis, untrusted)) silent.push(`${source}\n=> ${keyOf(call)}`)
        }
      }
    }
  const last = runs[0]?.at(-1)
  return { silent, differs, isPrecise: last !== undefined && !isLabelled(last, analysis, untrusted) }
}

function keyOf({ name, arguments: args }: MadeCall): string {
  return `${name}(${args})`
}

type Analysis = ReturnType<Awaited<ReturnType<typeof loadAnalysis>>>

/** Whether an argument of a call, or that it is made, is labelled with a place that calls the untrusted tool. */
function isLabelled(
  { site = -1, arguments: args }: MadeCall,
  analysis: Analysis,
  untrusted: ReadonlySet<number>,
): boolean {
  if ('unclear' in analysis || site < 0) return true
  // Sources of trusted tools are not counted.
  const has = (sites: readonly number[]) => sites.some((one) => untrusted.has(one))
  const isAny = (value: unknown, path: readonly string[]): boolean => {
    const inner = typeof value === 'object' && value !== null ? Object.entries(value) : undefined
    const names = inner?.map(([name]) => name)
    if (has(analysis.argument(site, path, names))) return true
    return inner?.some(([name, one]) => isAny(one, [...path, name])) ?? false
  }
  return has(analysis.branch(site)) || isAny(JSON.parse(args), [])
}

test('what an untrusted value decides of a call is labelled, through each built-in', async () => {
  const all = expressions.length
  const count = cases(all * 2, 24)
  const step = count < all ? Math.floor(all / count) : 1
  const found: string[] = []
  let [different, precise] = [0, 0]
  for (let at = 0; at < count * step; at += step) {
    const round = Math.floor(at / all)
    const way = (at + round) % 3 === 0 ? ways[0] : ways[(at * 7 + round) % ways.length]
    const sink = (at + round) % 2 === 0 ? sinks[0] : sinks[(at * 3 + round * 5) % sinks.length]
    const compared = await compare(programOf(expressions[at % all] ?? '', way ?? '', sink ?? ''))
    found.push(...compared.silent)
    different += Number(compared.differs)
    precise += Number(compared.isPrecise)
  }
  expect(found).toEqual([])
  // Else the property would hold for programs that fail, or labels of everything.
  expect(different).toBeGreaterThan(count * 0.5)
  expect(precise).toBeGreaterThan(count * 0.6)
})

test('what an untrusted value decides in a roundabout way is labelled', async () => {
  const all = {
    ...programs,
    ...subtlePrograms,
    ...smugglingPrograms,
    ...partPrograms,
    ...rarePrograms,
    ...oddPrograms,
  }
  const entries = Object.entries(all)
  const every = cases(1, 4)
  const [found, equal]: [string[], string[]] = [[], []]
  for (const [at, [name, source]] of entries.entries()) {
    if (at % every !== 0) continue
    const { silent, differs } = await compare(source)
    found.push(...silent.map((one) => `${name}: ${one}`))
    if (!differs) equal.push(name)
  }
  expect(found).toEqual([])
  // Keys that lead to a prototype change nothing: built-in objects are frozen.
  expect(equal.filter((name) => !name.includes('prototype'))).toEqual([])
})

test('an error labels later calls where it is caught, and not where it ends the program', async () => {
  const analyse = await loadAnalysis()
  const read = 'const p = await tools.page({}); '
  const send = 'await tools.send({ x: 1 })'
  for (const [source, isLabelled] of [
    [`${read}p.o.z.length; ${send}`, false],
    [`${read}if (p.b) throw 1; ${send}`, true],
    [`${read}try { p.o.z.length; ${send} } catch { }`, true],
    [`${read}const f = async () => { p.o.z.length; ${send} }; await f().catch(() => {})`, true],
  ] as const) {
    const analysis = analyse(source)
    expect('unclear' in analysis || analysis.branch(1).includes(0), source).toBe(isLabelled)
  }
})

test('a program that assigns a name of the engine is unclear, for each name', async () => {
  const analyse = await loadAnalysis()
  const source = 'return Object.getOwnPropertyNames(globalThis)'
  const program = { source, seed: 's', tools: [], refused: {}, bounds: defaultBounds }
  const machine = await createMachine(await withScript(program))
  const turn = machine.start()
  const names: readonly string[] = JSON.parse('end' in turn ? (turn.end.value ?? '[]') : '[]')
  expect(names).toContain('Proxy')
  // A program must not find what the host leaves in the engine for itself.
  expect(names).not.toContain('makeApi')
  const clear = [...names, 'arguments'].filter((name) => !('unclear' in analyse(`if (0) ${name} = 0`)))
  expect(clear).toEqual([])
})

test('all methods of the engine are known, and none can be changed', async () => {
  const source = `const names = new Set(), open = []
const proto = Object.getPrototypeOf
const objects = { o: {}, f() {}, l: [], s: '', n: 1, b: true, i: 1n, m: new Map(), t: new Set(), w: new WeakMap() }
const more = { v: new WeakSet(), r: /a/, p: Promise.resolve(), e: new Error(), c: console }
const iterators = { ofList: [].values(), ofMap: new Map().values(), ofSet: new Set().values(), ofMatch: ''.matchAll(/a/g) }
const helpers = { helper: [].values().map(() => 0), wrap: Iterator.from({ next() {} }), ofString: ''[Symbol.iterator]() }
for (const [name, one] of Object.entries({ ...objects, ...more, ...iterators, ...helpers }))
  for (let at = one === console ? one : proto(one); at; at = proto(at)) {
    if (!Object.isFrozen(at)) open.push(name)
    for (const [key, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (typeof value !== 'function') continue
      if (!Object.isFrozen(value)) open.push(name + '.' + key)
      if (at !== console && key !== 'constructor') names.add(key)
    }
  }
return { names: [...names], open }`
  const program = { source, seed: 's', tools: [], refused: {}, bounds: defaultBounds }
  const turn = (await createMachine(await withScript(program))).start()
  const found: { names: string[]; open: string[] } = JSON.parse(
    'end' in turn ? (turn.end.value ?? '{}') : '{}',
  )
  expect(found.open).toEqual([])
  expect(found.names).toContain('getOrInsert')
  expect(found.names.filter((name) => !engineNames().has(name))).toEqual([])
})

test('a long program is analysed too, and its values keep apart', async () => {
  const steps = Array.from(
    { length: 30 },
    (_, at) => `const p${at} = await tools.page({ url: 'u${at}', x: list[${at}] })
if (p${at}.n > ${at}) list.push({ v: p${at}.l.map((x) => x + ${at}), n: ${at} })
map.set('k${at}', p${at}.s.replace(/a/, 'b'))
await tools.send({ key: 'k${at}', v: list[${at}], w: { ...list[0], z: map.get('k${at}') } })`,
  )
  const analysis = (await loadAnalysis())(`const list = []\nconst map = new Map()\n${steps.join('\n')}`)
  if ('unclear' in analysis) return expect.unreachable(analysis.unclear)
  expect(analysis.argument(59, ['key'])).toEqual([])
  expect(analysis.argument(59, ['w', 'z'])).toContain(0)
})

test('a program with too much to analyse is unclear, and none is nested too deep', async () => {
  const analyse = await loadAnalysis()
  const large = 'a program that is too large'
  const functions = Array.from(
    { length: 150 },
    (_, at) => `async function f${at}(x) {
  const r = await tools.page({ x }); if (r.n > ${at}) return f${(at + 1) % 150}(r.l); return f${(at + 2) % 150}(x)
}`,
  )
  // The work of many functions that call each other grows with their number, not with its square.
  expect(analyse(functions.join('\n'))).toHaveProperty('argument')
  // Each target is evaluated twice.
  const targets = `let x = 0; const a = []; ${'a['.repeat(200)}x${']++'.repeat(200)}`
  expect(analyse(targets)).toEqual({ unclear: large })
  expect(analyse(`return ${'x.'.repeat(9_999)}x`)).toHaveProperty('unclear')
  for (const [open, close] of [
    ['(', ')'],
    ['[', ']'],
    ['{', '}'],
    ['!', ''],
    ['`${', '}`'],
    ['1+', ''],
  ]) {
    const source = `return ${open?.repeat(10_000)}1${close?.repeat(10_000)}`
    expect(analyse(source), open).toHaveProperty('unclear')
    const options = { source, seed: 's', tools: [], refused: {}, bounds: defaultBounds }
    const turn = (await createMachine(await withScript(options))).start()
    expect(turn, open).toHaveProperty('end')
  }
})

test('analyses are kept up to a size, the newest always', async () => {
  const analyse = await loadAnalysis()
  const body = (steps: number) =>
    Array.from({ length: steps }, (_, at) => `list.push(await tools.page({ x: list[${at}] }))`).join('\n')
  for (let at = 0; at < 30; at++) analyse(`const list = [${at}]\n${body(60)}`)
  const kept = keptEdges()
  expect(kept).toBeLessThanOrEqual(200_000)
  // Two questions about one program are one analysis.
  const source = `const list = ['last']\n${body(3)}`
  expect(analyse(source)).toBe(analyse(source))
  // Those of many small programs stay.
  expect(kept).toBeGreaterThan(20_000)
})
