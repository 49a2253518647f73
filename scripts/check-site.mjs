// The site of the documentation in a real browser, after `npm run docs`: every page in light and dark without a finding
// of axe, readable at 320 pixels, first view below 150 kB, pictures with a size, no error in the console, nothing from
// elsewhere; the search finds a page. Pages of the API are made alike: one of each kind is looked at. Arguments name
// some pages: `/studio`.
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { findChromium } from './find-chromium.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'docs/site/dist')
const base = '/capstan'
const mostBytes = 150_000
/** Pages that are looked at at once. */
const tabs = 4
const require = createRequire(join(root, 'examples/package.json'))
const { chromium } = require('playwright-core')
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

if (!existsSync(dist)) throw new Error('The site is not built. Run npm run docs.')
const executablePath = findChromium(process.env)
if (!executablePath) throw new Error('There is no Chromium. Install one, or name it in CHROME_PATH.')

const sent = new Map()
const server = createServer(serve)
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${server.address().port}`
const browser = await chromium.launch({ executablePath })
const findings = []
try {
  const wanted = process.argv.slice(2)
  const pages = pagesToCheck().filter((page) => wanted.length === 0 || wanted.includes(page))
  const left = [...pages]
  const tab = async () => {
    for (let page = left.shift(); page !== undefined; page = left.shift())
      findings.push(...(await checkPage(page)))
  }
  await Promise.all(Array.from({ length: tabs }, tab))
  await checkSearch()
  for (const finding of findings) console.error(finding)
  if (findings.length > 0) process.exitCode = 1
  else console.log(`site: ${pages.length} pages, light and dark, at 1280 and 320 pixels: no finding`)
} finally {
  await browser.close()
  server.close()
}

/** Addresses of every page, and of one page for each kind of declaration. */
function pagesToCheck() {
  const files = readdirSync(dist, { recursive: true }).filter((file) => file.endsWith('.html'))
  const kinds = new Set()
  return files.sort().flatMap((file) => {
    const kind = /^reference.api.*?([\w-]+).[^/\\]+\.html$/.exec(file)?.[1]
    if (kind !== undefined && (kinds.has(kind) || !kinds.add(kind))) return []
    return [`/${file.replaceAll('\\', '/').replace(/(?:index)?\.html$/, '')}`]
  })
}

async function checkPage(path) {
  const found = []
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({
      colorScheme,
      reducedMotion: 'reduce',
      viewport: { width: 1280, height: 800 },
    })
    const page = await context.newPage()
    const say = (text) => found.push(`${path} (${colorScheme}): ${text}`)
    let bytes = 0
    page.on('console', (message) => message.type() === 'error' && say(message.text()))
    page.on('pageerror', (error) => say(String(error)))
    page.on('request', (request) => !request.url().startsWith(origin) && say(`asks ${request.url()}`))
    page.on('response', (response) => {
      bytes += sent.get(new URL(response.url()).pathname) ?? 0
    })
    await page.goto(`${origin}${base}${path}`, { waitUntil: 'networkidle' })
    if (bytes > mostBytes) say(`the first view takes ${bytes} bytes`)
    const unsized = await page.evaluate(() =>
      [...document.querySelectorAll('.vp-doc img:not([width][height])')].map(({ src }) => src),
    )
    for (const src of unsized) say(`${src} has no width and height: the page jumps when it arrives`)
    await page.evaluate(axe)
    for (const { id, help, nodes } of await page.evaluate(
      async () => (await globalThis.axe.run()).violations,
    ))
      say(
        `${id}: ${help} (${nodes
          .slice(0, 3)
          .map(({ target }) => target.join(' '))
          .join('; ')}; ${nodes.length})`,
      )
    await page.setViewportSize({ width: 320, height: 640 })
    const wide = await page.evaluate(() => document.documentElement.scrollWidth)
    if (wide > 320) say(`${wide} pixels wide on a screen of 320`)
    await context.close()
  }
  return found
}

/** Opens the search, asks for a word, and follows the first finding. */
async function checkSearch() {
  const page = await browser.newPage()
  await page.goto(`${origin}${base}/`)
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('searchbox').fill('approval')
  await page.locator('.results .result').first().click()
  await page
    .getByRole('heading', { name: /approv/i })
    .first()
    .waitFor()
  await page.close()
}

/** Serves the files as a host of static sites does: compressed, and pages without their ending. */
function serve({ url = '/' }, response) {
  const { pathname } = new URL(url, origin)
  const path = decodeURIComponent(pathname.slice(base.length))
  const file = [path, `${path}.html`, join(path, 'index.html')].map((name) => join(dist, name)).find(isFile)
  if (!pathname.startsWith(base) || file === undefined || !file.startsWith(dist)) {
    response.writeHead(404).end()
    return
  }
  const types = {
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.css': 'text/css',
    '.jpeg': 'image/jpeg',
    '.png': 'image/png',
    '.webp': 'image/webp',
    '.svg': 'image/svg+xml',
    '.txt': 'text/plain',
  }
  const type = types[extname(file)] ?? 'application/octet-stream'
  if (!/text|svg/.test(type)) {
    sent.set(pathname, statSync(file).size)
    response.writeHead(200, { 'content-type': type })
    createReadStream(file).pipe(response)
    return
  }
  const body = gzipSync(readFileSync(file))
  sent.set(pathname, body.length)
  response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' }).end(body)
}

function isFile(file) {
  return existsSync(file) && statSync(file).isFile()
}
