import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import type { Row } from './figures.js'

const zodProgram = 'import * as z from "zod"\nexport default [peer, z.object({ city: z.string() })]'

/** What each peer weighs in a bundle of its program with zod, minified and gzipped. */
export async function weigh(peers: readonly string[]): Promise<Row> {
  const figures: Record<string, number> = {}
  for (const peer of peers) {
    const { outputFiles } = await build({
      stdin: {
        contents: `import { peer } from "./peers/${peer}.js"\n${zodProgram}`,
        resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      },
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      platform: 'node',
      mainFields: ['module', 'main'],
      logLevel: 'silent',
      // Asked for only by those who use them.
      external: ['effect', 'sury', 'valibot', '@valibot/*'],
      // What is installed, and not the source that the types are of.
      tsconfigRaw: '{}',
      conditions: ['import'],
    })
    figures[peer] = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length / 1000
  }
  return { name: 'size', what: 'the program with zod, min+gzip', unit: 'kB', figures, goal: 38, limit: 45 }
}
