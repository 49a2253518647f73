// The studio as a new user meets it: the packages are packed and installed in an empty folder, without a key. Then, in
// a browser: a question, a changed tool result, a fork, a comparison, and an exported test that passes under vitest. Run
// it after `pnpm build`.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findChromium } from './find-chromium.mjs'
import { packPackages, useTarballs } from './pack-packages.mjs'
import { runIn } from './run-in.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { chromium } = createRequire(join(root, 'packages/studio/package.json'))('playwright-core')
const folder = mkdtempSync(join(tmpdir(), 'capstan-studio-'))

/** From the command to the answer on the page. */
const mostMsToAnswer = 5000

const agent = `import { Agent, chatModel, tool } from '@capstan/core'
import * as z from 'zod'

const getWeather = tool({
  name: 'get_weather',
  description: 'Returns the current weather of a city',
  parameters: z.object({ city: z.string().describe('Name of the city') }),
  effects: 'read',
  execute: ({ city }) => ({ city, degrees: -2, sky: 'light snow' }),
})

export const forecaster = new Agent({
  name: 'forecaster',
  model: chatModel('gpt-5-mini'),
  instructions: 'Answer in one sentence.',
  tools: [getWeather],
})
`

/** Runs a command in the folder, without a key. */
const run = (command, ...args) => runIn(folder, command, args)

let studio
let browser
try {
  const since = Date.now()
  await install()
  writeFileSync(join(folder, 'weather.ts'), agent)
  const executablePath = findChromium(process.env)
  if (!executablePath) throw new Error('No Chromium on the PATH, and CHROME_PATH is not set.')
  browser = await chromium.launch({ executablePath })
  const page = await browser.newPage()
  await answerQuestion(page)
  await forkWithOtherResult(page)
  await exportTest(page)
  console.log(`studio: from an empty folder to a test that passes in ${seconds(since)} s`)
} finally {
  await browser?.close()
  studio?.kill()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function install() {
  const tarballs = Object.fromEntries(await packPackages(folder))
  const own = ['core', 'cli', 'studio', 'service', 'testing'].map((name) => [`@capstan/${name}`, '*'])
  const manifest = join(folder, 'package.json')
  const dependencies = Object.fromEntries(own)
  writeFileSync(manifest, JSON.stringify({ name: 'weather', private: true, type: 'module', dependencies }))
  useTarballs(manifest, tarballs)
  await run('npm', 'install', '--no-audit', '--no-fund', 'zod', 'vitest')
}

/** Starts the command, and asks on the page. */
async function answerQuestion(page) {
  const since = Date.now()
  const env = { ...process.env, OPENAI_API_KEY: '', OPENAI_BASE_URL: '' }
  const args = ['capstan', 'studio', 'weather.ts', '--port', '0']
  studio = spawn('npx', args, { cwd: folder, env, detached: true })
  const { pid } = studio
  studio.kill = () => {
    try {
      process.kill(-pid)
    } catch {
      // It has ended already.
    }
  }
  await page.goto(await addressIn(studio))
  await page.getByRole('textbox', { name: /^Write, or drop/ }).fill('What is the weather in Oslo?')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.locator('.message.agent .words', { hasText: /snow/ }).waitFor()
  const ms = Date.now() - since
  console.log(`studio: the page has answered ${ms} ms after the command (at most ${mostMsToAnswer})`)
  if (ms > mostMsToAnswer) process.exitCode = 1
}

/** Resolves to the address that the command prints. */
function addressIn({ stdout, stderr }) {
  return new Promise((resolve, reject) => {
    let printed = ''
    stderr.on('data', (data) => {
      printed += data
    })
    stdout.on('end', () => reject(new Error(`capstan studio ended:\n${printed}`)))
    stdout.on('data', (data) => {
      printed += data
      const [address] = /http:\S+token=\S+/.exec(printed) ?? []
      if (address) resolve(address)
    })
  })
}

/** Goes on from before the last step with another result, and looks at the difference. */
async function forkWithOtherResult(page) {
  const { origin, pathname } = new URL(page.url())
  await page.goto(`${origin}/runs/${pathname.split('/').at(-1)}/fork`)
  await page.getByRole('radio', { name: 'a tool result' }).check()
  await page
    .getByRole('textbox', { name: 'Replacement' })
    .fill('{"city":"Oslo","degrees":31,"sky":"a heat wave"}')
  await page.getByRole('button', { name: 'Fork' }).click()
  await page.getByRole('heading', { name: 'Compare' }).waitFor()
  await page
    .getByText(/heat wave/)
    .first()
    .waitFor()
}

/** Writes a test of the newest run, and runs it. */
async function exportTest(page) {
  await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Runs' }).click()
  await page.getByRole('treegrid', { name: 'Runs' }).locator('.grid-body [role=row]').last().click()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Export as test' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('replayRun').first().waitFor()
  await dialog.getByRole('button', { name: 'Write the test' }).click()
  await dialog.getByText(/Wrote/).waitFor()
  const output = await run('npx', 'vitest', 'run', '--no-color')
  if (!/1 passed/.test(output)) throw new Error(`vitest printed:\n${output}`)
}

function seconds(since) {
  return Math.round((Date.now() - since) / 1000)
}
