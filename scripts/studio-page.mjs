import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const studio = fileURLToPath(new URL('../packages/studio', import.meta.url))

/**
 * Builds the page of the studio for a clone, which waits for it: in a fraction of the time of `vite build`, which makes
 * the smaller page of the package, with few requests and the licences of what it contains.
 */
export async function buildStudioPage(folder = join(studio, 'dist/page')) {
  const { build } = createRequire(new URL('../packages/core/package.json', import.meta.url))('esbuild')
  const page = join(studio, 'src/page')
  const script = join(page, 'shell/main.tsx')
  const style = join(page, 'style.css')
  rmSync(folder, { recursive: true, force: true })
  const { metafile } = await build({
    entryPoints: [script, style],
    outdir: join(folder, 'assets'),
    // Browsers keep these files for good.
    entryNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    conditions: ['development'],
    // Of core the page runs this file alone, as in vite.config.ts.
    alias: { '@capstan/core/internal': join(studio, '../core/src/run/step-keys.ts') },
    absWorkingDir: page,
    metafile: true,
    logLevel: 'warning',
  })
  const built = Object.entries(metafile.outputs)
  const html = ['shell/main.tsx', 'style.css'].reduce(
    (text, source) => {
      const [file] = built.find(([, { entryPoint }]) => entryPoint === source) ?? ['']
      return text.replace(`/${source}`, `/assets/${basename(file)}`)
    },
    readFileSync(join(page, 'index.html'), 'utf8'),
  )
  cpSync(join(page, 'public'), folder, { recursive: true })
  // Last: a folder with this file is a whole page.
  writeFileSync(join(folder, 'index.html'), html)
}
