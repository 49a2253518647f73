import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { zod3Names } from '../zod3-names.js'

/** Bytes of all that a small program comes with, minified and by gzip; of these zod has 22,000, limits on answers 1,000, the comparison of approvals 700, the sources of untrusted text 1,000, errors of tools without credentials 3,400. Measured: 98,694. */
const most = 99_200

const program = `
import * as z from 'zod'
import { Agent, chatModel, tool } from '../src/index.js'

const add = tool({
  name: 'add',
  description: 'Adds',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
})
const agent = new Agent({ model: chatModel('x'), tools: [add] })
console.log((await agent.run('hi')).text)
`

test('the bundle of a small program stays small', async () => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    plugins: [zod3Names],
    write: false,
    metafile: true,
  })
  const [file] = outputFiles
  if (!file) throw new Error('esbuild made no file')
  const [output] = Object.values(metafile.outputs)
  const parts = partsOf(output?.inputs ?? {})
  const bytes = gzipSync(file.contents, { level: 9 }).length
  expect(
    bytes,
    `the program has ${bytes} bytes; the largest parts, minified: ${largest(parts)}`,
  ).toBeLessThan(most)
})

type Inputs = Readonly<Record<string, { readonly bytesInOutput: number }>>

/** Bytes by package, and by file of our own. */
function partsOf(inputs: Inputs): Readonly<Record<string, number>> {
  const parts: Record<string, number> = {}
  for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
    const part = /.*node_modules\/((?:@[^/]+\/|zod\/)?[^/]+)/.exec(path)?.[1] ?? path
    parts[part] = (parts[part] ?? 0) + bytesInOutput
  }
  return parts
}

function largest(parts: Readonly<Record<string, number>>): string {
  const sorted = Object.entries(parts).sort(([, one], [, other]) => other - one)
  return sorted
    .slice(0, 25)
    .map(([part, bytes]) => `${part} ${bytes}`)
    .join(', ')
}
