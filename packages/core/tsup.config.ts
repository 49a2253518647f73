import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'tsup'
import { zod3Names } from './zod3-names.js'

const doors = ['index', 'openai', 'responses', 'node', 'zod3', 'messages', 'internal']

export default defineConfig({
  // What is a file of its own a bundle leaves out where nobody uses it: the validator of `jsonSchema`.
  entry: [...doors, 'tools/json-schema', 'tools/to-json', 'json'].map((name) => `src/${name}.ts`),
  format: ['esm', 'cjs'],
  dts: true,
  clean: true,
  target: 'es2022',
  treeshake: true,
  // p-queue is ESM only: bundled, so that CommonJS users need no require(esm). With zod-to-json-schema would come all
  // of zod 3: bundled, with what it needs of that.
  noExternal: ['p-queue', 'partial-json', 'zod-to-json-schema', 'zod/v3'],
  // CommonJS as well: what two entries share is there once.
  splitting: true,
  esbuildPlugins: [
    zod3Names,
    {
      name: 'third-party-licences',
      setup(build) {
        build.initialOptions.metafile = true
        build.onEnd(({ metafile }) => writeLicences(Object.keys(metafile?.inputs ?? {})))
      },
    },
  ],
})

/** The licences of what is bundled travel with it: they ask for that. */
function writeLicences(inputs: string[]): void {
  const folders = inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input) ?? [])
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const licence = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file))
    if (!licence) throw new Error(`${name} is bundled and has no licence to go with it`)
    return `## ${name} ${version}\n\n${readFileSync(join(folder, licence), 'utf8').trim()}\n`
  })
  mkdirSync('dist', { recursive: true })
  writeFileSync('dist/THIRD-PARTY.md', ['# Packages bundled here\n', ...texts].join('\n'))
}
