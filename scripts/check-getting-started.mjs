// The page docs/getting-started.md word for word, as a newcomer follows it: its files are saved, its commands run in an
// empty folder, they print what the page shows, and all of it takes less than ten minutes. npm gets the packages of this
// tree from a registry on the loopback. Run it after `pnpm build`: node scripts/check-getting-started.mjs [TARBALLS]
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { manifestOf, packPackages } from './pack-packages.mjs'
import { plainOutput } from './plain-output.mjs'
import { runIn } from './run-in.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const mostSeconds = 600

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const work = mkdtempSync(join(tmpdir(), 'capstan-getting-started-'))
  const packed = resolve(process.argv[2] ?? join(work, 'packed'))
  if (!existsSync(packed)) {
    mkdirSync(packed)
    await packPackages(packed)
  }
  const registry = await startRegistry(packed)
  try {
    await followPage(registry.address, work)
  } finally {
    registry.close()
    rmSync(work, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Saves and runs what the page says, in its order, with an empty cache of npm. */
async function followPage(address, work) {
  const started = Date.now()
  const env = { 'npm_config_@capstan:registry': address, npm_config_cache: join(work, 'cache') }
  const where = join(work, 'where')
  let folder = join(work, 'newcomer')
  mkdirSync(folder)
  let printed = ''
  for (const { command, file, output, text } of stepsOf(
    readFileSync(join(root, 'docs/getting-started.md'), 'utf8'),
  )) {
    if (file) writeFileSync(join(folder, file), text)
    if (output) compare(printed, output)
    if (!command) continue
    const since = Date.now()
    // The next command starts in the folder where this one ends.
    printed = await runIn(folder, 'bash', ['-ec', `${command}\npwd >'${where}'`], env)
    folder = readFileSync(where, 'utf8').trim()
    console.log(`${secondsSince(since)} s: ${command}`)
  }
  const seconds = secondsSince(started)
  if (seconds > mostSeconds) throw new Error(`The page took ${seconds} s, more than ${mostSeconds}.`)
  console.log(`getting started: ${seconds} s from an empty folder to a tested agent`)
}

/** Commands one by one, files with the name that the sentence before them gives, and outputs. */
function stepsOf(page) {
  const steps = [...page.matchAll(/(?:Save this as `([^`]+)`[^`]*?)?```(\w+)\n([\s\S]*?)\n```/g)].flatMap(
    ([, file, language, text]) => {
      if (language === 'sh') return text.split('\n').map((command) => ({ command }))
      if (language === 'text') return [{ output: text }]
      if (file === undefined) throw new Error(`The page does not say where to save this:\n${text}`)
      return [{ file, text }]
    },
  )
  const commands = steps.filter(({ command }) => command)
  if (!commands.at(-1)?.command.includes('vitest run')) throw new Error('The page ends in no test.')
  return steps
}

function compare(printed, output) {
  if (plainOutput(printed) !== plainOutput(output))
    throw new Error(`The page shows:\n${output}\nIts command prints:\n${printed}`)
}

function secondsSince(time) {
  return Number(((Date.now() - time) / 1000).toFixed(1))
}

/** A registry that has the tarballs of a folder, and nothing else. */
async function startRegistry(packed) {
  const bodies = new Map()
  const server = createServer(({ url = '' }, response) => {
    const body = bodies.get(decodeURIComponent(url))
    response.writeHead(body ? 200 : 404).end(body)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${server.address().port}`
  for (const file of readdirSync(packed)) {
    const bytes = readFileSync(join(packed, file))
    const manifest = await manifestOf(join(packed, file))
    const { name, version } = manifest
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
    const listed = { ...manifest, dist: { tarball: `${address}/${file}`, integrity } }
    bodies.set(`/${file}`, bytes)
    bodies.set(
      `/${name}`,
      JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: listed } }),
    )
  }
  return { address, close: () => server.close() }
}
