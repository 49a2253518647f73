import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, type Platform, type Plugin } from 'esbuild'
import { expect, test } from 'vitest'
import { mostOf } from '../../../scripts/limits.mjs'
import { zod3Names } from '../zod3-names.js'

const program = `
import * as z from 'zod'
import { Agent, chatModel, tool } from '../src/index.js'

const add = tool({
  name: 'add',
  description: 'Adds',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
})
const agent = new Agent({ model: chatModel('x'), tools: [add] })
console.log((await agent.run('hi')).text)
`

const importing = (name: string) => `import { ${name} } from '../src/index.js'\nconsole.log(${name})`

/** The programs of limits.json, with what stays outside. */
const small = [
  ['chatModel alone', importing('chatModel'), ['zod', 'zod/*']],
  ['a small program with zod', program, []],
  ['a small program with zod/mini', program.replace("'zod'", "'zod/mini'"), []],
  ['a small program without zod', program, ['zod', 'zod/*']],
] as const

test.each(small)('the bundle of %s stays within its limit', async (name, contents, external) => {
  const { bytes, parts } = await bundle(contents, { external })
  expect(
    bytes,
    `the program has ${bytes} bytes; the largest parts, minified: ${largest(parts)}`,
  ).toBeLessThanOrEqual(mostOf(`bytes of ${name}`))
})

test('pages state the sizes of programs and of an installation', async () => {
  const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
  const figureIn = (path: string, pattern: RegExp) =>
    Number(pattern.exec(read(path))?.[1]?.replaceAll('_', ''))
  const page = 'docs/reference/performance.md'
  // The program of the bench, and all of zod.
  const ours = '../../bench/src/peers/ours.js'
  const contents = `import * as z from 'zod'\nimport { peer } from '${ours}'\nexport default [peer, z.object({ city: z.string() })]`
  const bench = await bundle(contents, { platform: 'node' })
  const alone = await bundle(importing('chatModel'))
  // The bench bundles the built package, which has as much as its sources.
  const isNear = (bytes: number) => (kB: number) => Math.abs(kB - bytes / 1000) < 2
  expect(figureIn('README.md', /(\d+) kB for a program/)).toSatisfy(isNear(bench.bytes))
  expect(figureIn(page, /The program is (\d+) kB/)).toSatisfy(isNear(bench.bytes))
  expect(figureIn(page, /uses only `chatModel` is (\d+) kB/)).toSatisfy(isNear(alone.bytes))
  const mostBytes = mostOf('bytes installed with core')
  expect(figureIn(page, /Core and zod take at most ([\d.]+) MB/)).toBe(mostBytes / 1e6)
})

/** A feature that is imported, a name or a text of its code, and the bytes that it may add. */
const imported = [
  ['zod 3', `import { zod3 } from '../src/zod3.js'\nconsole.log(zod3)`, 'zod-to-json-schema', 6_700],
  // With eventemitter3, which no other part of core imports.
  ['rateLimit', importing('rateLimit'), 'p-queue', 4_400],
  ['safeRepair', importing('safeRepair'), 'one value was put into an array', 1_000],
  ['retryTools', importing('retryTools'), 'UND_ERR', 500],
  ['cacheTools', importing('cacheTools'), 'cache-hit', 720],
  ['guard', importing('guard'), 'A guard must return verdict.allow', 2_600],
  ['logRuns', importing('logRuns'), 'no final answer: ', 3_320],
  ['ledger', importing('ledger'), 'has no room for this', 3_300],
  ['memorySessions', importing('memorySessions'), 'The state does not start with', 2_900],
  ['modelPerStep', importing('modelPerStep'), 'model-per-step', 150],
] as const

test.each(imported)(
  'only programs that import %s contain it, and they contain no other',
  async (name, line, _code, bytes) => {
    const [without, ...each] = await bundlesOfPrograms()
    const including = each[imported.findIndex((one) => one[1] === line)]
    if (!without || !including) return expect.unreachable('each program is built')
    const featuresOf = ({ text, parts }: Bundle) =>
      imported.flatMap(([feature, , code]) => (`${Object.keys(parts)} ${text}`.includes(code) ? feature : []))
    expect([without, including].map(featuresOf)).toEqual([[], [name]])
    expect(including.bytes - without.bytes).toBeLessThan(bytes)
  },
)

test('a zod 3 schema without its converter is an error that names the import', async () => {
  const why = `cannot be converted to JSON Schema: it is a zod 3 schema. Use zod3(schema) from @capstan/core/zod3.`
  const message = (tool: string) => `Parameters of tool "${tool}" ${why}`
  const { text } = await bundle(withZod3, { platform: 'node' })
  const { made, output } = await import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`)
  const error = { name: 'CapstanError', code: 'invalid_tool' }
  expect(made).toThrow(expect.objectContaining({ ...error, message: message('add') }))
  expect(output).toThrow(expect.objectContaining({ ...error, message: message('final_answer') }))
})

const withZod3 = `
import * as z3 from 'zod/v3'
import { Agent, tool } from '../src/index.js'

const parameters = z3.object({ a: z3.number() })
export const made = () => tool({ name: 'add', description: 'Adds', parameters, execute: () => 1 })
export const output = () => new Agent({ model: 'x', output: parameters })
`

interface BundleOptions {
  readonly platform?: Platform
  readonly external?: readonly string[]
}

async function bundle(contents: string, options: BundleOptions = {}): Promise<Bundle> {
  const [only] = await bundles([contents], options)
  return only as Bundle
}

interface Bundle {
  readonly text: string
  readonly bytes: number
  readonly parts: Readonly<Record<string, number>>
}

/** Bundles each program by itself, in one build: it parses each file once. */
async function bundles(
  programs: readonly string[],
  { platform = 'neutral', external = [] }: BundleOptions,
): Promise<Bundle[]> {
  const resolveDir = fileURLToPath(new URL('.', import.meta.url))
  const given: Plugin = {
    name: 'given-programs',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^given:/ }, ({ path }) => ({ path, namespace: 'given' }))
      onLoad({ filter: /./, namespace: 'given' }, ({ path }) => ({
        contents: programs[Number(path.split(':')[1])] ?? '',
        resolveDir,
      }))
    },
  }
  const { outputFiles, metafile } = await build({
    entryPoints: programs.map((_, at) => ({ in: `given:${at}`, out: String(at) })),
    outdir: resolveDir,
    bundle: true,
    minify: true,
    format: 'esm',
    platform,
    mainFields: ['module', 'main'],
    plugins: [given, ...(platform === 'neutral' ? [zod3Names] : [])],
    external: [...external],
    alias: { '@capstan/core': fileURLToPath(new URL('../src/index.ts', import.meta.url)) },
    write: false,
    metafile: true,
  })
  const outputs = Object.entries(metafile.outputs)
  return programs.map((_, at) => {
    const file = outputFiles.find(({ path }) => path.endsWith(`/${at}.js`))
    if (!file) throw new Error('esbuild made no file')
    const [, output] = outputs.find(([path]) => path.endsWith(`/${at}.js`)) ?? []
    const bytes = gzipSync(file.contents, { level: 9 }).length
    return { text: file.text, bytes, parts: partsOf(output?.inputs ?? {}) }
  })
}

/** The small program, then it with a line for each feature. */
let ofPrograms: Promise<Bundle[]> | undefined

function bundlesOfPrograms(): Promise<Bundle[]> {
  ofPrograms ??= bundles([program, ...imported.map(([, line]) => program + line)], {})
  return ofPrograms
}

type Inputs = Readonly<Record<string, { readonly bytesInOutput: number }>>

/** Bytes by package, and by file of our own. */
function partsOf(inputs: Inputs): Readonly<Record<string, number>> {
  const parts: Record<string, number> = {}
  for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
    const part = /.*node_modules\/((?:@[^/]+\/|zod\/)?[^/]+)/.exec(path)?.[1] ?? path
    parts[part] = (parts[part] ?? 0) + bytesInOutput
  }
  return parts
}

function largest(parts: Readonly<Record<string, number>>): string {
  const sorted = Object.entries(parts).sort(([, one], [, other]) => other - one)
  return sorted
    .slice(0, 25)
    .map(([part, bytes]) => `${part} ${bytes}`)
    .join(', ')
}
