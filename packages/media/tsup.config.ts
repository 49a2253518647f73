import { defineConfig, type Options } from 'tsup'
import { thirdPartyLicences } from '../../scripts/licences.mjs'

const shared: Options = { target: 'es2022', treeshake: true }

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

export default defineConfig([
  {
    ...shared,
    entry: ['src/index.ts'],
    format: ['esm', 'cjs'],
    dts: true,
    clean: true,
    sourcemap: true,
    esbuildPlugins: [parsersApart()],
  },
  // file-type and music-metadata are bundled: their `debug` asks for a package that may be missing, and webpack warns.
  // What comes out are ES modules for the CommonJS build as well, a file for each format, loaded when needed.
  {
    ...shared,
    entry: { 'sniff-file': 'src/inputs/sniff-file.ts', 'parse-duration': 'src/audio/parse-duration.ts' },
    outDir: 'dist/parsers',
    format: 'esm',
    noExternal: ['file-type', 'music-metadata'],
    esbuildPlugins: [withoutDebug(), forBrowsers(), thirdPartyLicences()],
  },
])

function parsersApart(): Plugin {
  return {
    name: 'parsers-apart',
    setup(build) {
      build.onResolve({ filter: /\/(sniff-file|parse-duration)\.js$/ }, ({ path }) => ({
        path: path.replace('./', './parsers/'),
        external: true,
      }))
    },
  }
}

function withoutDebug(): Plugin {
  return {
    name: 'without-debug',
    setup(build) {
      build.onResolve({ filter: /^debug$/ }, () => ({ path: 'debug', namespace: 'silent' }))
      build.onLoad({ filter: /^debug$/, namespace: 'silent' }, () => ({
        contents: 'export default () => () => {}',
      }))
    },
  }
}

/** Takes what these have for browsers. For Node they would read files too, which nobody asks for. */
function forBrowsers(): Plugin {
  return {
    name: 'for-browsers',
    setup(build) {
      build.onResolve(
        { filter: /^(file-type|music-metadata|strtok3)$/ },
        async ({ path, pluginData, ...importing }) => {
          if (pluginData === path) return undefined
          const found = await build.resolve(path, { ...importing, pluginData: path })
          return { ...found, path: found.path.replace(/index\.js$/, 'core.js') }
        },
      )
    },
  }
}
