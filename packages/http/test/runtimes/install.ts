import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const packages = fileURLToPath(new URL('../../..', import.meta.url))
const here = fileURLToPath(new URL('.', import.meta.url))

const needed = [
  '@oven/bun-linux-x64@1.4.5',
  '@deno/linux-x64-glibc@2.9.6',
  '@cloudflare/workerd-linux-64@1.20261117.1',
  'next@16.4.6',
  'react@19.2.1',
  'react-dom@19.2.1',
  'esbuild@0.27.7',
]

/** The packed packages, the runtimes and the served programs in a folder, as a user would have them. */
export function install(folder: string, upstream: string): void {
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  const tarballs = ['core', 'http'].map((name) => pack(name, folder))
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', '--loglevel=error']
  run('npm', ['install', ...flags, ...tarballs, ...needed], folder)

  const esbuild = (...args: string[]) =>
    run(join(folder, 'node_modules/.bin/esbuild'), [...args, '--format=esm', '--log-level=warning'], folder)
  const programs = ['agents', 'authenticate', 'bun', 'next-route', 'served']
  esbuild(...programs.map((name) => join(here, `${name}.ts`)), `--outdir=${folder}`)
  writeFileSync(join(folder, 'upstream.js'), `export const upstream = '${upstream}'\n`)
  // What a worker is made of is one file.
  esbuild('served.js', '--bundle', '--conditions=workerd', '--outfile=worker.js')
  cpSync(join(here, 'worker.capnp'), join(folder, 'worker.capnp'))
  esbuild('next-route.js', '--bundle', '--packages=external', '--outfile=app/agent/[...route]/route.js')
  run('node_modules/.bin/next', ['build'], folder)
}

function pack(name: string, folder: string): string {
  const cwd = join(packages, name)
  run('npx', ['-y', 'pnpm@10.34.9', 'run', 'build'], cwd)
  run('npx', ['-y', 'pnpm@10.34.9', 'pack', '--pack-destination', folder], cwd)
  const file = readdirSync(folder).find((one) => one.startsWith(`capstan-${name}-`))
  return join(folder, file ?? '')
}

function run(command: string, args: readonly string[], cwd: string): void {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' }
  execFileSync(command, [...args], { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] })
}
