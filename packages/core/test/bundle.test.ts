import { fileURLToPath } from 'node:url'
import { build, type Rollup } from 'vite'
import { expect, test } from 'vitest'

const entry = fileURLToPath(new URL('../src/index.ts', import.meta.url))

test('a bundle for browsers and workers imports nothing of Node', async () => {
  const [bundle] = (await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: false, lib: { entry, formats: ['es'] } },
  })) as Rollup.RollupOutput[]
  const [chunk] = bundle?.output ?? []
  expect(chunk?.imports).toEqual([])
  expect(chunk?.code).not.toMatch(/(?:from|import\()\s*["'](?:node:|fs|http|crypto)/)
})
