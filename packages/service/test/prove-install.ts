// Measures an install of the service by itself, with its optional drawn pictures, and with the speech package, and
// checks the message that names the latter: node --conditions=development --import=tsx FILE
import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const packages = fileURLToPath(new URL('../..', import.meta.url))
const work = mkdtempSync(join(tmpdir(), 'capstan-install-'))

const program = `
import { startService } from '@capstan/service'
const log = (line) => line.startsWith('internal_error') && console.error(line)
const service = await startService({ log })
const headers = { authorization: 'Bearer ' + service.apiKey, 'content-type': 'application/json' }
const body = JSON.stringify({ model: 'gpt-4o-mini-tts', voice: 'slt', input: 'Hello.' })
const spoken = await fetch(service.baseURL + '/audio/speech', { method: 'POST', headers, body })
console.log(spoken.status, spoken.ok ? 'audio' : (await spoken.json()).error.message)
await service.close()
`

try {
  const [service, speech] = [pack('service'), pack('speech')]
  const bare = install('bare', [service], ['--omit=optional'])
  // npm installs the drawn pictures unless told otherwise.
  const drawn = install('drawn', [service])
  const whole = install('whole', [service, speech])
  for (const [name, folder, limitMb] of [
    ['by itself', bare, 5],
    ['with drawn pictures', drawn, 15],
    ['with speech', whole, Number.POSITIVE_INFINITY],
  ] as const) {
    const megabytes = sizeOf(folder) / 1e6
    console.log(`${name}: ${megabytes.toFixed(1)} MB; speech: ${ask(folder)}`)
    if (megabytes >= limitMb) throw new Error(`The service ${name} must stay under ${limitMb} MB.`)
  }
} finally {
  rmSync(work, { recursive: true })
}

function pack(name: string): string {
  const cwd = join(packages, name)
  run('npx', ['-y', 'pnpm@10.34.9', 'run', 'build'], cwd)
  const out = run('npx', ['-y', 'pnpm@10.34.9', 'pack', '--json', '--pack-destination', work], cwd)
  return JSON.parse(out.slice(out.indexOf('{'))).filename
}

function install(name: string, tarballs: readonly string[], further: readonly string[] = []): string {
  const cwd = join(work, name)
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'package.json'), '{ "private": true, "type": "module" }')
  const flags = [
    '--omit=peer',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--prefer-offline',
    '--loglevel=error',
    ...further,
  ]
  run('npm', ['install', ...flags, ...tarballs], cwd)
  return cwd
}

function ask(cwd: string): string {
  return run(process.execPath, ['--input-type=module', '--eval', program], cwd).trim()
}

function sizeOf(path: string): number {
  const entry = lstatSync(path)
  if (!entry.isDirectory()) return entry.size
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}

function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, [...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}
