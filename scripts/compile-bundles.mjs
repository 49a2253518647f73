// Runs two programs from their bundles (bundle-packages.mjs): what Node compiles for them is kept for those that follow.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { exampleFile } from './examples.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const options = [
  `--require=${fileURLToPath(new URL('./start-bundled.cjs', import.meta.url))}`,
  '--import=tsx',
  '--conditions=development',
]
const commands = [
  ['packages/cli/src/main.ts', 'run', 'packages/cli/test/agents/chatty.ts', 'Hello.', '--agent', 'counter'],
  [exampleFile('hello')],
]

/** Returns the path that it is given. */
export async function compileBundles(bundles) {
  const env = {
    ...process.env,
    OPENAI_API_KEY: '',
    OPENAI_BASE_URL: '',
    CAPSTAN_BUNDLES: bundles,
    CAPSTAN_COMPILE: '1',
  }
  for (const command of commands)
    await promisify(execFile)(process.execPath, [...options, ...command], { cwd: root, env })
  return bundles
}
