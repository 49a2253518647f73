import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { defineConfig } from 'tsup'
import { thirdPartyLicences } from '../../scripts/licences.mjs'
import { llmsFilesOfPackage } from '../../scripts/llms.mjs'
import { zod3Names } from './zod3-names.js'

const doors = ['index', 'lean', 'openai', 'responses', 'messages', 'ai-sdk', 'node', 'zod3', 'internal']

/** Entries that load what they share with others whole. Not `node`, which programs use alone. */
const sharing = /core.src.(openai|responses|messages|ai-sdk|zod3|tools.json-schema)\.ts$/

export default defineConfig({
  // What is a file of its own a bundle leaves out where nobody uses it: the validator of `jsonSchema`.
  entry: [...doors, 'tools/json-schema', 'json'].map((name) => `src/${name}.ts`),
  format: ['esm', 'cjs'],
  // A program that imports another entry alone can name the types of this one.
  dts: { banner: "import '@capstan/core'" },
  clean: true,
  target: 'es2022',
  treeshake: true,
  // p-queue is ESM only: bundled, so that CommonJS users need no require(esm). With zod-to-json-schema would come all
  // of zod 3: bundled, with what it needs of that. eventemitter3 is CommonJS, and @cfworker/json-schema nine files: a
  // first run would take 5 to 15 % longer to start Node's loader for the one, and to load the others.
  noExternal: [
    '@cfworker/json-schema',
    'eventemitter3',
    'p-queue',
    'partial-json',
    'zod-to-json-schema',
    'zod/v3',
  ],
  // CommonJS as well: what two entries share is there once.
  splitting: true,
  // Names, lines and spaces stay: a stack trace can be read.
  esbuildOptions(options, { format }) {
    options.minifySyntax = true
    // The files for `require` are a second copy: without spaces, in short lines.
    if (format === 'cjs') Object.assign(options, { minifyWhitespace: true, lineLimit: 120 })
  },
  onSuccess: async () => {
    for (const name of readdirSync('dist', { encoding: 'utf8', recursive: true }))
      if (/\.c?js$/.test(name)) writeInAscii(`dist/${name}`)
    for (const [name, text] of Object.entries(llmsFilesOfPackage())) writeFileSync(name, text)
  },
  esbuildPlugins: [
    zod3Names,
    {
      // Of the CommonJS file a bundle would keep every class that extends the emitter, and so all of `rateLimit`.
      name: 'eventemitter3-as-a-module',
      setup(build) {
        build.onResolve({ filter: /^eventemitter3$/ }, ({ resolveDir }) => {
          const file = createRequire(`${resolveDir}/`).resolve('eventemitter3')
          return { path: join(dirname(file), 'dist/eventemitter3.esm.js') }
        })
      },
    },
    {
      // Node takes two milliseconds to load a file, and esbuild makes one for each set of entries that share a module.
      // With these imports most sets are the same. Only the files change: the imports are left out of them.
      name: 'fewer-files',
      setup(build) {
        build.initialOptions.logOverride = { 'ignored-bare-import': 'silent' }
        build.onLoad({ filter: sharing }, ({ path }) => {
          const all = /zod3\.ts$/.test(path) ? 'internal' : 'features'
          const added = `import ${JSON.stringify(resolve(`src/${all}.ts`))}`
          return { contents: `${readFileSync(path, 'utf8')}\n${added}\n`, loader: 'ts' }
        })
      },
    },
    thirdPartyLicences(),
  ],
})

/**
 * Escapes what esbuild leaves as it is: signs in regular expressions and comments. One of them makes Node keep the
 * whole file in two bytes a character, and read it that much slower.
 */
function writeInAscii(file: string): void {
  const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
  writeFileSync(file, readFileSync(file, 'utf8').replace(/[\u0080-\uffff]/g, escaped))
}
