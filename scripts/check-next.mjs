// The chat of the page on Next, as a reader of it builds it: the packages are packed and installed in an empty folder
// with Next, and it is built. Then, in a browser: a question, a server that is killed while its call waits, and the
// decision on a second device. Run it after `pnpm build`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { findChromium } from './find-chromium.mjs'
import { freePort } from './free-port.mjs'
import { packPackages, useTarballs } from './pack-packages.mjs'
import { runIn } from './run-in.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { chromium } = createRequire(join(root, 'examples/package.json'))('playwright-core')
const folder = mkdtempSync(join(tmpdir(), 'capstan-next-'))

let service
let server
let browser
try {
  const executablePath = findChromium(process.env)
  if (!executablePath) throw new Error('No Chromium on the PATH, and CHROME_PATH is not set.')
  await install()
  const { startService } = await import(
    pathToFileURL(join(folder, 'node_modules/@capstan/service/dist/index.js'))
  )
  service = await startService()
  await runIn(folder, 'node_modules/.bin/next', ['build'], ofServer())
  browser = await chromium.launch({ executablePath })
  await chat()
  console.log('Next: a call that waited outlived its server, and was decided on a second device')
} finally {
  await browser?.close()
  await end(server)
  await service?.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function install() {
  cpSync(join(root, 'examples/5-servers/next-chat'), folder, { recursive: true })
  const manifest = join(folder, 'package.json')
  const given = JSON.parse(readFileSync(manifest, 'utf8'))
  given.devDependencies['@capstan/service'] = '*'
  writeFileSync(manifest, JSON.stringify(given))
  useTarballs(manifest, Object.fromEntries(await packPackages(folder)))
  await runIn(folder, 'npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'])
}

async function chat() {
  const origin = await start()
  const phone = await open(origin)
  await phone.getByLabel('Message').fill('Cancel booking B-17.')
  await phone.getByRole('button', { name: 'Send' }).click()
  await phone.getByRole('button', { name: 'Allow' }).waitFor()
  await end(server)
  const again = await start(new URL(origin).port)
  const laptop = await open(again)
  await laptop.getByRole('button', { name: 'Allow' }).click()
  await laptop.getByText('cancelled true').waitFor()
  await phone.reload()
  await phone.getByText('cancelled true').waitFor()
}

/** A device of the same user. */
async function open(origin) {
  const context = await browser.newContext()
  await context.addCookies([{ name: 'user', value: 'ann', url: origin }])
  const page = await context.newPage()
  await page.goto(`${origin}/chat/trip`)
  return page
}

/** Starts the server without npx between: the process that is killed is the server. */
async function start(port) {
  const origin = `http://127.0.0.1:${port ?? (await freePort())}`
  const args = [
    'node_modules/next/dist/bin/next',
    'start',
    '--hostname=127.0.0.1',
    `--port=${new URL(origin).port}`,
  ]
  server = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, ...ofServer() },
    stdio: 'inherit',
  })
  while (server.exitCode === null) {
    const isThere = await fetch(`${origin}/chat/trip`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isThere) return origin
    await pause(50)
  }
  throw new Error('next start has ended')
}

async function end(child) {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

function ofServer() {
  return {
    OPENAI_BASE_URL: service.baseURL,
    OPENAI_API_KEY: service.apiKey,
    CHATS: join(folder, 'chats.db'),
    NEXT_TELEMETRY_DISABLED: '1',
  }
}
