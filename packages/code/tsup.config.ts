import { defineConfig, type Options } from 'tsup'
import { thirdPartyLicences } from '../../scripts/licences.mjs'
import { ownUrl } from '../../scripts/own-url.mjs'
import { takeSnapshot } from './src/engine/instance.js'

/** Takes a snapshot of the engine and puts it into the thread's file. */
const engineSnapshot: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'engine-snapshot',
  setup(build) {
    build.onLoad({ filter: /engine[\\/]built-snapshot\.ts$/ }, async () => {
      const { bytes, ...rest } = await takeSnapshot()
      const base64 = Buffer.from(bytes).toString('base64')
      const contents = `export const builtSnapshot = { ...${JSON.stringify(rest)}, bytes: Buffer.from('${base64}', 'base64') }`
      return { contents, loader: 'js' }
    })
  },
}

const shared: Options = { target: 'es2022', treeshake: true }

export default defineConfig([
  {
    ...shared,
    entry: { index: 'src/index.ts' },
    format: ['esm', 'cjs'],
    dts: true,
    clean: true,
    esbuildOptions: ownUrl,
  },
  // The thread of the engine starts from a file of its own. With all that it needs in it, the first program is ready
  // about 8 ms earlier: Node finds and reads one file, not nine. The snapshot saves another 40 ms.
  {
    ...shared,
    entry: { 'engine-thread': 'src/engine/engine-thread.ts' },
    format: 'esm',
    platform: 'node',
    splitting: false,
    minify: true,
    noExternal: [/.*/],
    esbuildPlugins: [thirdPartyLicences(), engineSnapshot],
  },
])
