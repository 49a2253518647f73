// Packs every public package and checks the tarballs as a consumer meets them: publint and attw on each, then
// the README's program in an empty folder, type-checked strictly and run as ES module and as CommonJS.
// Run it after `pnpm build`.
import { execFileSync } from 'node:child_process'
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
import { plainOutput } from './plain-output.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const work = mkdtempSync(join(tmpdir(), 'capstan-packages-'))

try {
  const tarballs = readdirSync(join(root, 'packages')).map(pack)
  for (const tarball of tarballs) checkTarball(tarball)
  const consumer = installConsumer(tarballs)
  for (const kind of ['module', 'commonjs']) runProgram(consumer, kind)
  console.log('packages: all checks passed')
} finally {
  rmSync(work, { recursive: true, force: true })
}

function pack(name) {
  const folder = join(root, 'packages', name)
  for (const file of ['README.md', 'LICENSE']) readFileSync(join(folder, file))
  const out = run('npx', ['-y', 'pnpm@10.34.9', 'pack', '--json', '--pack-destination', work], folder)
  const { filename } = JSON.parse(out.slice(out.indexOf('{')))
  return filename
}

function checkTarball(tarball) {
  console.log(run('node', [bin('publint', 'src/cli.js'), tarball, '--strict'], root).trim())
  console.log(
    run(
      'node',
      [bin('@arethetypeswrong/cli', 'dist/index.js'), tarball, '--format', 'ascii', '-q'],
      root,
    ).trim(),
  )
  const manifest = run('tar', ['-xzOf', tarball, 'package/package.json'], root)
  if (/"development"|workspace:/.test(manifest))
    throw new Error(`${tarball} still names what only exists in this repository`)
  checkLicences(tarball)
}

/** Each package whose code is bundled, as the source maps tell, is in the notice that is packed with it. */
function checkLicences(tarball) {
  const files = run('tar', ['-tzf', tarball], root).split('\n')
  const read = (file) => run('tar', ['-xzOf', tarball, file], root)
  const sources = files
    .filter((file) => file.endsWith('.map'))
    .flatMap((file) => JSON.parse(read(file)).sources)
  const names = sources.flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? [])
  const notice = files.includes('package/dist/THIRD-PARTY.md') ? read('package/dist/THIRD-PARTY.md') : ''
  for (const name of new Set(names))
    if (!notice.includes(`## ${name} `)) throw new Error(`${tarball} bundles ${name} without its licence`)
}

/** An empty folder with the packed packages, by npm, as a user would. */
function installConsumer(tarballs) {
  const folder = join(work, 'consumer')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "name": "consumer", "private": true }')
  const dev = ['typescript@5.9.3', '@types/node@20']
  run(
    'npm',
    ['install', '--no-audit', '--no-fund', '--prefer-offline', ...tarballs, 'zod@4', 'openai@6', ...dev],
    folder,
  )
  return folder
}

function runProgram(folder, kind) {
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
  for (const name of shownPrograms()) {
    cpSync(join(root, 'examples', `${name}.ts`), join(here, `${name}.ts`))
  }
  run('node', [join(folder, 'node_modules/typescript/bin/tsc'), '-p', '.'], here)
  for (const name of shownPrograms()) {
    const said = run('node', [join('out', `${name}.js`)], here)
    const expected = readFileSync(join(root, 'examples', `${name}.out.txt`), 'utf8')
    if (plainOutput(said) !== plainOutput(expected))
      throw new Error(`${name} as ${kind} said:\n${said}\ninstead of:\n${expected}`)
    console.log(`${name} as ${kind}: compiles strictly and says what the README says`)
  }
}

/** The programs shown in the top README, by the comment in front of their block, and that of all formats of speech. */
function shownPrograms() {
  const text =
    readFileSync(join(root, 'README.md'), 'utf8') + readFileSync(join(root, 'docs/speaking.md'), 'utf8')
  return [...text.matchAll(/<!-- examples\/([\w-]+)\.ts -->/g)].map(([, name]) => name)
}

function bin(name, file) {
  return join(root, 'node_modules', name, file)
}

function run(command, args, cwd) {
  const env = { ...process.env, OPENAI_API_KEY: '', OPENAI_BASE_URL: '' }
  for (const name of Object.keys(env))
    if (/^npm_(config_(?!registry|cafile|.*proxy)|package|lifecycle)/i.test(name)) delete env[name]
  try {
    return execFileSync(command, args, {
      cwd,
      env,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  } catch (error) {
    throw new Error(`${command} ${args.join(' ')} failed:\n${error.stdout}\n${error.stderr}`)
  }
}
