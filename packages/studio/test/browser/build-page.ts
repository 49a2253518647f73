import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

/** Builds the page as the package does, but into a separate folder. */
export async function buildPage(): Promise<{ readonly folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-page-'))
  const configFile = fileURLToPath(new URL('../../vite.config.ts', import.meta.url))
  const root = fileURLToPath(new URL('../../src/page', import.meta.url))
  await build({ configFile, root, logLevel: 'error', build: { outDir: folder, emptyOutDir: true } })
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}
