import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

// Worker threads are found relative to the built files, which have another layout than the source.
const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
let outDir: string

beforeAll(async () => {
  outDir = await mkdtemp(join(root, 'node_modules', '.built-'))
  const tsup = join(
    dirname(createRequire(import.meta.url).resolve('tsup/package.json')),
    'dist/cli-default.js',
  )
  await run(process.execPath, [tsup, '--out-dir', outDir, '--no-dts', '--metafile', '--silent'], {
    cwd: root,
  })
})
afterAll(() => rm(outDir, { recursive: true }))

const program = `
async function main() {
  const service = await startService()
  const headers = { authorization: 'Bearer ' + service.apiKey, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'gpt-image-1', prompt: 'a cat', size: '32x32' })
  const response = await fetch(service.baseURL + '/images/generations', { method: 'POST', headers, body })
  const { data } = await response.json()
  await service.close()
  console.log(response.status, Buffer.from(data[0].b64_json, 'base64').toString('latin1', 1, 4))
}
main()
`

test.each([
  ['an ES module', 'program.mjs', "import { startService } from './index.js'"],
  ['CommonJS', 'program.cjs', "const { startService } = require('./index.cjs')"],
])('the built service as %s paints in its workers and ends by itself', async (_, name, load) => {
  await writeFile(join(outDir, name), `${load}\n${program}`)
  const { stdout } = await run(process.execPath, [join(outDir, name)])
  expect(stdout).toBe('200 PNG\n')
})

test.each(['metafile-esm.json', 'metafile-cjs.json'])(
  '%s bundles no third-party code, so no licence is due',
  async (name) => {
    const { inputs } = JSON.parse(await readFile(join(outDir, name), 'utf8')) as { inputs: object }
    expect(Object.keys(inputs)).toContain('src/index.ts')
    expect(
      Object.keys(inputs).filter((file) => !/^(\.\.\/(formats|painter|protocols|schema)\/)?src\//.test(file)),
    ).toEqual([])
  },
)
