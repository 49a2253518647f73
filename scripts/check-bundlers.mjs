// Each package by each bundler, with nothing but what it cannot do without, as ES module, as CommonJS, and an ES module
// as CommonJS: it is bundled without errors and warnings, and what comes out loads. Those for pages are bundled for
// browsers as well.
// Some packages and bundlers only, by their names: node scripts/check-bundlers.mjs @capstan/media webpack
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as vite from 'vite'
import { entriesOf, install, installAlone, manifestIn } from './check-alone.mjs'
import { packPackages } from './pack-packages.mjs'
import { runIn } from './run-in.mjs'

const bundlers = {
  esbuild: buildByEsbuild,
  webpack: buildByWebpack,
  rollup: buildByRollup,
  vite: buildByVite,
}

const named = process.argv.slice(2)

/** The programs, and what is made of them. */
const ways = [
  { program: 'esm', kind: 'esm' },
  { program: 'cjs', kind: 'cjs' },
  { program: 'esm', kind: 'cjs' },
]

const extensions = { esm: 'mjs', cjs: 'cjs' }

/** The ES module of this package awaits the optional API when it loads, which CommonJS cannot. */
const awaits = '@capstan/telemetry'

/** Entries that pages use. */
const forPages = ['@capstan/core', '@capstan/media', '@capstan/telemetry', '@capstan/testing/compare']

const work = mkdtempSync(join(tmpdir(), 'capstan-bundlers-'))
try {
  await checkBundlers(await packPackages(work))
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 5 })
}

/** Those of the names that the command line has; all of them if it has none. */
function asked(names) {
  const some = names.filter((name) => named.includes(name))
  return some.length ? some : names
}

/** Packed packages by name. @throws Error after all of them, with what failed */
async function checkBundlers(tarballs) {
  const tools = join(work, 'bundlers')
  mkdirSync(tools)
  writeFileSync(join(tools, 'package.json'), '{ "private": true }')
  const plugins = ['node-resolve@16', 'commonjs@29', 'json@6'].map((name) => `@rollup/plugin-${name}`)
  await install(tools, ['esbuild@0.28', 'webpack@5', 'rollup@4', ...plugins])
  const load = createRequire(join(tools, 'package.json'))
  const failed = []
  const unknown = named.filter((name) => !tarballs.has(name) && !(name in bundlers))
  if (unknown.length) throw new Error(`No package or bundler: ${unknown.join(', ')}`)
  const by = asked(Object.keys(bundlers))
  for (const name of asked([...tarballs.keys()])) {
    const folder = await installAlone(name, tarballs, work, 'bundled')
    const entries = entriesOf(manifestIn(folder, name))
    const pages = entries.filter((entry) => forPages.includes(entry))
    if (entries.length === 0) continue
    const before = failed.length
    for (const way of ways) {
      if (name === awaits && way.program !== way.kind) continue
      for (const bundler of by) {
        const check = (some, platform) =>
          checkBundle(some, { ...way, bundler, platform, folder, load }).catch(({ message }) =>
            failed.push(message),
          )
        await check(entries, 'node')
        if (pages.length) await check(pages, 'browser')
      }
    }
    if (failed.length === before) console.log(`${name} is bundled by ${by.join(', ')}`)
  }
  if (failed.length) throw new Error(failed.join('\n\n'))
}

/** A program that loads all entries, bundled in one way; that for Node is run. */
async function checkBundle(entries, { program, kind, bundler, platform, folder, load }) {
  const loading = (name, at) =>
    program === 'esm' ? `import * as m${at} from '${name}'` : `const m${at} = require('${name}')`
  const lines = [
    ...entries.map(loading),
    `globalThis.loaded = [${entries.map((_, at) => `m${at}`)}].map((one) => Object.keys(one).length)`,
    platform === 'node' ? 'console.log(globalThis.loaded.length)' : '',
  ]
  const input = join(folder, `${platform}.${extensions[program]}`)
  writeFileSync(input, lines.join('\n'))
  const out = {
    folder: join(folder, `${bundler}-${program}-${kind}-${platform}`),
    name: `out.${extensions[kind]}`,
  }
  const way = `${entries[0]}, ${program} as ${kind} for ${platform} by ${bundler}`
  const told = await bundlers[bundler](input, out, { kind, platform, load }).catch((error) => [error.message])
  const warnings = told.filter((text) => !isTheirs(text))
  if (warnings.length) throw new Error(`${way}:\n${warnings.slice(0, 5).join('\n').slice(0, 2_000)}`)
  if (platform === 'browser') return
  const said = await runIn(out.folder, process.execPath, [out.name]).catch(({ message }) => message)
  if (said !== `${entries.length}\n`) throw new Error(`${way} said: ${said}`)
}

/** Cycles and comments within packages of others; and where a peer may be absent, Rollup says that it is. */
function isTheirs(text) {
  return /^(CIRCULAR_DEPENDENCY|INVALID_ANNOTATION|THIS_IS_UNDEFINED|EVAL) .*node_modules|^UNRESOLVED_IMPORT "(sharp|mediabunny|@opentelemetry\/api|@capstan\/s|@dbos-inc|pg|@restatedev|sherpa-onnx)/s.test(
    text,
  )
}

async function buildByEsbuild(input, { folder, name }, { kind, platform, load }) {
  const { warnings } = await load('esbuild').build({
    entryPoints: [input],
    outfile: join(folder, name),
    bundle: true,
    format: kind,
    platform,
    target: 'es2022',
    logLevel: 'silent',
  })
  return warnings.map(({ text }) => text)
}

async function buildByWebpack(input, { folder, name }, { kind, platform, load }) {
  const options = {
    mode: 'production',
    target: platform === 'node' ? 'node20' : 'web',
    context: join(input, '..'),
    entry: input,
    output: { path: folder, filename: name, module: kind === 'esm' },
    experiments: { outputModule: kind === 'esm' },
    optimization: { minimize: false },
    performance: { hints: false },
  }
  const stats = await new Promise((resolve, reject) =>
    load('webpack')(options, (error, made) =>
      error ? reject(error) : resolve(made.toJson({ all: false, errors: true, warnings: true })),
    ),
  )
  return [...stats.errors, ...stats.warnings].map(
    ({ moduleName = '', message }) => `${moduleName} ${message}`,
  )
}

async function buildByRollup(input, { folder, name }, { kind, platform, load }) {
  const told = []
  const plugin = (name, options) => {
    const loaded = load(`@rollup/plugin-${name}`)
    return (loaded.default ?? loaded)(options)
  }
  const isNode = platform === 'node'
  const bundle = await load('rollup').rollup({
    input,
    onwarn: ({ code, message }) => told.push(`${code} ${message}`),
    plugins: [
      plugin('node-resolve', {
        preferBuiltins: isNode,
        browser: !isNode,
        ...(isNode && { exportConditions: ['node'] }),
      }),
      plugin('commonjs', { ignoreDynamicRequires: true }),
      plugin('json', {}),
    ],
  })
  await bundle.write({ ...outputOf(kind, name), dir: folder })
  return told
}

async function buildByVite(input, { folder, name }, { kind, platform }) {
  const told = []
  await vite.build({
    root: join(input, '..'),
    configFile: false,
    logLevel: 'silent',
    build: {
      ssr: platform === 'node',
      outDir: folder,
      minify: false,
      rollupOptions: {
        input,
        onwarn: ({ code, message }) => told.push(`${code} ${message}`),
        output: outputOf(kind, name),
      },
    },
    ssr: { noExternal: true },
  })
  return told
}

function outputOf(kind, name) {
  const extension = name.split('.').at(-1)
  return {
    format: kind,
    exports: 'named',
    entryFileNames: name,
    chunkFileNames: `[name]-[hash].${extension}`,
  }
}
