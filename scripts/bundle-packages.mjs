// Builds once a test run, from source: one script with all packages and the libraries that nearly every program loads,
// its compiled code (load-compiled.mjs), and each program that tests start, as JavaScript. Programs then start in a
// fifth of the CPU time that source takes (start-bundled.cjs).
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { exampleGroups } from './examples.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const loader = new URL('./load-compiled.mjs', import.meta.url).href
// Vite brings esbuild along.
const vite = createRequire(join(root, 'package.json')).resolve('vite/package.json')
const { build } = createRequire(vite)('esbuild')

/**
 * Builds everything. Returns the path of a file with the URL of what is built of each source file, by kind. Those of
 * `plain` are programs that need nothing but what is built, so that Node runs them by itself.
 */
export async function bundlePackages() {
  const modules = Object.fromEntries(await bundleModules())
  const urls = programUrls()
  const found = await Promise.all(Object.keys(folders).map((name) => translatePrograms(name, urls, modules)))
  const programs = Object.fromEntries(urls)
  const plain = plainOf(urls, new Map(found.flat()))
  const path = join(root, 'node_modules/.capstan/bundles.json')
  writeFileSync(path, JSON.stringify({ modules, programs, plain }))
  return path
}

const settings = {
  absWorkingDir: root,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
}

const bundled = { ...settings, bundle: true, splitting: true, metafile: true, conditions: ['development'] }

/** A script cannot await while it loads: this package is a module of its own, and this command a program. */
const awaits = 'telemetry'
const awaitingCommand = 'packages/mcp/src/cli.ts'

async function bundleModules() {
  const names = readdirSync(join(root, 'packages')).filter((name) => name !== 'bench' && name !== awaits)
  const [script, alone] = await Promise.all([bundleScript(names.flatMap(entriesOf)), bundlePackage(awaits)])
  return [...script, ...alone]
}

async function bundlePackage(name) {
  const entries = entriesOf(name)
  const outdir = outputFolder(join(root, 'packages', name))
  await build({ ...bundled, entryPoints: entries, outdir, outbase: `packages/${name}`, packages: 'external' })
  return entries.map((entry) => {
    const output = entry.replace(`packages/${name}`, '').replace('.ts', '.js')
    return [join(root, entry), join(outdir, output)].map((file) => pathToFileURL(file).href)
  })
}

/** What packages and their tests load in a thread or a process of their own, or while they run. */
const started = {
  code: ['src/engine/engine-thread.ts'],
  mcp: ['src/server/mcp-server.ts'],
  cli: ['src/studio-worker.ts'],
  durable: ['src/restate/server.ts'],
  media: ['src/inputs/stored-bytes.ts'],
  service: [
    ...['src/work/worker.ts', 'src/work/paint-tasks.ts', 'src/work/speech-tasks.ts'],
    'test/trouble-worker.ts',
  ],
  speech: ['src/models/model-thread.ts'],
}

/** Files of a package that others name. */
function entriesOf(name) {
  const folder = `packages/${name}`
  const { exports = {}, bin = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  const exported = Object.values(exports).map((entry) => entry.development ?? entry)
  const commands = Object.values(bin).map((file) => file.replace('dist/', 'src/').replace('.js', '.ts'))
  const entries = [...exported, ...commands, ...(started[name] ?? [])]
  return entries
    .map((entry) => join(folder, entry))
    .filter((entry) => entry.endsWith('.ts') && entry !== awaitingCommand)
}

/** Packages of many files that nearly every program loads, by the package that imports them. */
const libraries = {
  core: [
    ...['zod', 'zod/v4', 'zod/v4/core', 'zod/v3', 'zod-to-json-schema'],
    ...['@cfworker/json-schema', 'p-queue', 'partial-json'],
  ],
  cli: ['@clack/prompts', 'fast-string-truncated-width'],
  mcp: ['client', 'client/stdio', 'server', 'server/stdio'].map((name) => `@modelcontextprotocol/${name}`),
  studio: ['eventemitter3'],
}

/** One script of all entries and libraries, and for each of them a module that takes its names from the script. */
async function bundleScript(files) {
  const outdir = outputFolder(root)
  mkdirSync(join(outdir, 'entries'), { recursive: true })
  const found = await Promise.all([
    entriesWithNames({ entryPoints: files, packages: 'external' }),
    ...Object.entries(libraries).map(([name, entryPoints]) =>
      entriesWithNames({ entryPoints, absWorkingDir: join(root, 'packages', name) }),
    ),
  ])
  const entries = found
    .flat()
    .map((entry, index) => ({ ...entry, module: join(outdir, `entries/${index}.mjs`) }))
  const file = join(outdir, 'packages.cjs')
  const { metafile, outputFiles } = await build({
    ...bundled,
    format: 'cjs',
    write: false,
    splitting: false,
    // Each program reads all of it.
    minifyWhitespace: true,
    legalComments: 'none',
    banner: { js: '(function (module, require, __import, toESM) { "use strict";' },
    footer: { js: '__toESM = toESM(__toESM); })' },
    stdin: { contents: contentsOf(entries), resolveDir: root },
    outfile: file,
    plugins: [ownPlaces, keptOutside(entries)],
  })
  // What is compiled of an earlier script may not run.
  rmSync(join(outdir, 'packages.compiled'), { force: true })
  writeFileSync(file, toScript(outputFiles[0].text))
  for (const { file, names, module } of entries)
    writeFileSync(module, moduleOf({ file, names, outside: importedBy(file, metafile.inputs) }))
  return entries.map(({ file, module }) => [file, module].map((path) => pathToFileURL(path).href))
}

/** What is compiled cannot import by itself. ASCII is read fastest; esbuild leaves other letters in regular expressions. */
function toScript(text) {
  const escaped = (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
  return text.replace(/(?<![.\w$])import\(/g, '__import(').replace(/[^\0-\x7f]/g, escaped)
}

async function entriesWithNames(options) {
  const { metafile } = await build({ ...bundled, ...options, outdir: 'unwritten', write: false })
  const folder = options.absWorkingDir ?? root
  return Object.values(metafile.outputs)
    .filter(({ entryPoint }) => entryPoint)
    .map(({ entryPoint, exports }) => ({ file: join(folder, entryPoint), names: exports }))
}

function contentsOf(entries) {
  const lines = entries.map(({ file, module }) => {
    const [key, path] = [pathToFileURL(module).href, file].map((text) => JSON.stringify(text))
    return `  ${key}: () => require(${path}),`
  })
  return `module.exports = {\n${lines.join('\n')}\n}`
}

/** What an entry imports from outside of the script is loaded before it, as its own modules would do. */
function moduleOf({ file, names, outside }) {
  const imports = outside.map((url, index) => `import * as _${index} from ${JSON.stringify(url)}\n`)
  const given = outside.map((url, index) => `${JSON.stringify(url)}: _${index}`)
  const exported = names.map((name, index) =>
    name === 'default'
      ? `export default entry.default\n`
      : `const $${index} = entry[${JSON.stringify(name)}]\nexport { $${index} as ${name} }\n`,
  )
  return [
    `// From ${file}\n`,
    ...imports,
    `import { load } from ${JSON.stringify(loader)}\n`,
    `const entry = load(import.meta.url, { ${given.join(', ')} })\n`,
    ...exported,
  ].join('')
}

/** URLs of what a file imports from outside of the script, by itself or through others. */
function importedBy(file, inputs) {
  const seen = new Set([relative(root, file)])
  const outside = new Set()
  for (const name of seen)
    for (const { path, kind, external } of inputs[name].imports) {
      if (kind === 'dynamic-import') continue
      if (!external) seen.add(path)
      else if (path.startsWith('file:')) outside.add(path)
    }
  return [...outside]
}

/** Keeps packages of others outside of the script, but for `libraries`, and whatever is loaded later. */
function keptOutside(entries) {
  const urls = new Map(entries.map(({ file, module }) => [file, pathToFileURL(module).href]))
  const isInside = ({ path, importer }) =>
    urls.has(path) || !path.includes('/node_modules/') || importer.includes('/node_modules/')
  return {
    name: 'kept-outside',
    setup({ onResolve, resolve }) {
      onResolve({ filter: /^[^/]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (pluginData === 'asked' || isBuiltin(path)) return undefined
        if (path.startsWith('.') && kind !== 'dynamic-import') return undefined
        const found = await resolve(path, { kind, importer, resolveDir, pluginData: 'asked' })
        if (found.errors.length > 0) return { path, external: true }
        if (kind === 'dynamic-import' && urls.has(found.path))
          return { path: urls.get(found.path), external: true }
        if (isInside({ path: found.path, importer })) return { path: found.path }
        return { path: pathToFileURL(found.path).href, external: true }
      })
    },
  }
}

/** Programs that tests start, below a folder for what is built: folders, or files. */
const folders = {
  examples: ['.', ...exampleGroups],
  'packages/cli': ['test/agents'],
  'packages/code': ['test'],
  'packages/core': ['test/ledger'],
  'packages/durable': ['test'],
  'packages/mcp': ['src/cli.ts', 'test'],
  'packages/stores': ['test'],
}

/** Returns the URLs of all programs, each with the URL of what is built of it. */
function programUrls() {
  return new Map(
    Object.entries(folders).flatMap(([name, below]) =>
      filesIn(name, below).map((file) =>
        [join(root, name, file), join(programsOf(name), file.replace('.ts', '.js'))].map(
          (path) => pathToFileURL(path).href,
        ),
      ),
    ),
  )
}

function filesIn(name, below) {
  return below.flatMap((part) =>
    part.endsWith('.ts')
      ? [part]
      : readdirSync(join(root, name, part), { recursive: part !== '.', encoding: 'utf8' })
          .filter((file) => file.endsWith('.ts') && !/\.(test|d)\.ts$/.test(file))
          .map((file) => join(part, file)),
  )
}

function programsOf(name) {
  return join(root, name, 'node_modules/.capstan/programs')
}

/** Translates files one by one. Returns the URL of each with those of what it imports, undefined where that is not built. */
async function translatePrograms(name, urls, modules) {
  outputFolder(join(root, name))
  const imported = new Map()
  await build({
    ...settings,
    absWorkingDir: join(root, name),
    entryPoints: filesIn(name, folders[name]),
    outdir: programsOf(name),
    outbase: '.',
    bundle: true,
    treeShaking: false,
    conditions: ['development'],
    sourcemap: 'inline',
    plugins: [ownPlaces, builtImports(urls, modules, imported)],
  })
  return [...imported]
}

/** Imports what is built by its URL, and everything else too: a program then needs no hook to find it. */
function builtImports(urls, modules, imported) {
  const sources = new Map()
  return {
    name: 'built-imports',
    setup({ onResolve, resolve }) {
      const pathOf = async ({ path, kind, importer, resolveDir }) => {
        if (path.startsWith('.')) return join(resolveDir, path.replace(/\.js$/, '.ts'))
        if (!sources.has(path))
          sources.set(path, resolve(path, { kind, importer, resolveDir, pluginData: 'asked' }))
        const found = await sources.get(path)
        return found.errors.length > 0 ? undefined : found.path
      }
      onResolve({ filter: /./ }, async (asked) => {
        const { path, kind, importer, pluginData } = asked
        if (pluginData === 'asked') return undefined
        const from = pathToFileURL(kind === 'entry-point' ? path : importer).href
        if (kind === 'entry-point') return undefined
        if (isBuiltin(path)) return { path, external: true }
        const file = await pathOf(asked)
        const source = file && pathToFileURL(file).href
        const url = modules[source] ?? urls.get(source)
        // What a package that awaits imports is found by a hook.
        const built = url?.includes(`/packages/${awaits}/`) ? undefined : url
        imported.set(from, [...(imported.get(from) ?? []), urls.has(source) ? source : built])
        if (source === localService) return { path: sharedService(urls), external: true }
        return { path: url ?? source ?? path, external: true }
      })
    },
  }
}

/** Returns the programs that import, by themselves or through others, only what is built. */
function plainOf(urls, imported) {
  const isPlain = (url, above = []) =>
    (imported.get(url) ?? []).every(
      (one) => one !== undefined && (above.includes(one) || !urls.has(one) || isPlain(one, [...above, url])),
    ) && !importsByName(url)
  return Object.fromEntries([...urls].filter(([url]) => isPlain(url)))
}

/** Whether a program imports what only a run of it tells. That of the command goes by `importBuilt`. */
function importsByName(url) {
  const path = fileURLToPath(url)
  return !path.endsWith(awaitingCommand) && /\bimport\((?!')/.test(readFileSync(path, 'utf8'))
}

const localService = pathToFileURL(join(root, 'examples/local-service.ts')).href

/** With the variables of a running service in the environment, examples start none of their own. */
function sharedService(urls) {
  const file = join(root, 'node_modules/.capstan/shared-service.mjs')
  const own = JSON.stringify(urls.get(localService))
  const shared = 'process.env.CAPSTAN_SHARED_SERVICE'
  writeFileSync(
    file,
    `if (${shared}) Object.assign(process.env, JSON.parse(${shared}))\nelse await import(${own})\n`,
  )
  return pathToFileURL(file).href
}

/** Returns a new folder for modules from which the packages of a folder can be imported. */
function outputFolder(folder) {
  const output = join(folder, 'node_modules/.capstan')
  mkdirSync(output, { recursive: true })
  writeFileSync(join(output, 'package.json'), '{ "type": "module" }\n')
  return output
}

/** What is built finds the files beside it where its source is, and what a command is given where that is built. */
const ownPlaces = {
  name: 'own-places',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      const isCommand = path.endsWith(awaitingCommand)
      if (!text.includes('import.meta.') && !isCommand) return undefined
      const contents = text
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.filename', JSON.stringify(path))
        .replaceAll(/\bimport\((?!')/g, (found) => (isCommand ? `globalThis.${importBuilt}(` : found))
      return { contents, loader: 'ts' }
    })
  },
}

/** The name of a global function that imports a file as built (start-bundled.cjs). */
const importBuilt = '__capstanImport'
