// Packs every public package and checks the tarballs as a consumer meets them: publint and attw on each, then the
// programs of the README and of some pages in an empty folder, type-checked strictly by TypeScript 7 and 5.9, and run
// as ES module and as CommonJS, and the declarations of programs over all exports. Then each package alone
// (check-alone.mjs), the declarations of core and testing without those of Node, and core alone with zod: the size of
// the installation, and tools of both versions of zod. Run it after `pnpm build`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkAlone } from './check-alone.mjs'
import { checkContents } from './check-contents.mjs'
import { bytesByPackage } from './check-sizes.mjs'
import { declarationErrors, declaringPrograms } from './declarations.mjs'
import { exampleFile } from './examples.mjs'
import { allOf, inTurn } from './in-turn.mjs'
import { mostOf } from './limits.mjs'
import { packPackages } from './pack-packages.mjs'
import { plainOutput } from './plain-output.mjs'
import { runIn } from './run-in.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const work = mkdtempSync(join(tmpdir(), 'capstan-packages-'))

/** What core may bring along with zod, itself and zod among it. */
const most = { packages: mostOf('packages installed with core'), bytes: mostOf('bytes installed with core') }

try {
  const byName = await packPackages(work)
  const tarballs = [...byName.values()]
  const core = byName.get('@capstan/core')
  // Installations wait for the disk while the rest computes. All end, whatever fails: none outlives this program.
  await allOf([
    inTurn(tarballs, checkTarball),
    checkAlone(byName, work),
    checkConsumer(tarballs),
    checkWithoutNodeTypes([core, byName.get('@capstan/testing')]).then(() => checkCoreAlone(core)),
  ])
  console.log('packages: all checks passed')
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 5 })
}

/** The programs of pages, as ES modules and as CommonJS, the command, and declarations. */
async function checkConsumer(tarballs) {
  const consumer = await installConsumer(tarballs)
  const service = await startService(consumer)
  try {
    for (const kind of ['module', 'commonjs']) await runProgram(consumer, kind, service.env)
  } finally {
    service.end()
  }
  await checkCommand(consumer)
  await checkDeclarations(consumer)
}

/** A program over each entry, which knows no other one, and all of them as CommonJS: their declarations can be written. */
async function checkDeclarations(folder) {
  const programs = declaringPrograms()
  const errors = await declarationErrors(folder, programs, { compiler: 'typescript', extension: 'cts' })
  for (const program of programs)
    errors.push(...(await declarationErrors(folder, new Map([program]), { compiler: 'typescript7' })))
  if (errors.length) throw new Error(`declarations of programs cannot name all types:\n${errors.join('\n')}`)
  console.log(`declarations can name every type of ${programs.size} programs`)
}

/** The command as it is installed: it loads TypeScript, and runs what that exports. */
async function checkCommand(folder) {
  cpSync(join(root, 'packages/cli/test/agents/weather.ts'), join(folder, 'weather.ts'))
  const asked = ['tool', 'weather.ts', 'get_weather', '{"city":"Oslo"}']
  const said = await run('node', [join(folder, 'node_modules/.bin/capstan'), ...asked], folder)
  if (said !== '{\n  "city": "Oslo",\n  "degrees": 7\n}\n') throw new Error(`capstan said: ${said}`)
}

async function checkTarball(tarball) {
  const publint = [bin('publint', 'src/cli.js'), tarball, '--strict']
  const attw = [bin('@arethetypeswrong/cli', 'dist/index.js'), tarball, '--format', 'ascii', '-q']
  console.log((await run('node', publint, root)).trim())
  console.log((await run('node', attw, root)).trim())
  await checkContents(tarball, work)
}

/** An empty folder with the packed packages, by npm, as a user would. */
async function installConsumer(tarballs) {
  const folder = join(work, 'consumer')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "name": "consumer", "private": true }')
  const dev = ['typescript@5.9.3', '@types/node@20']
  await run(
    'npm',
    ['install', '--no-audit', '--no-fund', '--prefer-offline', ...tarballs, 'zod@4', 'openai@6', ...dev],
    folder,
  )
  return folder
}

/** The local service as it is installed, and the environment that names it. */
async function startService(folder) {
  const command = join(folder, 'node_modules/@capstan/service/dist/cli.js')
  const child = spawn(process.execPath, [command, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  let banner = ''
  while (!/OPENAI_API_KEY='.*'/.test(banner)) banner += (await once(child.stdout, 'data'))[0]
  const [, OPENAI_BASE_URL] = /Serving at (\S+)/.exec(banner)
  const [, OPENAI_API_KEY] = /OPENAI_API_KEY='(.*)'/.exec(banner)
  return { env: { OPENAI_BASE_URL, OPENAI_API_KEY, CAPSTAN_MODEL: 'planner' }, end: () => child.kill() }
}

async function runProgram(folder, kind, env) {
  const here = join(folder, kind)
  mkdirSync(here)
  symlinkSync(join(folder, 'node_modules'), join(here, 'node_modules'))
  writeFileSync(join(here, 'package.json'), JSON.stringify({ type: kind }))
  const options = {
    strict: true,
    target: 'es2022',
    module: 'nodenext',
    outDir: 'out',
    types: ['node'],
    skipLibCheck: false,
  }
  writeFileSync(join(here, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.ts'] }))
  for (const [name, text] of shownPrograms()) writeFileSync(join(here, `${name}.ts`), text)
  await run('node', [bin('typescript7', 'bin/tsc'), '-p', '.', '--noEmit'], here)
  await run('node', [join(folder, 'node_modules/typescript/bin/tsc'), '-p', '.'], here)
  for (const [name] of shownPrograms()) {
    const said = await runIn(here, 'node', [join('out', `${name}.js`)], env)
    const expected = readFileSync(join(root, 'examples/expected', `${name}.txt`), 'utf8')
    if (plainOutput(said) !== plainOutput(expected))
      throw new Error(`${name} as ${kind} said:\n${said}\ninstead of:\n${expected}`)
    console.log(`${name} as ${kind}: compiles strictly and prints what the documentation shows`)
  }
}

/** Core and testing without `@types/node`, as in a program for browsers: all their declarations are checked. */
async function checkWithoutNodeTypes(tarballs) {
  const folder = mkdtempSync(join(work, 'no-node-types-'))
  writeFileSync(join(folder, 'package.json'), '{ "name": "no-node-types", "private": true }')
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...tarballs, 'zod@4'], folder)
  if (readdirSync(join(folder, 'node_modules')).includes('@types')) throw new Error('there are types of Node')
  const options = { strict: true, target: 'es2022', module: 'nodenext', types: [], skipLibCheck: false }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*'] }))
  const program = `
    import { Agent, jsonSchema, type RunResult, tool } from '@capstan/core'
    import { reply, scriptedModel } from '@capstan/testing'
    import { recordRun } from '@capstan/testing/recording'
    const parameters = jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } })
    const weather = tool({ name: 'weather', description: 'Weather', parameters, execute: ({ city }) => city })
    class Service {
      constructor(readonly agent: Agent) {}
      ask(file: string): Promise<RunResult> {
        return this.agent.run('Go.', recordRun(file))
      }
    }
    export const service = new Service(new Agent({ model: scriptedModel([reply.text('Snow.')]), tools: [weather] }))`
  for (const extension of ['mts', 'cts']) writeFileSync(join(folder, `program.${extension}`), program)
  for (const compiler of ['typescript7', 'typescript'])
    await run('node', [bin(compiler, 'bin/tsc'), '-p', '.', '--noEmit'], folder)
  console.log('core and testing compile strictly without the types of Node')
}

/** Core with zod 4 and nothing else, and with a zod of version 3. */
async function checkCoreAlone(tarball) {
  const { version } = JSON.parse(readFileSync(bin('zod', 'package.json'), 'utf8'))
  const folder = await installCore(tarball, `zod@${version}`)
  const parts = bytesByPackage(join(folder, 'node_modules'))
  const bytes = parts.reduce((sum, [, bytes]) => sum + bytes, 0)
  const listed = parts.map(([name, bytes]) => `${name} ${bytes}`).join(', ')
  console.log(`core with zod: ${parts.length} packages, ${bytes} bytes: ${listed}`)
  if (parts.length > most.packages || bytes > most.bytes)
    throw new Error(`core with zod may have ${most.packages} packages and ${most.bytes} bytes`)
  if (/['"]zod\/v3['"]/.test(code(join(folder, 'node_modules/@capstan/core/dist'))))
    throw new Error('core loads zod 3 for everybody: see packages/core/zod3-names.ts')
  await defineTool(folder, 'zod')
  await defineTool(folder, 'zod/v3')
  await defineTool(await installCore(tarball, 'zod@3.25'), 'zod')
}

function code(folder) {
  const files = readdirSync(folder).filter((file) => /\.c?js$/.test(file))
  return files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
}

async function installCore(tarball, zod) {
  const folder = mkdtempSync(join(work, 'core-'))
  writeFileSync(join(folder, 'package.json'), '{ "name": "core-alone", "private": true }')
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', tarball, zod], folder)
  return folder
}

/** A tool of a zod schema, from an ES module and from CommonJS. */
async function defineTool(folder, zod) {
  const body = `
    const parameters = zod3(z.object({ city: z.string().min(1), unit: z.enum(['c', 'f']).optional() }))
    const made = tool({ name: 'f', description: 'F', parameters, execute: ({ city }) => city })
    const { type, properties, required } = made.definition.function.parameters
    made.call({ city: 'Oslo' }).then((city) => console.log(JSON.stringify({ type, properties, required, city })))`
  const heads = {
    mjs: `import { tool } from '@capstan/core'; import { z } from '${zod}'; import { zod3 } from '@capstan/core/zod3'`,
    cjs: `const { tool } = require('@capstan/core'); const { z } = require('${zod}'); const { zod3 } = require('@capstan/core/zod3')`,
  }
  const expected = {
    type: 'object',
    properties: { city: { type: 'string', minLength: 1 }, unit: { type: 'string', enum: ['c', 'f'] } },
    required: ['city'],
    city: 'Oslo',
  }
  for (const [kind, head] of Object.entries(heads)) {
    writeFileSync(join(folder, `tool.${kind}`), head + body)
    const said = await run('node', [`tool.${kind}`], folder)
    if (said.trim() !== JSON.stringify(expected)) throw new Error(`a tool of ${zod} as ${kind} said: ${said}`)
  }
}

/** Programs by name, as pages show them: that of the top README, that of all formats of speech, and two of the guides. */
function shownPrograms() {
  const pages = ['README.md', 'docs/local-service/speaking.md'].map((page) =>
    readFileSync(join(root, page), 'utf8'),
  )
  const shown = [...pages.join('\n').matchAll(/<!-- examples\/[\w-]+\/([\w-]+)\.ts(?:#program)? -->/g)]
  const names = [...shown.map(([, name]) => name), 'readme', 'given-client']
  return names.map((name) => [name, program(readFileSync(join(root, exampleFile(name)), 'utf8'))])
}

/** The region `program` of an example, or all of it. */
function program(text) {
  return /\/\/ #region program\n([\s\S]*?)\/\/ #endregion/.exec(text)?.[1] ?? text
}

function bin(name, file) {
  return join(root, 'node_modules', name, file)
}

function run(command, args, cwd) {
  return runIn(cwd, command, args)
}
