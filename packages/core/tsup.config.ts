import { mkdirSync, writeFileSync } from 'node:fs'
import { defineConfig } from 'tsup'
import { licenceNotice } from '../../scripts/licences.mjs'
import { llmsFilesOfPackage } from '../../scripts/llms.mjs'
import { zod3Names } from './zod3-names.js'

const doors = ['index', 'openai', 'responses', 'messages', 'ai-sdk', 'node', 'zod3', 'internal']

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
  onSuccess: async () => {
    for (const [name, text] of Object.entries(llmsFilesOfPackage())) writeFileSync(name, text)
  },
  esbuildPlugins: [
    zod3Names,
    {
      name: 'third-party-licences',
      setup(build) {
        build.initialOptions.metafile = true
        build.onEnd(({ metafile }) => {
          mkdirSync('dist', { recursive: true })
          writeFileSync('dist/THIRD-PARTY.md', licenceNotice(Object.keys(metafile?.inputs ?? {})))
        })
      },
    },
  ],
})
