import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

const entry = fileURLToPath(new URL('../src/index.ts', import.meta.url))

test('a bundle for browsers and workers imports nothing of Node', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    metafile: true,
  })
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([])
  expect(outputFiles.map(({ text }) => text).join('')).not.toMatch(
    /(?:from|import\()\s*["'](?:node:|fs|http|crypto)/,
  )
})
