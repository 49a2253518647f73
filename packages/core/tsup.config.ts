import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { decode, encode } from '@jridgewell/sourcemap-codec'
import { defineConfig } from 'tsup'
import { thirdPartyLicences } from '../../scripts/licences.mjs'
import { llmsFilesOfPackage } from '../../scripts/llms.mjs'
import { droppable } from './droppable.js'
import { zod3Names } from './zod3-names.js'

const doors = ['index', 'lean', 'openai', 'responses', 'messages', 'ai-sdk', 'node', 'zod3', 'internal']

/** Entries that load the main entry whole. Not `node`, which programs use alone. */
const sharing = /core.src.(lean|openai|responses|messages|ai-sdk|zod3|internal)\.ts$/

export default defineConfig({
  entry: doors.map((name) => `src/${name}.ts`),
  format: ['esm', 'cjs'],
  // A program that imports another entry alone can name the types of this one.
  dts: { banner: "import '@capstan/core'" },
  clean: true,
  treeshake: true,
  target: 'es2022',
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
  sourcemap: true,
  plugins: [droppable],
  minify: 'terser',
  // Names of functions and classes stay, and lines are short: what Node prints of an error can be read without the map.
  terserOptions: {
    ecma: 2020,
    module: false,
    toplevel: false,
    compress: false,
    mangle: { keep_fnames: true, keep_classnames: true },
    // One sign that is not ASCII makes Node keep the whole file in two bytes a character, and read it that much slower.
    format: { ascii_only: true, max_line_len: 120, preserve_annotations: true },
    sourceMap: true,
  },
  esbuildOptions(options) {
    options.minifySyntax = true
    options.sourcesContent = false
  },
  onSuccess: async () => {
    for (const name of readdirSync('dist')) if (name.endsWith('.map')) keepLines(`dist/${name}`)
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
          const added = `import ${JSON.stringify(resolve(`src/${/zod3\.ts$/.test(path) ? 'internal' : 'index'}.ts`))}`
          return { contents: `${readFileSync(path, 'utf8')}\n${added}\n`, loader: 'ts' }
        })
      },
    },
    thirdPartyLicences(),
  ],
})

/**
 * Leaves of a map what a stack trace needs: the file in the repository and its line. The install is to stay small, so
 * names, sources and places within a line are left out, and what tsup added to a file itself.
 */
function keepLines(path: string): void {
  const { version, file, sources: all, mappings } = JSON.parse(readFileSync(path, 'utf8'))
  const sources = all.filter((source: string) => !source.includes('/core/dist/'))
  const lines = decode(mappings).map((places) => {
    let [lastSource, lastLine] = [-1, -1]
    return places.flatMap(([column, given = -1, line = -1]): [number, number, number, number][] => {
      const source = sources.indexOf(all[given])
      if (source < 0 || (source === lastSource && line === lastLine)) return []
      ;[lastSource, lastLine] = [source, line]
      return [[column, source, line, 0]]
    })
  })
  writeFileSync(path, JSON.stringify({ version, file, sources, names: [], mappings: encode(lines) }))
}
